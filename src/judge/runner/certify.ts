// One run from beginning to end: triage, plan, execute, verdict. Progress goes to a listener as it happens, so that a
// run that is interrupted has lost nothing.

import type { JWK } from 'jose'
import { defined } from '../../base/defined.ts'
import { type BindingId, type DialectId, NEWEST_REVISION, type SpecRevision } from '../../dialects/dialect.ts'
import type { Reach } from '../../net/guard/reach.ts'
import type { TlsOptions } from '../../net/http-request.ts'
import type { Redactor } from '../../trace/redact.ts'
import { allChecks } from '../checks/all.ts'
import type { PlacedCheck } from '../checks/check.ts'
import { type BehaviourFile, type BehaviourSource, checkSkills } from '../probe/behaviours.ts'
import { Probe } from '../probe/probe.ts'
import type { RunContext } from '../probe/run-context.ts'
import { Said } from '../probe/said.ts'
import { Sequence } from '../probe/sequence.ts'
import { Spoiled } from '../probe/spoiled.ts'
import type { AgentFacts } from '../probe/surface.ts'
import { type Assembled, assembleReport } from './assemble-report.ts'
import type { BaselineEntry } from './baseline.ts'
import { type CredentialOptions, credentialsFor, withToken } from './credentials.ts'
import { deathDiagnosis } from './death.ts'
import { execute, type Outcome, unmeasured } from './execute.ts'
import { Grounds } from './grounds.ts'
import { identityOf } from './identity.ts'
import type { Conduct } from './judge-client.ts'
import { Observers } from './observers.ts'
import { observedOutcome, together } from './passive-outcome.ts'
import { type Case, checkSelection, plan } from './plan.ts'
import { maxTurnsOf, quickChecks } from './quick.ts'
import type { ConformanceReport, Diagnosis, JudgedInterface, RunListener } from './result.ts'
import { RunFrame } from './run-frame.ts'
import { RunResults } from './run-results.ts'
import { SameFault } from './same-fault.ts'
import { callerSecrets } from './secrets.ts'
import { type Triage, triage } from './triage.ts'
import { basicsFirst, estimateTurns, FIRST_WRITING_PHASE, withinTurns } from './turn-estimate.ts'

/** How to judge an agent; everything can be left out. */
export interface CertifyOptions extends CredentialOptions {
  /**
   * Only these bindings.
   * @default those the card declares
   */
  transports?: readonly BindingId[]
  /**
   * Only these generations.
   * @default those the card declares
   */
  versions?: readonly DialectId[]
  /**
   * The patch revision of 1.0 to judge by.
   * @default '1.0.1'
   */
  specRevision?: SpecRevision
  /**
   * Sent with every request.
   * @default that of each interface
   */
  tenant?: string
  /**
   * Milliseconds a task, and a call, may take.
   * @default 60_000
   */
  timeoutMs?: number
  /**
   * Milliseconds the whole run may take; what is known by then is reported, marked incomplete.
   * @default 15 * 60_000
   */
  deadlineMs?: number
  /**
   * Only these: ids of checks, areas, categories, requirements or sections.
   * @default all
   */
  only?: readonly string[]
  /**
   * All but these; named as in `only`.
   * @default []
   */
  skip?: readonly string[]
  /**
   * Use only the examples of these skills as prompts.
   * @default all
   */
  skills?: readonly string[]
  /**
   * Whether warnings fail the run too.
   * @default false
   */
  strict?: boolean
  /**
   * `none` judges without creating tasks.
   * @default 'all'
   */
  sideEffects?: 'none' | 'all'
  /** Prompts that make this agent slow, ask, fail …; what `readBehaviours` returns. */
  behaviours?: BehaviourFile
  /**
   * Known failures; they are reported as `known`. What `readBaseline` returns.
   * @default []
   */
  baseline?: readonly BaselineEntry[]
  /** Public keys for the signatures of the card, besides those the card's own origin publishes. */
  cardKeys?: readonly JWK[]
  /**
   * At most so many messages that make the agent work; checks beyond it are not measured.
   * @default no limit; 12 with `isQuick`
   */
  maxTurns?: number
  /**
   * Only the card, the mandatory and one check per capability, on the interface the card prefers; at most 12 turns.
   * @default false
   */
  isQuick?: boolean
  /**
   * Checks at a time; fewer for an agent that takes one turn at a time.
   * @default 8
   */
  concurrency?: number
  /** Which certificates to trust, and which one to show. */
  tls?: TlsOptions
  /** Which addresses may be called, the target included; any without it. */
  reach?: Reach
  /** Interrupts the run; what is known by then is reported, marked incomplete. */
  signal?: AbortSignal
  /** Told what happens while the run goes on. */
  listener?: RunListener
  /**
   * Other checks than those there are, for tests of the judge.
   *
   * @internal
   */
  checks?: readonly PlacedCheck[]
  /**
   * How the requests of the run behave, for whoever judges many agents.
   *
   * @internal
   */
  conduct?: Conduct
  /** The flags of the command line, for the provenance of the report. */
  flags?: readonly string[]
}

/**
 * Judges an agent from its card to its last stream, and reports what was found with the evidence.
 *
 * @example
 * ```ts
 * import { certify, resultsOf } from 'a2a-parley/judge'
 *
 * const report = await certify('http://localhost:3000', { isQuick: true })
 * const failed = resultsOf(report).filter(({ status }) => status === 'fail')
 * console.log(report.conformanceLevel, failed.length)
 * ```
 */
export async function certify(target: string, options: CertifyOptions = {}): Promise<ConformanceReport> {
  return (await judgeAgent(target, options)).report
}

/** The same for a caller that goes on counting. */
export async function judgeAgent(target: string, given: CertifyOptions = {}): Promise<Assembled> {
  // A typing mistake is told before anything is sent.
  checkSelection(given.checks ?? allChecks(), given)
  const options = await withToken(given)
  const frame = new RunFrame(target, options)
  try {
    const triaged = await triage(target, frame.wire, {
      timeoutMs: frame.timeoutMs,
      signal: frame.signal,
      credentials: options,
      hasCertificate: options.tls?.cert !== undefined,
      generations: options.versions ?? [],
      bindings: options.transports ?? [],
      ...defined({ tenant: options.tenant }),
    })
    // The others can wait until the run has time for them.
    if (options.isQuick === true) triaged.facts = { ...triaged.facts, surfaces: triaged.facts.surfaces.slice(0, 1) }
    // Whoever stopped the run also ended the question that was under way; that says nothing about the agent.
    const diagnosis = frame.signal.aborted ? undefined : redacted(triaged.diagnosis, frame.redactor)
    const interfaces = announce(triaged, diagnosis, frame, options)
    const { facts } = triaged
    const credentials = credentialsFor(facts.card, options)
    frame.found(facts, credentials.first)
    const planned = planRun(facts, credentials, options)
    frame.expect(planned.turns)
    const { results, run, keyOf } = await runPlan(planned, facts, credentials, frame, options)
    const { death, redactor } = frame
    return assembleReport({
      target: redactor.url(target),
      options,
      interfaces,
      triaged,
      ...planned,
      results,
      run,
      startedAt: frame.startedAt,
      durationMs: frame.elapsedMs,
      turns: { about: planned.turns, used: frame.turns.used },
      end: frame.end,
      diagnosis: death === undefined ? diagnosis : deathDiagnosis(death, { redactor, tls: options.tls, keyOf }),
      redactor,
    })
  } finally {
    frame.close()
  }
}

function announce(
  { facts, attempts, notes }: Triage,
  diagnosis: Diagnosis | undefined,
  { redactor }: RunFrame,
  { listener }: CertifyOptions,
): JudgedInterface[] {
  const interfaces = facts.surfaces.map(({ generation, binding, url }) => ({
    version: generation,
    binding,
    url: redactor.url(url),
  }))
  listener?.onTriage?.({
    attempts: attempts.map(({ url, outcome }) => ({ url: redactor.url(url), outcome: redactor.text(outcome) })),
    agent: identityOf(facts, redactor),
    interfaces,
    notes: notes.map((note) => redactor.text(note)),
    diagnosis,
  })
  return interfaces
}

interface Planned {
  cases: readonly Case[]
  /** How many checks would have run without --only and --skip. */
  leftOut: number
  behaviours: BehaviourSource
  /** Of the agent, about. */
  turns: number
}

function planRun(facts: AgentFacts, credentials: RunContext['credentials'], options: CertifyOptions): Planned {
  if (facts.card !== undefined) checkSkills(options.skills, facts.card)
  const behaviours = { named: options.behaviours ?? {}, card: facts.card, skills: options.skills }
  const { checks = allChecks(), only = [], skip = [], isQuick = false } = options
  const wanted = {
    sideEffects: options.sideEffects ?? 'all',
    behaviours,
    hasCredentials: credentials.first.length > 0 || options.tls?.cert !== undefined,
    hasSecondIdentity: credentials.second !== undefined,
  }
  const all = isQuick ? quickChecks(checks) : []
  const chosen = plan(checks, facts, { ...wanted, only: only.length > 0 ? only : all, skip })
  const isSelection = only.length > 0 || skip.length > 0
  const leftOut = isSelection ? unplanned(plan(checks, facts, { ...wanted, only: all, skip: [] }), chosen) : 0
  const max = maxTurnsOf(options)
  const cases = max === undefined ? chosen : withinTurns(chosen, max)
  const turns = Math.min(estimateTurns(cases), max ?? Number.POSITIVE_INFINITY)
  const writes = cases.some((item) => item.check.phase >= FIRST_WRITING_PHASE && item.skip === undefined)
  const total = cases.filter((item) => item.isGroundOnly !== true).length
  options.listener?.onPlan?.({ total, writes, turns })
  return { cases, leftOut, behaviours, turns }
}

async function runPlan(
  { cases, behaviours }: Planned,
  facts: AgentFacts,
  credentials: RunContext['credentials'],
  frame: RunFrame,
  options: CertifyOptions,
) {
  const tasksCreated = new Set<string>()
  const remembered = { spoiled: new Spoiled(tasksCreated), said: new Said(), sequence: new Sequence() }
  frame.secrets.push(...callerSecrets(credentials))
  const observers = new Observers(cases, { ...remembered, secrets: frame.secrets })
  const { collectors } = observers
  const grounds = new Grounds(cases, collectors)
  const run: RunContext = {
    agent: facts,
    wire: frame.wire,
    revision: options.specRevision ?? NEWEST_REVISION,
    signal: frame.signal,
    timeoutMs: frame.timeoutMs,
    behaviours,
    credentials,
    cardKeys: options.cardKeys ?? [],
    watch: (observation) => observers.look(observation),
    ledgerOf: (surface) => observers.ledgerOf(surface),
    brokenGround: (surface, ground) => grounds.broken(surface, ground),
    fixtures: new Map(),
    unusedIds: new Set(),
    ...remembered,
    kept: new Set(),
    tasksCreated,
  }
  const results = new RunResults(facts, frame, options)
  await warmUpSecondIdentity(run)
  const active = cases.filter((item) => item.check.body !== undefined)
  const sameFault = new SameFault(cases, collectors)
  const concurrency = () => frame.throughput.limit
  const parts = maxTurnsOf(options) === undefined ? [active] : basicsFirst(active)
  /** Of checks that watch besides: known at the end. */
  const half = new Map<string, Outcome>()
  const onOutcome = (item: Case, outcome: Outcome) =>
    void (collectors.has(item.key) ? half.set(item.key, outcome) : results.add(item, outcome))
  for (const part of parts)
    await execute(part, run, { concurrency, signal: frame.signal, grounds, sameFault, onOutcome })
  sameFault.share()
  for (const item of cases) {
    const collector = collectors.get(item.key)
    if (collector === undefined) continue
    const blocked = item.skip === undefined ? grounds.blocked(item) : undefined
    const outcome = together(half.get(item.key), observedOutcome(item, collector))
    results.add(item, blocked === undefined ? outcome : unmeasured(blocked))
  }
  return { run, results: results.inOrderOf(cases), keyOf: results.keyOf }
}

/** Agents slow down whoever fails to sign in, as some checks do; a caller they know by then is usually spared. */
async function warmUpSecondIdentity(run: RunContext): Promise<void> {
  if (run.credentials.second === undefined || run.signal.aborted) return
  for (const surface of run.agent.surfaces) {
    const t = new Probe(run, surface, run.signal)
    await t.call('getTask', { id: t.unusedId() }, { identity: 'second' })
    await t.end()
  }
}

/** How many cases of the whole plan would run, and are not in the chosen one. */
function unplanned(whole: readonly Case[], chosen: readonly Case[]): number {
  const keys = new Set(chosen.map(({ key }) => key))
  return whole.filter(({ key, skip }) => skip === undefined && !keys.has(key)).length
}

function redacted(diagnosis: Diagnosis | undefined, redactor: Redactor): Diagnosis | undefined {
  if (diagnosis === undefined) return undefined
  return { ...diagnosis, message: redactor.text(diagnosis.message), fix: redactor.text(diagnosis.fix) }
}
