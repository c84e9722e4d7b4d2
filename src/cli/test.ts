// `parley test`: certifies an agent. Flags in, one run, reports out, exit code.

import { existsSync } from 'node:fs'
import { Command, Option } from 'commander'
import { NEWEST_REVISION, SPEC_REVISIONS, type SpecRevision } from '../dialects/dialect.ts'
import { allChecks } from '../judge/checks/all.ts'
import { certifyPair, type PairOptions } from '../judge/pair/certify-pair.ts'
import { PAIR_CHECKS } from '../judge/pair/pair-checks.ts'
import type { BaselineEntry } from '../judge/runner/baseline.ts'
import { readBehaviours } from '../judge/runner/behaviour-file.ts'
import { type CertifyOptions, certify } from '../judge/runner/certify.ts'
import { type ConformanceReport, type RunListener, resultsOf } from '../judge/runner/result.ts'
import { secretsInUrl, secretsOf } from '../judge/runner/secrets.ts'
import { readCardKeys } from '../judge/signatures/card-keys.ts'
import { EXIT } from '../model/errors.ts'
import { json } from '../report/json.ts'
import { Progress } from '../report/progress.ts'
import type { Reporting, WantedReport } from '../report/reporting.ts'
import { styleFor } from '../report/style.ts'
import { beginRun } from '../run/begin-run.ts'
import { runOfReport, runResultOf } from '../run/conformance-run.ts'
import type { RunHeader, RunKind } from '../run/run.ts'
import { Redactor } from '../trace/redact.ts'
import {
  addBaselineOptions,
  type BaselineFlags,
  baselineOf,
  checkBaselineFlags,
  writeBaseline,
} from './baseline-flags.ts'
import { type CliIo, processIo } from './cli-io.ts'
import { failedIn } from './failed-from.ts'
import { collect, duration, usage, wholeNumber } from './flag-values.ts'
import { interruptible } from './interruptible.ts'
import { ownCommand } from './invocation.ts'
import { listChecks } from './list-checks.ts'
import { addLoginOptions, type LoginFlags, sessionTokens } from './login.ts'
import { addFormatOption, flagNames, openReporting, type ReportFlags, wantsColour } from './report-options.ts'
import { addTargetOptions, clientOptions, parseHeader, type TargetFlags } from './target-options.ts'
import { testSuites } from './test-suite.ts'
import { watchTest } from './test-watch.ts'

interface TestFlags extends TargetFlags, LoginFlags, ReportFlags, BaselineFlags {
  second?: string
  secondBearer?: string
  secondApiKey?: string
  secondHeader?: [string, string][]
  secondBehaviors?: string
  bearerB?: string
  cardKey?: string[]
  specRevision: SpecRevision
  only?: string[]
  skip?: string[]
  failedFrom?: string
  skills?: string[]
  strict?: boolean
  behaviors?: string
  sideEffects: 'none' | 'all'
  suite?: string[]
  report: string | false
  deadline?: number
  maxTurns?: number
  quick?: boolean
  concurrency?: number
  list?: boolean
  watch?: boolean
}

const EXAMPLES = `Examples:
  parley test localhost:9999                                 verdict, what to fix first, exit code
  parley test localhost:9999 --quick                         the basics, in at most 12 turns of the agent
  parley test localhost:9999 --only get-task-unknown         one check; also areas and sections (--only 3.1.4)
  parley test https://a.example --bearer "$TOKEN" --format junit:out.xml --format markdown:out.md
  parley test localhost:9999 --behaviors prompts.yaml        how to make the agent slow, ask, fail …
  parley test localhost:9999 --second localhost:9998         two agents, and the pair
  parley test localhost:9999 --suite acceptance.acts.yaml    declarative tests in the ACTS format
  parley test --list                                         every check
`

export function testCommand(io: CliIo = processIo): Command {
  const command = new Command('test')
    .summary('certify an agent, with evidence')
    .description('Judges an agent of any protocol version by its URL.')
    .argument('[agent]', 'host, URL, card URL or card file')
    .option('--second <agent>', 'judge this agent too, and the two together')
    .addOption(new Option('--second-bearer <token>', 'bearer token for --second').env('PARLEY_SECOND_BEARER'))
    .addOption(new Option('--second-api-key <key>', 'API key for --second').env('PARLEY_SECOND_API_KEY'))
    .option('--second-header <line>', "header for --second, 'Name: value'; repeatable", collect(parseHeader))
    .option('--second-behaviors <file>', 'like --behaviors, for --second')
    .addOption(new Option('--bearer-b <token>', 'the bearer token of a second user').env('PARLEY_BEARER_B'))
    .option('--card-key <file|url>', 'public key of signed cards: JWK, JWK set or PEM; repeatable', collect(String))
    .addOption(
      new Option('--spec-revision <revision>', 'the patch revision of 1.0 to judge by')
        .choices(SPEC_REVISIONS.toReversed())
        .default(NEWEST_REVISION),
    )
    .option('--only <id>', 'only this check, area, category, requirement or section; repeatable', collect(String))
    .option('--skip <id>', 'all but this check, area, category, requirement or section; repeatable', collect(String))
    .option('--failed-from <file>', 'only what failed in this run record or JSON report')
    .option('--skills <id>', 'use only the examples of this skill; repeatable', collect(String))
    .option('--strict', 'warnings fail the run too')
    .option('--behaviors <file>', 'YAML: behaviour → prompt that provokes it')
    .addOption(
      new Option('--side-effects <which>', 'none: judge without creating tasks')
        .choices(['none', 'all'])
        .default('all'),
    )
    .option('--suite <file>', 'run this ACTS suite instead of the checks; repeatable', collect(String))
    .option('--report <file>', 'the JSON report written when no --format is given', 'parley-report.json')
    .option('--no-report', 'write no report file')
    .option('--deadline <duration>', 'for the whole run', duration('--deadline'))
    .option('--quick', 'only the card, the basics and one check per capability; at most 12 turns of the agent')
    .option('--max-turns <n>', 'send at most so many messages that make the agent work', wholeNumber('--max-turns'))
    .option('--concurrency <n>', 'checks at a time', wholeNumber('--concurrency', 1, 64))
    .option('--watch', 'run again when the agent comes back or a file of the run changes, and show what is different')
    .option('--list', 'print every check and requirement instead of running')
    .addOption(new Option('-o, --output <format>', 'output format').choices(['text', 'json']).default('text'))
    .option('-q, --quiet', 'no progress on stderr')
    .option('--verbose', 'show all findings')
    .option('--no-color', 'no colors')
    .addHelpText('before', EXAMPLES)
    .action((agent: string | undefined) => test(agent, command.opts<TestFlags>(), io))
  return addLoginOptions(addTargetOptions(addFormatOption(addBaselineOptions(command))))
}

async function test(agent: string | undefined, flags: TestFlags, io: CliIo): Promise<void> {
  if (flags.list === true) {
    io.out(listChecks(flags.output))
    return
  }
  if (agent === undefined)
    throw usage(`Name the agent to test, for instance: ${ownCommand()} test http://localhost:9999`)
  if (flags.suite !== undefined) {
    await testSuites(agent, { ...flags, suite: flags.suite, only: onlyOf(flags, 'suites') }, io)
    return
  }
  if (flags.quick === true && (flags.only ?? flags.failedFrom) !== undefined)
    throw usage('--quick chooses the checks itself; leave out --only and --failed-from, or --quick.')
  checkBaselineFlags(flags)
  if (flags.watch !== true) {
    await judge(agent, flags, io)
    return
  }
  const files = [flags.behaviors, flags.secondBehaviors, flags.baseline, agent].filter((file) => file !== undefined)
  await watchTest({ agent, files: files.filter((file) => existsSync(file)), io, run: () => judge(agent, flags, io) })
}

async function judge(agent: string, flags: TestFlags, io: CliIo): Promise<ConformanceReport> {
  const { stop, release } = interruptible()
  const reporting = openReporting(flags, io, { more: standardReport(flags) })
  const before = await baselineOf(flags, () => [...allChecks(), ...PAIR_CHECKS].map(({ id }) => id))
  const login = await sessionTokens(
    agent,
    clientOptions(flags, () => {}),
    flags,
    (line) => io.err(`${line}\n`),
  )
  const options = { ...(await certifyOptions(flags, before, stop, io)), ...defined({ tokens: login?.tokens }) }
  const second = flags.second === undefined ? undefined : await secondOptions(flags)
  const header = headerOf(agent, flags, options, second)
  reporting.begin(header)
  const progress = progressOf(flags, io)
  const listener = together(progress, recording(reporting, flags.second !== undefined))
  const report =
    flags.second === undefined || second === undefined
      ? await certify(agent, { ...options, listener })
      : await certifyPair(agent, flags.second, { ...options, listener, second })
  login?.close()
  progress.end()
  const mayUpdate = flags.updateBaseline === true && report.complete
  if (mayUpdate) report.exitCode = EXIT.ok
  await reporting.end(runOfReport(report, header))
  await writeBaseline(flags, { complete: report.complete, results: resultsOf(report) }, before, io)
  io.exit(report.exitCode)
  release()
  return report
}

function headerOf(agent: string, flags: TestFlags, options: CertifyOptions, second: CertifyOptions = {}): RunHeader {
  const secrets = [...secretsOf(options), ...secretsOf(second)]
  const redactor = new Redactor([...secrets, ...secretsInUrl(agent), ...secretsInUrl(flags.second ?? '')])
  return beginRun({
    kind: 'checks',
    flags: [...(options.flags ?? [])],
    target: redactor.url(agent),
    second: flags.second === undefined ? undefined : redactor.url(flags.second),
    specRevision: flags.specRevision,
  })
}

function progressOf(flags: TestFlags, io: CliIo): Progress {
  return new Progress({
    write: flags.quiet === true ? () => {} : (text) => io.err(text),
    isLive: process.stderr.isTTY === true && process.env.TERM !== 'dumb',
    // Some terminals do not know their width and say 0.
    columns: process.stderr.columns > 0 ? process.stderr.columns : 80,
    style: styleFor(wantsColour(flags, process.stderr.isTTY === true)),
  })
}

/** The JSON report that is written when nothing else was asked for. */
function standardReport({ format, output, report }: TestFlags): WantedReport[] {
  return format === undefined && output === 'text' && report !== false ? [{ format: json, file: report }] : []
}

/** What the run tells its reports while it goes on. Of two agents, the one found last is being judged. */
function recording(reporting: Reporting, isPair: boolean): RunListener {
  let found = 0
  const current = () => (found < 2 ? 'first' : 'second')
  return {
    onTriage({ agent, interfaces }) {
      found++
      reporting.agent({ ...(isPair ? { agent: current() } : {}), ...agent, interfaces: [...interfaces] })
    },
    onPlan: ({ total }) => reporting.plan({ total }),
    onResult(result) {
      const { agent = isPair ? current() : undefined } = result
      reporting.result(runResultOf({ ...result, agent }))
    },
  }
}

/** What is shown was written before. */
function together(progress: RunListener, records: RunListener): RunListener {
  return {
    onTriage(found) {
      records.onTriage?.(found)
      progress.onTriage?.(found)
    },
    onPlan(planned) {
      records.onPlan?.(planned)
      progress.onPlan?.(planned)
    },
    onPace: (pace) => progress.onPace?.(pace),
    onResult(result) {
      records.onResult?.(result)
      progress.onResult?.(result)
    },
    onCall: (call) => progress.onCall?.(call) ?? (() => {}),
  }
}

async function certifyOptions(
  flags: TestFlags,
  baseline: readonly BaselineEntry[],
  signal: AbortSignal,
  io: CliIo,
): Promise<CertifyOptions> {
  const { tls, transports, versions, bearer, apiKey, headers, tenant, timeoutMs } = clientOptions(flags, (line) =>
    io.err(`${line}\n`),
  )
  return defined({
    tls,
    transports,
    versions,
    bearer,
    apiKey,
    headers,
    tenant,
    timeoutMs,
    bearerB: flags.bearerB,
    cardKeys: flags.cardKey === undefined ? undefined : (await Promise.all(flags.cardKey.map(readCardKeys))).flat(),
    specRevision: flags.specRevision,
    only: onlyOf(flags, 'checks'),
    skip: flags.skip,
    skills: flags.skills,
    strict: flags.strict,
    behaviours: flags.behaviors === undefined ? undefined : await readBehaviours(flags.behaviors),
    sideEffects: flags.sideEffects,
    // While the baseline is being written, everything counts as it is.
    baseline: flags.updateBaseline === true ? [] : baseline,
    deadlineMs: flags.deadline,
    concurrency: flags.concurrency,
    maxTurns: flags.maxTurns,
    isQuick: flags.quick,
    signal,
    flags: flagNames(),
  })
}

/** What --only names, and what failed in the report of --failed-from. */
function onlyOf({ only, failedFrom }: TestFlags, kind: RunKind): string[] | undefined {
  return failedFrom === undefined ? only : [...(only ?? []), ...failedIn(failedFrom, kind)]
}

/** The second agent gets no credentials but its own. */
async function secondOptions(flags: TestFlags): Promise<NonNullable<PairOptions['second']>> {
  const { secondBearer: bearer, secondApiKey: apiKey, secondHeader: headers, secondBehaviors } = flags
  const behaviours = secondBehaviors === undefined ? undefined : await readBehaviours(secondBehaviors)
  return defined({ bearer, apiKey, headers, behaviours })
}

/** Without the members that are undefined, which would otherwise stand for a value. */
function defined<T extends object>(given: { [K in keyof T]: T[K] | undefined }): T {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as T
}
