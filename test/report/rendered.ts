// A report or run in one of the formats, as the command line would write it.

import type { ConformanceReport } from '../../src/judge/index.ts'
import { FORMATS } from '../../src/report/formats.ts'
import type { ReportContext } from '../../src/report/reporter.ts'
import { styleFor } from '../../src/report/style.ts'
import { beginRun } from '../../src/run/begin-run.ts'
import { runOfReport } from '../../src/run/conformance-run.ts'
import type { Run } from '../../src/run/run.ts'

/** What it appended on the way, and at the end; several documents one after the other. */
export function renderedRun(name: string, run: Run, options: Partial<ReportContext> = {}): string {
  const format = FORMATS.find((known) => known.name === name)
  if (format === undefined) throw new Error(`no format is called ${name}`)
  let text = ''
  const reporter = format.open({
    file: undefined,
    style: styleFor(false),
    verbose: false,
    quiet: false,
    files: [],
    command: 'parley',
    ...options,
    append: (more) => {
      text += more
    },
  })
  reporter.begin?.(run.header)
  for (const agent of run.agents) reporter.agent?.(agent)
  for (const result of run.results) reporter.result?.(result)
  const said = reporter.end?.(run) ?? ''
  return text + (typeof said === 'string' ? said : said.map((document) => document.text).join(''))
}

export function runOf(report: ConformanceReport): Run {
  const { agentUrl: target, second, provenance } = report
  const { flags, specRevision } = provenance
  return runOfReport(report, beginRun({ kind: 'checks', flags, target, second: second?.agentUrl, specRevision }))
}

export function rendered(name: string, report: ConformanceReport, options: Partial<ReportContext> = {}): string {
  return renderedRun(name, runOf(report), options)
}
