// Runs planned cases: several at a time where they do not disturb each other, each with a deadline, and turns every
// way a body can end into an outcome. Results come out in the order of the plan, however they finished.

import type { Exchange } from '../../trace/exchange.ts'
import { CheckFailure, type Finding, NotApplicable, NotMeasured, SpecConflict } from '../probe/check-failure.ts'
import { Probe } from '../probe/probe.ts'
import type { RunContext } from '../probe/run-context.ts'
import { FORGOTTEN } from '../probe/symptoms.ts'
import type { Level } from '../register.ts'
import { RUN_ENDED } from './end-of-run.ts'
import { type Blocked, Grounds } from './grounds.ts'
import type { Case } from './plan.ts'
import type { Verdict } from './result.ts'
import type { SameFault } from './same-fault.ts'

export interface Outcome {
  verdict: Verdict
  message?: string
  finding?: Finding
  wouldNeed?: string
  /** Set when the run, not the agent, is why it was not measured. */
  notRun?: string
  /** The key of the failed result that keeps this one from being measured. */
  blockedBy?: string
  notes: string[]
  exchanges: readonly Exchange[]
  /** What went out to make something for all checks because of it. */
  prepared?: readonly (readonly Exchange[])[]
  /** What it has met that other checks meet as well. */
  symptoms?: readonly string[]
  durationMs: number
}

export interface ExecuteOptions {
  /** How many at a time, as things stand. */
  concurrency(): number
  /** Ends the whole run; cases not begun by then are not measured. */
  signal: AbortSignal
  grounds?: Grounds | undefined
  sameFault?: SameFault | undefined
  onOutcome(item: Case, outcome: Outcome): void
}

export async function execute(cases: readonly Case[], run: RunContext, options: ExecuteOptions): Promise<void> {
  // Outcomes are handed over and let go: their exchanges hold whole bodies.
  const { grounds = new Grounds() } = options
  const finish = (item: Case, outcome: Outcome) => {
    grounds.end(item, outcome)
    options.onOutcome(item, outcome)
  }
  const work = async (item: Case) => {
    await grounds.ready(item)
    const blocked = grounds.blocked(item)
    finish(item, blocked === undefined ? await runCase(item, run, options, grounds) : unmeasured(blocked))
  }
  const phases = Map.groupBy(cases, (item) => item.phase)
  for (const phase of [...phases.keys()].sort((a, b) => a - b)) {
    const active = (phases.get(phase) ?? []).filter((item) => {
      if (item.skip === undefined) return true
      finish(item, skipped(item.skip))
      return false
    })
    const [exclusive, together] = partition(active, (item) => item.exclusive === true)
    await inPool(together, options.concurrency, work)
    for (const item of exclusive) await work(item)
  }
}

async function runCase(item: Case, run: RunContext, options: ExecuteOptions, grounds: Grounds): Promise<Outcome> {
  const { signal } = options
  const { body } = item.check
  if (signal.aborted || body === undefined) return unrun()
  const started = performance.now()
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(run.timeoutMs * 2)])
  const t = new Probe(run, item.surface, deadline)
  let outcome = await outcomeOf(() => body(t), item.level, t, signal)
  try {
    await t.end()
  } catch (error) {
    outcome = { ...outcome, verdict: 'harness-error', message: `cleaning up failed: ${textOf(error)}` }
  }
  if (isPurged(item, outcome)) outcome = purged(outcome)
  if (TELLING.has(outcome.verdict)) {
    const explained = grounds.explained(item) ?? options.sameFault?.explained(item, outcome)
    options.sameFault?.tell(item, outcome, explained)
    if (explained !== undefined) outcome = unmeasured(explained, outcome)
  }
  outcome.durationMs = Math.round(performance.now() - started)
  return outcome
}

/** An agent may purge what has ended; whether tasks can be read to their end at all is shown by the grounds. */
function isPurged({ check }: Case, { verdict, symptoms = [] }: Outcome): boolean {
  return TELLING.has(verdict) && check.meta.groundOf === undefined && symptoms.includes(FORGOTTEN)
}

function purged({ message = '', notes, exchanges }: Outcome): Outcome {
  return {
    ...{
      verdict: 'not-measured',
      message: `a task that has ended is no longer found: ${message}`,
      notes,
      exchanges,
    },
    wouldNeed: 'an agent that keeps finished tasks for the time of the run',
    durationMs: 0,
  }
}

/** Verdicts that hold something against the agent. */
const TELLING: ReadonlySet<Verdict> = new Set(['fail', 'warn', 'info', 'spec-conflict'])

/** How a result that another one tells says what it found itself. */
export const SEEN_INSTEAD = 'consequence: '

/** `instead` is what it found, when a cause was found for that. */
export function unmeasured({ message, blockedBy }: Blocked, instead?: Pick<Outcome, 'message'>): Outcome {
  const notes = instead?.message === undefined ? [] : [`${SEEN_INSTEAD}${instead.message}`]
  return { verdict: 'not-measured', message, blockedBy, notes, exchanges: [], durationMs: 0 }
}

/** What a body said besides its verdict. */
export type Remarks = Pick<Probe, 'warnings' | 'notes' | 'exchanges' | 'claims'> &
  Partial<Pick<Probe, 'symptoms' | 'prepared'>>

/** Runs a body and turns the way it ends into an outcome. */
export async function outcomeOf(
  body: () => Promise<void>,
  level: Level,
  t: Remarks,
  signal: AbortSignal,
): Promise<Outcome> {
  let outcome: Outcome
  try {
    await body()
    outcome = passed(t)
  } catch (error) {
    outcome = refused(error, level, t, signal)
  }
  outcome.notes.push(...repetitions(t.exchanges))
  if (t.prepared !== undefined && t.prepared.length > 0) outcome.prepared = t.prepared
  if (t.symptoms !== undefined && t.symptoms.length > 0) outcome.symptoms = t.symptoms
  return outcome
}

/** A request that went out twice is part of the evidence, whatever came of it. */
function repetitions(exchanges: readonly Exchange[]): string[] {
  return exchanges.flatMap(({ request, repeated }) =>
    repeated === undefined ? [] : [`${request.method} ${request.url} was sent again: ${repeated}`],
  )
}

/** A body that claimed nothing about what the agent sent has seen nothing, and nothing can be said. */
function passed(t: Remarks): Outcome {
  const { warnings, notes, exchanges, claims } = t
  if (claims === 0)
    return { verdict: 'not-measured', message: SAW_NOTHING, notes: [...notes], exchanges, durationMs: 0 }
  const [first] = warnings
  const verdict = first === undefined ? 'pass' : 'warn'
  const outcome: Outcome = { verdict, notes: [...warnings.slice(1), ...notes], exchanges, durationMs: 0 }
  if (first !== undefined) outcome.message = first
  return outcome
}

const SAW_NOTHING = 'the agent sent nothing that this check could examine'

const VERDICT_OF_LEVEL = { MUST: 'fail', SHOULD: 'warn', MAY: 'info' } as const

function refused(error: unknown, level: Level, t: Remarks, signal: AbortSignal): Outcome {
  const common = { notes: [...t.warnings, ...t.notes], exchanges: t.exchanges, durationMs: 0 }
  if (signal.aborted)
    return { ...common, verdict: 'not-measured', message: 'the run ended before this check did', notRun: RUN_ENDED }
  if (error instanceof CheckFailure) {
    const { finding } = error
    return { ...common, verdict: VERDICT_OF_LEVEL[level], message: finding.message, finding }
  }
  if (error instanceof NotMeasured) {
    const outcome: Outcome = { ...common, verdict: 'not-measured', message: error.message }
    if (error.wouldNeed !== undefined) outcome.wouldNeed = error.wouldNeed
    if (error.blockedBy !== undefined) outcome.blockedBy = error.blockedBy
    if (error.notRun !== undefined) outcome.notRun = error.notRun
    return outcome
  }
  if (error instanceof NotApplicable) return { ...common, verdict: 'not-applicable', message: error.message }
  if (error instanceof SpecConflict) return { ...common, verdict: 'spec-conflict', message: error.message }
  return { ...common, verdict: 'harness-error', message: textOf(error) }
}

function unrun(): Outcome {
  const nothing = { notes: [], exchanges: [], durationMs: 0 }
  return { verdict: 'not-measured', message: RUN_ENDED, notRun: RUN_ENDED, ...nothing }
}

export function skipped(skip: NonNullable<Case['skip']>): Outcome {
  const outcome: Outcome = { verdict: skip.verdict, message: skip.reason, notes: [], exchanges: [], durationMs: 0 }
  if (skip.wouldNeed !== undefined) outcome.wouldNeed = skip.wouldNeed
  if (skip.notRun !== undefined) outcome.notRun = skip.notRun
  return outcome
}

/** In the order given; whoever is one too many stops after what it is doing. The first never does. */
async function inPool<T>(items: readonly T[], size: () => number, work: (item: T) => Promise<void>): Promise<void> {
  const queue = [...items]
  const workers = Array.from({ length: Math.min(size(), items.length) }, async (_, at) => {
    while (at === 0 || at < size()) {
      const item = queue.shift()
      if (item === undefined) return
      await work(item)
    }
  })
  await Promise.all(workers)
}

function partition<T>(items: readonly T[], fits: (item: T) => boolean): [T[], T[]] {
  return [items.filter(fits), items.filter((item) => !fits(item))]
}

function textOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}
