// `parley test --suite`: runs declarative suites instead of the built-in checks. Files in, one run, reports out.

import { parse } from 'node:path'
import { secretsInUrl, secretsOf } from '../judge/runner/secrets.ts'
import type { SuiteReport } from '../report/acts.ts'
import { actsReports } from '../report/acts.ts'
import { renderSuiteJunit } from '../report/acts-junit.ts'
import { renderSuiteMarkdown } from '../report/acts-markdown.ts'
import { renderSuiteTerminal } from '../report/acts-terminal.ts'
import { styleFor } from '../report/style.ts'
import { type ReportFormat, writeAtomically } from '../report/write-report.ts'
import { loadSuites } from '../scenario/acts/load-suite.ts'
import { type RunSuitesOptions, runSuites } from '../scenario/acts/run-suites.ts'
import { suiteReport } from '../scenario/acts/suite-report.ts'
import { jsonText } from '../trace/json-text.ts'
import { Redactor } from '../trace/redact.ts'
import type { CliIo } from './cli-io.ts'
import { usage } from './flag-values.ts'
import { clientOptions, type TargetFlags } from './target-options.ts'

export interface SuiteFlags extends TargetFlags {
  suite: string[]
  only?: string[]
  skip?: string[]
  strict?: boolean
  format?: Wanted[]
  output: 'text' | 'json'
  deadline?: number
  concurrency?: number
  quiet?: boolean
  verbose?: boolean
}

interface Wanted {
  format: ReportFormat | 'acts'
  file: string | undefined
}

/** Returns the exit code. */
export async function testSuites(
  agent: string,
  flags: SuiteFlags,
  io: CliIo,
  surroundings: { signal: AbortSignal; withColour: boolean },
): Promise<number> {
  const wanted = formatsOf(flags)
  const suites = await loadSuites(flags.suite)
  const startedAt = new Date()
  let done = 0
  const run = await runSuites(agent, suites, {
    ...runOptions(flags, io),
    signal: surroundings.signal,
    onOutcome: ({ id, verdict, transport }) => {
      done++
      if (flags.quiet !== true && (verdict === 'fail' || flags.verbose === true))
        io.err(`${done} ${verdict} ${id} over ${transport}\n`)
    },
  })
  const redactor = new Redactor([...secretsIn(flags), ...secretsInUrl(agent)])
  const report = suiteReport(run, { redactor, strict: flags.strict === true, startedAt })
  const files = await writeFiles(report, wanted, io)
  const toStdout = wanted.find(({ file }) => file === undefined)
  const style = styleFor(surroundings.withColour && toStdout === undefined)
  const text = renderSuiteTerminal(report, { style, files, suites: flags.suite, verbose: flags.verbose === true })
  if (toStdout === undefined) io.out(text)
  else {
    for (const { text: document } of documentsOf(report, toStdout)) io.out(document)
    if (flags.quiet !== true) io.err(text)
  }
  return report.exitCode
}

function formatsOf(flags: SuiteFlags): Wanted[] {
  const wanted = [...(flags.format ?? [])]
  if (flags.output === 'json') wanted.push({ format: 'json', file: undefined })
  if (wanted.filter(({ file }) => file === undefined).length > 1)
    throw usage('Only one --format can go to stdout; give the others a file: --format acts:report.json')
  return wanted
}

function runOptions(flags: SuiteFlags, io: CliIo): RunSuitesOptions {
  const { tls, transports, versions, bearer, apiKey, headers, tenant, timeoutMs } = clientOptions(flags, (line) =>
    io.err(`${line}\n`),
  )
  const given = { tls, transports, versions, bearer, apiKey, headers, tenant, timeoutMs }
  const { only, skip, concurrency, deadline: deadlineMs } = flags
  const all = { ...given, only, skip, concurrency, deadlineMs }
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined))
}

/** Of a header the credential too, without its scheme: an agent may echo it bare. */
function secretsIn({ bearer, apiKey, header: headers = [] }: TargetFlags): string[] {
  return secretsOf({ ...(bearer && { bearer }), ...(apiKey && { apiKey }), headers })
}

/** An ACTS document speaks of one generation and transport: several get names of their own, or lines of their own. */
function documentsOf(report: SuiteReport, { format, file }: Wanted): { file: string | undefined; text: string }[] {
  if (format === 'json') return [{ file, text: `${jsonText(report, 2)}\n` }]
  if (format === 'junit') return [{ file, text: renderSuiteJunit(report) }]
  if (format === 'markdown') return [{ file, text: renderSuiteMarkdown(report) }]
  const documents = actsReports(report)
  const [only] = documents
  if (documents.length === 1 && only !== undefined) return [{ file, text: `${jsonText(only, 2)}\n` }]
  return documents.map((document) => {
    if (file === undefined) return { file, text: `${jsonText(document)}\n` }
    const { dir, name, ext } = parse(file)
    const own = `${name}-${document.spec_version}-${document.transport}${ext}`
    return { file: dir === '' ? own : `${dir}/${own}`, text: `${jsonText(document, 2)}\n` }
  })
}

/** What cannot be written goes to stdout: results are never lost. */
async function writeFiles(report: SuiteReport, wanted: readonly Wanted[], io: CliIo): Promise<string[]> {
  const written: string[] = []
  for (const one of wanted.filter(({ file }) => file !== undefined)) {
    for (const { file, text } of documentsOf(report, one)) {
      if (file === undefined) continue
      try {
        await writeAtomically(file, text)
        written.push(file)
      } catch (error) {
        const why = error instanceof Error ? error.message : String(error)
        io.err(`The report ${file} could not be written (${why}); here are the raw results.\n`)
        io.out(`${jsonText(report)}\n`)
      }
    }
  }
  return written
}
