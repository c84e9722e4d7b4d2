// `parley grade`: certifies a client. Every scenario is an agent of ours with one habit; the client is run against it, and
// judged by what it sent, how it ended, and what it says it understood.

import { Command, Option } from 'commander'
import { BINDING_IDS, type BindingId, type DialectId } from '../dialects/dialect.ts'
import { DIALECT_IDS } from '../dialects/index.ts'
import { commandClient } from '../grade/clients/command-client.ts'
import { harnessClient } from '../grade/clients/harness-client.ts'
import { type Grade, gradeClient } from '../grade/grade.ts'
import { gradeResult, runOfGrade } from '../grade/grade-run.ts'
import type { ClientExit, GradedClient } from '../grade/graded-client.ts'
import type { Selection } from '../grade/plan.ts'
import { SCENARIOS } from '../grade/scenarios/all.ts'
import { gradeTraffic } from '../grade/traffic.ts'
import { applyBaseline, type BaselineEntry } from '../judge/runner/baseline.ts'
import { EXIT } from '../model/errors.ts'
import { safeLine } from '../report/safe-text.ts'
import { beginRun } from '../run/begin-run.ts'
import { readRecording } from '../trace/record.ts'
import {
  addBaselineOptions,
  type BaselineFlags,
  baselineOf,
  checkBaselineFlags,
  writeBaseline,
} from './baseline-flags.ts'
import { type CliIo, processIo } from './cli-io.ts'
import { collect, duration, oneOf, usage, wholeNumber } from './flag-values.ts'
import { listScenarios } from './grade-list.ts'
import { gradeByHand } from './grade-serve.ts'
import { interruptible } from './interruptible.ts'
import { addFormatOption, flagNames, openReporting, type ReportFlags } from './report-options.ts'

export interface GradeFlags extends ReportFlags, BaselineFlags {
  only?: string[]
  skip?: string[]
  a2aVersion?: DialectId[]
  transport?: BindingId[]
  harness?: 'ndjson'
  listen?: number
  serve?: string
  traffic?: string
  timeout?: number
  concurrency?: number
  env?: string[]
  strict?: boolean
  list?: boolean
}

const EXAMPLES = `Examples:
  parley grade -- python my_client.py {url}
  parley grade --only streams -- node client.js
  parley grade --harness ndjson -- java -jar harness.jar
  parley grade --serve stream-crlf
  parley grade --traffic recording.jsonl
`

export function gradeCommand(io: CliIo = processIo): Command {
  const command = new Command('grade')
    .description('Test a client: run it against agents that each behave unusually in one way, and judge what it sends.')
    .argument(
      '[command...]',
      "the client's command; {url} is replaced by the URL of the agent, which is the last argument otherwise",
    )
    .option('--only <id>', 'scenario, claim or area; repeatable', collect(String))
    .option('--skip <id>', 'the same, left out; repeatable', collect(String))
    .option(
      '--a2a-version <version>',
      `${DIALECT_IDS.join(', ')}; repeatable`,
      collect(oneOf('--a2a-version', DIALECT_IDS)),
    )
    .option(
      '--transport <binding>',
      `${BINDING_IDS.join(', ')}; repeatable`,
      collect(oneOf('--transport', BINDING_IDS)),
    )
    .addOption(
      new Option('--harness <form>', 'one long-lived process that reads a line of JSON per scenario').choices([
        'ndjson',
      ]),
    )
    .option(
      '--listen <port>',
      'no command: serve the scenarios from this port on until Ctrl-C (0: free ports)',
      wholeNumber('--listen', 0, 65_535),
    )
    .option('--serve <scenario>', 'serve one scenario until Ctrl-C, then say what was seen')
    .option('--traffic <file>', 'grade a recording instead; nothing is sent')
    .option('--timeout <duration>', 'for each scenario (15s)', duration('--timeout'))
    .option('--concurrency <n>', 'scenarios at a time (4; a harness: 1)', wholeNumber('--concurrency', 1, 64))
    .option('--env <name>', 'pass this variable on to the client; repeatable', collect(String))
    .option('--strict', 'warnings fail the run too')
    .option('--list', 'print every scenario with its claims')
    .addOption(new Option('-o, --output <format>', 'output format').choices(['text', 'json']).default('text'))
    .option('-q, --quiet', 'print only failures and the summary')
    .option('-v, --verbose', 'print evidence in full')
    .addHelpText('before', EXAMPLES)
    .action((words: string[]) => grade(words, command.opts<GradeFlags>(), io))
  return addFormatOption(addBaselineOptions(command))
}

async function grade(words: readonly string[], flags: GradeFlags, io: CliIo): Promise<void> {
  if (flags.list === true) return io.out(listScenarios(flags.output))
  checkOneWay(words, flags)
  checkBaselineFlags(flags)
  if (flags.traffic !== undefined) return gradeRecording(flags.traffic, flags, io)
  if (flags.listen !== undefined || flags.serve !== undefined) return gradeByHand(selectionOf(flags), flags, io)
  const client = await clientOf(words, flags)
  try {
    await gradeWith(client, flags, io)
  } finally {
    await client.close()
  }
}

function checkOneWay(words: readonly string[], flags: GradeFlags): void {
  const ways = [words.length > 0, flags.listen !== undefined, flags.serve !== undefined, flags.traffic !== undefined]
  const given = ways.filter(Boolean).length
  if (given === 1) return
  if (given === 0)
    throw usage(
      'Say which client: its command after --, or --listen, --serve or --traffic.',
      'parley grade -- python my_client.py {url}',
    )
  throw usage('A command, --listen, --serve and --traffic exclude each other; give one of them.')
}

async function clientOf(words: readonly string[], { harness, env = [] }: GradeFlags): Promise<GradedClient> {
  return harness === undefined ? commandClient(words, { passed: env }) : harnessClient(words, { passed: env })
}

async function gradeWith(client: GradedClient, flags: GradeFlags, io: CliIo): Promise<void> {
  const before = await knownFailures(flags)
  const reporting = openReporting(flags, io)
  const header = beginRun({ kind: 'clients', flags: flagNames(), target: client.name })
  reporting.begin(header)
  const { stop, exitCode, release } = interruptible()
  const strict = flags.strict === true
  const done = await gradeClient(client, {
    ...selectionOf(flags),
    signal: stop,
    ...(flags.timeout !== undefined && { timeoutMs: flags.timeout }),
    concurrency: flags.concurrency ?? (flags.harness === undefined ? 4 : 1),
    onPlan: (total) => reporting.plan({ total }),
    onResult: (result) => {
      const told = gradeResult(result, strict)
      applyBaseline([told], flags.updateBaseline === true ? [] : before, false)
      reporting.result(told)
    },
  }).finally(release)
  for (const problem of problemsOf(client)) io.err(`The harness: ${problem}\n`)
  if (done.silence !== undefined) io.err(`${silenceText(done.silence)}\n`)
  const ended = { ...done, exitCode: exitCode() ?? done.exitCode }
  await finish(ended, { header, reporting, before }, flags, io)
}

/** Why nothing could be measured: the client never came. */
function silenceText({ code, signal, isTimeout, durationMs, stderr, stdout }: ClientExit): string {
  const by = signal === undefined || signal.startsWith('exit code') ? 'ended with' : 'was ended by'
  const ended = isTimeout
    ? 'was stopped at its time limit'
    : `${by} ${code ?? signal ?? 'no code'} after ${durationMs} ms`
  const [last = ''] = `${stdout}\n${stderr}`.trim().split('\n').slice(-1)
  const words = last === '' ? 'it printed nothing' : `its last output: ${safeLine(last.slice(0, 300))}`
  return `The client sent nothing to the agent it was pointed at: it ${ended}; ${words}\n{url} in the command is replaced by the URL; without it the URL is the last argument. It is also in PARLEY_URL.`
}

function problemsOf(client: GradedClient): readonly string[] {
  return 'problems' in client && Array.isArray(client.problems) ? (client.problems as string[]) : []
}

async function gradeRecording(file: string, flags: GradeFlags, io: CliIo): Promise<void> {
  const { exchanges } = await readRecording(file)
  const before = await knownFailures(flags)
  const results = gradeTraffic(exchanges)
  if (results.length === 0) throw usage(`${file} holds no calls of A2A that could be graded.`)
  const reporting = openReporting(flags, io)
  const header = beginRun({ kind: 'clients', flags: flagNames(), target: file })
  reporting.begin(header)
  for (const result of results) {
    const told = gradeResult(result, flags.strict === true)
    applyBaseline([told], flags.updateBaseline === true ? [] : before, false)
    reporting.result(told)
  }
  const isFailed = results.some(({ verdict }) => verdict === 'fail')
  const done = { results, durationMs: 0, complete: true, exitCode: isFailed ? EXIT.failed : EXIT.ok }
  await finish(done, { header, reporting, before }, { ...flags, only: ['requests'] }, io)
}

interface Begun {
  readonly header: ReturnType<typeof beginRun>
  readonly reporting: ReturnType<typeof openReporting>
  /** What the baseline knows. */
  readonly before: readonly BaselineEntry[]
}

async function knownFailures(flags: GradeFlags): Promise<BaselineEntry[]> {
  return baselineOf(flags, () => SCENARIOS.flatMap(({ claims }) => claims.map(({ id }) => id)))
}

async function finish(done: Grade, { header, reporting, before }: Begun, flags: GradeFlags, io: CliIo): Promise<void> {
  const { only, skip, a2aVersion, transport, updateBaseline = false } = flags
  const isWhole = [only, skip, a2aVersion, transport].every((each) => each === undefined)
  const strict = flags.strict === true
  // While the baseline is being written, everything counts as it is.
  const run = runOfGrade(done, header, { strict, isWhole, baseline: updateBaseline ? [] : before })
  const mayUpdate = updateBaseline && done.complete
  const { footer } = run
  await reporting.end(mayUpdate ? { ...run, footer: { ...footer, exitCode: EXIT.ok } } : run)
  await writeBaseline(flags, { complete: done.complete, results: run.results }, before, io)
  if (mayUpdate) return
  if (run.footer.exitCode !== EXIT.ok) io.exit(run.footer.exitCode)
}

function selectionOf({ only, skip, a2aVersion, transport, serve }: GradeFlags): Selection {
  const chosen = serve === undefined ? only : [serve]
  return {
    ...(chosen !== undefined && { only: chosen }),
    ...(skip !== undefined && { skip }),
    ...(a2aVersion !== undefined && { versions: a2aVersion }),
    ...(transport !== undefined && { bindings: transport }),
  }
}
