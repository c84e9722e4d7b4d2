// `parley run`: plays declarative test cases against a scripted agent, the proxy and the artifact service.

import { Command, Option } from 'commander'
import { defined } from '../base/defined.ts'
import type { BindingId, DialectId } from '../dialects/dialect.ts'
import { BINDING_IDS } from '../dialects/dialect.ts'
import { DIALECT_IDS } from '../dialects/index.ts'
import { EXIT } from '../model/errors.ts'
import { json } from '../report/json.ts'
import { junit } from '../report/junit.ts'
import type { WantedReport } from '../report/reporting.ts'
import { beginRun } from '../run/begin-run.ts'
import { caseResult, runOfCases } from '../scenario/cases/case-report.ts'
import type { CaseResult } from '../scenario/cases/run-case.ts'
import { loadCases, type RunOptions, runCases } from '../scenario/cases/run-cases.ts'
import { type CliIo, processIo } from './cli-io.ts'
import { failedIn } from './failed-from.ts'
import { counted } from './flag-values.ts'
import { addFormatOption, flagNames, openReporting, type ReportFlags } from './report-options.ts'

interface RunFlags extends ReportFlags {
  tag?: string[]
  only?: string[]
  failedFrom?: string
  a2aVersion?: DialectId[]
  /** The former name of a2aVersion. */
  generation?: DialectId[]
  binding?: BindingId[]
  mode?: 'streaming' | 'blocking' | 'both'
  junit?: string
  json?: string
  check?: boolean
}

const EXAMPLES = `Examples:
  parley run cases/*.yaml
  parley run suites/proxy --tag artifacts --junit results.xml
  parley run case.yaml --a2a-version 0.3 1.0 --mode both
`

export function runCommand(io: CliIo = processIo): Command {
  const command = new Command('run')
    .description('Run declarative test cases against a scripted agent, the proxy and the artifact service.')
    .argument('<files...>', 'case files, or folders of them')
    .option('--tag <tags...>', 'only cases with one of these tags')
    .option('--only <ids...>', 'only the cases with one of these ids')
    .option('--failed-from <file>', 'only what failed in this run record or JSON report')
    .addOption(
      new Option('--a2a-version <versions...>', 'use these protocol versions instead of those in the cases').choices(
        DIALECT_IDS,
      ),
    )
    .addOption(new Option('--generation <versions...>', 'old name of --a2a-version').choices(DIALECT_IDS).hideHelp())
    .addOption(new Option('--binding <bindings...>', 'use these instead').choices(BINDING_IDS))
    .addOption(new Option('--mode <mode>', 'stream, wait, or both, instead').choices(['streaming', 'blocking', 'both']))
    .option('--check', 'only read the files and say what is wrong with them')
    .option('--junit <file>', 'the same as --format junit:FILE')
    .option('--json <file>', 'the same as --format json:FILE')
    .addOption(new Option('-o, --output <format>', 'output format').choices(['text', 'json']).default('text'))
    .option('-q, --quiet', 'print only failures and the summary')
    .addHelpText('before', EXAMPLES)
    .action((files: string[], flags: RunFlags) => run(files, flags, io))
  return addFormatOption(command)
}

async function run(files: string[], flags: RunFlags, io: CliIo): Promise<void> {
  if (flags.check === true) {
    const cases = loadCases(files)
    io.out(
      flags.output === 'json'
        ? `${JSON.stringify({ ok: true, cases: cases.length })}\n`
        : `${counted(cases.length, 'case')}, all valid.\n`,
    )
    return
  }
  const reporting = openReporting(flags, io, { more: namedFiles(flags) })
  const header = beginRun({ kind: 'cases', flags: flagNames(), files })
  reporting.begin(header)
  const onResult = (result: CaseResult) => reporting.result(caseResult(result))
  const ended = runOfCases(await runCases(files, { ...optionsOf(flags), onResult }), header)
  await reporting.end(ended)
  if (ended.footer.exitCode !== EXIT.ok) io.exit(ended.footer.exitCode)
}

function namedFiles({ junit: xml, json: document }: RunFlags): WantedReport[] {
  return [
    ...(xml === undefined ? [] : [{ format: junit, file: xml }]),
    ...(document === undefined ? [] : [{ format: json, file: document }]),
  ]
}

function optionsOf({
  tag,
  only,
  failedFrom,
  a2aVersion,
  generation = a2aVersion,
  binding,
  mode,
}: RunFlags): RunOptions {
  const ids = failedFrom === undefined ? only : [...(only ?? []), ...failedIn(failedFrom, 'cases')]
  return {
    ...defined({ ids, tags: tag }),
    variants: {
      ...defined({ generation, binding }),
      ...(mode === undefined ? {} : { streaming: mode === 'both' ? [true, false] : [mode === 'streaming'] }),
    },
  }
}
