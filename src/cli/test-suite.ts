// `parley test --suite`: runs declarative suites instead of the built-in checks. Files in, one run, reports out.

import { secretsInUrl, secretsOf } from '../judge/runner/secrets.ts'
import { beginRun } from '../run/begin-run.ts'
import { loadSuites } from '../scenario/acts/load-suite.ts'
import { type RunSuitesOptions, runSuites } from '../scenario/acts/run-suites.ts'
import { runOfSuites, suiteResult } from '../scenario/acts/suite-report.ts'
import { Redactor } from '../trace/redact.ts'
import type { CliIo } from './cli-io.ts'
import { interruptible } from './interruptible.ts'
import { flagNames, openReporting, type ReportFlags } from './report-options.ts'
import { clientOptions, type TargetFlags } from './target-options.ts'

export interface SuiteFlags extends TargetFlags, ReportFlags {
  suite: string[]
  only?: string[]
  skip?: string[]
  strict?: boolean
  deadline?: number
  concurrency?: number
}

export async function testSuites(agent: string, flags: SuiteFlags, io: CliIo): Promise<void> {
  const reporting = openReporting(flags, io)
  const suites = await loadSuites(flags.suite)
  const redactor = new Redactor([...secretsIn(flags), ...secretsInUrl(agent)])
  const target = redactor.url(agent)
  const header = beginRun({ kind: 'suites', flags: flagNames(), target, files: flags.suite })
  const options = runOptions(flags, io)
  const interrupted = interruptible()
  let done = 0
  reporting.begin(header)
  const run = await runSuites(agent, suites, {
    ...options,
    signal: interrupted.stop,
    onOutcome(outcome) {
      done++
      const { id, verdict, transport } = outcome
      if (flags.quiet !== true && (verdict === 'fail' || flags.verbose === true))
        io.err(`${done} ${verdict} ${id} over ${transport}\n`)
      reporting.result(suiteResult(outcome, target, redactor))
    },
  })
  const strict = flags.strict === true
  const ended = runOfSuites(run, { redactor, header, strict, exitCode: interrupted.exitCode() })
  await reporting.end(ended)
  io.exit(ended.footer.exitCode)
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
