// Two agents: each judged by itself, then the two together. An unreachable second agent does not spare the first,
// and neither ever sees the other's credentials.

import { EXIT } from '../../model/errors.ts'
import type { HttpClient } from '../../net/http-client.ts'
import { withoutCertificate } from '../../net/http-request.ts'
import { Redactor } from '../../trace/redact.ts'
import { shellWord } from '../../trace/shell-word.ts'
import { allChecks } from '../checks/all.ts'
import { Turns } from '../probe/turns.ts'
import { applyBaseline } from '../runner/baseline.ts'
import { type CertifyOptions, judgeAgent } from '../runner/certify.ts'
import { withToken } from '../runner/credentials.ts'
import { endOfRun, type RunEnd } from '../runner/end-of-run.ts'
import { resultOf } from '../runner/evidence.ts'
import { type Outcome, outcomeOf } from '../runner/execute.ts'
import { groupFindings } from '../runner/findings.ts'
import { DEFAULT_DEADLINE_MS, DEFAULT_TIMEOUT_MS, judgeClient } from '../runner/judge-client.ts'
import { maxTurnsOf } from '../runner/quick.ts'
import { type ConformanceReport, type ConformanceResult, resultsOf, summarise } from '../runner/result.ts'
import { secretsOf } from '../runner/secrets.ts'
import { type Circumstances, countVerdicts, exitCodeOf } from '../runner/verdict.ts'
import { PAIR_AREA, type PairCheck } from './pair-check.ts'
import { PAIR_CHECKS } from './pair-checks.ts'
import { openPairAgent, type PairAgent, PairMember } from './pair-member.ts'

/** How to judge two agents that talk to each other. */
export interface PairOptions extends CertifyOptions {
  /** What is different for the second agent. It gets no credentials but these. */
  second?: Pick<CertifyOptions, 'bearer' | 'apiKey' | 'headers' | 'bearerB' | 'behaviours' | 'tenant' | 'skills'>
}

/**
 * Judges two agents, and what they show together. The report of the second agent hangs under `second`; what the pair
 * showed is in `interop` of the first.
 *
 * @example
 * ```ts
 * import { certifyPair } from 'a2a-parley/judge'
 *
 * const report = await certifyPair('localhost:9999', 'localhost:9998', { second: { bearer: 'of-the-second' } })
 * console.log(report.conformanceLevel, report.second?.conformanceLevel)
 * ```
 */
export async function certifyPair(
  first: string,
  second: string,
  options: PairOptions = {},
): Promise<ConformanceReport> {
  const {
    bearer,
    apiKey,
    headers,
    bearerB,
    tokens,
    behaviours,
    tenant,
    skills,
    tls,
    second: own,
    baseline = [],
    ...common
  } = options
  const shared = { ...common, ...selectionOf(common) }
  const credentials = await withToken(defined({ bearer, apiKey, headers, bearerB, tokens }))
  const ofFirst = { ...shared, ...credentials, ...defined({ behaviours, tenant, skills, tls }) }
  const ofSecond = { ...shared, ...own, ...(tls === undefined ? {} : { tls: withoutCertificate(tls) }) }
  const { report, circumstances } = await judgeAgent(first, ofFirst)
  const { report: other, circumstances: otherwise } = await judgeAgent(second, ofSecond)
  report.second = other
  for (const result of resultsOf(report)) result.agent = 'first'
  for (const result of resultsOf(other)) result.agent = 'second'

  const selected = selectedPairChecks(options)
  const turns = [turnsLeft(options, report), turnsLeft(options, other)] as const
  const { results: pair, end } = await judgePair([first, second], [ofFirst, ofSecond], selected, turns)
  report.provenance.turns.used += turns[0].used
  other.provenance.turns.used += turns[1].used
  if (end !== undefined && report.complete) {
    report.complete = false
    report.incompleteReason = end.reason
  }
  for (const result of pair) options.listener?.onResult?.(result)
  report.categories.interop.push(...pair)
  report.findings.push(...groupFindings([], pair))

  const isWhole = report.complete && other.complete && [...(options.only ?? []), ...(options.skip ?? [])].length === 0
  const { stale } = applyBaseline([...resultsOf(report), ...resultsOf(other)], baseline, isWhole)
  if (stale.length > 0) report.staleBaseline = stale
  const ends = [
    recount(report, { ...circumstances, end: circumstances.end ?? end, stale: stale.length }),
    recount(other, otherwise),
  ]
  report.exitCode = ends.find((code) => code !== EXIT.ok && code !== EXIT.inconclusive) ?? Math.min(...ends)
  return report
}

/** What the agent may still be asked to do after it was judged by itself. */
function turnsLeft(options: CertifyOptions, { provenance }: ConformanceReport): Turns {
  const max = maxTurnsOf(options)
  return new Turns(max === undefined ? {} : { max: Math.max(0, max - provenance.turns.used), allowed: max })
}

async function judgePair(
  targets: readonly [string, string],
  options: readonly [CertifyOptions, CertifyOptions],
  checks: readonly PairCheck[],
  turns: readonly [Turns, Turns],
): Promise<{ results: ConformanceResult[]; end: RunEnd | undefined }> {
  const [{ timeoutMs = DEFAULT_TIMEOUT_MS, deadlineMs = DEFAULT_DEADLINE_MS, tls, signal: given }] = options
  const deadline = AbortSignal.timeout(deadlineMs)
  const signal = given === undefined ? deadline : AbortSignal.any([given, deadline])
  const clients = options.map((each) => judgeClient(timeoutMs, each)) as [HttpClient, HttpClient]
  const redactor = new Redactor(options.flatMap(secretsOf))
  const results: ConformanceResult[] = []
  try {
    const first = await openPairAgent('first', targets[0], options[0], clients[0], signal, turns[0])
    const second = await openPairAgent('second', targets[1], options[1], clients[1], signal, turns[1])
    for (const check of checks) {
      const ways =
        check.direction === 'both'
          ? [[first, second] as const]
          : ([
              [first, second],
              [second, first],
            ] as const)
      for (const [from, to] of ways) {
        const outcome = await judgeWay(check, from, to, signal, options[0])
        results.push(
          asResult(check, from, to, outcome, {
            targets: [redactor.url(targets[0]), redactor.url(targets[1])],
            redactor,
            tls,
            strict: options[0].strict === true,
          }),
        )
      }
    }
  } finally {
    for (const client of clients) client.close()
  }
  return { results, end: endOfRun({ user: given, deadline }) }
}

async function judgeWay(
  check: PairCheck,
  from: PairAgent,
  to: PairAgent,
  signal: AbortSignal,
  options: CertifyOptions,
): Promise<Outcome> {
  const nothing = { verdict: 'not-measured', notes: [], exchanges: [], durationMs: 0 } as const
  if (check.writes && options.sideEffects === 'none') {
    const message = 'it would change the state of the agents'
    return { ...nothing, notes: [], message, wouldNeed: '--side-effects all' }
  }
  const [ours, theirs] = [from.facts.surfaces[0], to.facts.surfaces[0]]
  if (ours === undefined || theirs === undefined) {
    const silent = ours === undefined ? from : to
    const message = `the ${silent.name} agent cannot be used: ${silent.diagnosis?.message ?? 'no interface answers'}`
    return { ...nothing, notes: [], message, wouldNeed: `a ${silent.name} agent that can be reached` }
  }
  const started = performance.now()
  const limit = AbortSignal.any([signal, AbortSignal.timeout(from.run.timeoutMs * 4)])
  const sides = [new PairMember(from, ours, limit), new PairMember(to, theirs, limit)] as const
  const [acting, other] = sides
  const remarks = remarksOf(sides)
  const outcome = await outcomeOf(() => check.body({ from: acting, to: other }), check.level, remarks, signal)
  for (const probe of sides.flatMap(({ probes }) => probes)) await probe.end()
  return { ...outcome, durationMs: Math.round(performance.now() - started) }
}

/** What the probes of both sides noted, read when the body has ended. */
function remarksOf(sides: readonly PairMember[]) {
  const probes = () => sides.flatMap((side) => side.probes)
  return {
    get warnings() {
      return probes().flatMap((probe) => probe.warnings)
    },
    get notes() {
      return probes().flatMap((probe) => probe.notes)
    },
    get claims() {
      return probes().reduce((sum, probe) => sum + probe.claims, 0)
    },
    get exchanges() {
      const all = probes().flatMap((probe) => probe.exchanges)
      return all.sort((a, b) => a.startedAt.localeCompare(b.startedAt))
    },
  }
}

interface ResultOptions {
  targets: readonly [string, string]
  redactor: Redactor
  tls: CertifyOptions['tls']
  strict: boolean
}

function asResult(
  check: PairCheck,
  from: PairAgent,
  to: PairAgent,
  outcome: Outcome,
  options: ResultOptions,
): ConformanceResult {
  const { redactor, tls, strict, targets } = options
  const { id, title, level, fix, sections, statement } = check
  const key = check.direction === 'both' ? id : `${id}@${from.name}-to-${to.name}`
  const judged = { check: { id, title, category: 'interop', meta: { fix } }, level, key, rows: [] } as const
  const place = { generation: undefined, binding: undefined }
  const result = resultOf({ ...judged, ...place }, outcome, {
    target: targets[0],
    strict,
    redactor,
    tls,
    cardExchange: to.facts.cardExchange,
  })
  result.agent = 'pair'
  result.sections = [...sections]
  result.requirement = statement
  if (result.reproduction !== undefined) {
    result.reproduction.parley = `parley test ${targets.map(shellWord).join(' --second ')} --only ${id}`
  }
  return result
}

/** The baseline may have excused results after they were counted. */
function recount(report: ConformanceReport, circumstances: Circumstances): number {
  const results = resultsOf(report)
  const isOpen = new Set(
    results.filter(({ verdict }) => verdict === 'fail' || verdict === 'warn').map(({ key }) => key),
  )
  report.summary = summarise(results)
  report.verdicts = countVerdicts(results)
  report.findings = report.findings.flatMap((group) => {
    const tests = group.tests.filter((key) => isOpen.has(key))
    return tests.length === 0 ? [] : [{ ...group, tests }]
  })
  report.exitCode = exitCodeOf(results, circumstances)
  return report.exitCode
}

/** --only and --skip without what they say about the pair; nothing but the pair leaves no check for each agent. */
function selectionOf({ only = [], skip = [], checks = allChecks() }: CertifyOptions): CertifyOptions {
  const isAboutPair = (wanted: string) => PAIR_CHECKS.some((check) => isNamedBy(check, wanted))
  const own = only.filter((wanted) => !isAboutPair(wanted))
  const rest = { only: own, skip: skip.filter((wanted) => !isAboutPair(wanted)) }
  return only.length > 0 && own.length === 0 ? { ...rest, checks: [] } : { ...rest, checks }
}

function selectedPairChecks({ only = [], skip = [] }: CertifyOptions): PairCheck[] {
  return PAIR_CHECKS.filter(
    (check) =>
      (only.length === 0 || only.some((wanted) => isNamedBy(check, wanted))) &&
      !skip.some((wanted) => isNamedBy(check, wanted)),
  )
}

function isNamedBy(check: PairCheck, wanted: string): boolean {
  return wanted === PAIR_AREA || wanted.split('@')[0] === check.id
}

function defined<T extends object>(given: { [K in keyof T]: T[K] | undefined }): T {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as T
}
