// What a run reports. The first members of ConformanceReport and ConformanceResult are a published shape that
// registries read; everything after them is ours and may grow.

import type { BindingId, DialectId, SpecRevision } from '../../dialects/dialect.ts'
import type { Transcript } from '../../trace/transcript.ts'
import type { Level } from '../register.ts'

/** What a check is about. */
export type Category = 'agent-card' | 'lifecycle' | 'streaming' | 'error-handling' | 'interop'

/** What came of a check. */
export type Verdict =
  | 'pass'
  | 'fail'
  | 'warn'
  | 'info'
  | 'spec-conflict'
  | 'not-applicable'
  | 'not-measured'
  | 'known'
  | 'harness-error'

/**
 * The four published levels, and two that say less: `at least minimal` is all that --quick can find out, and `not
 * determined` is what a run says that looked at too little of the agent. `levelReasons` say why.
 */
export type ConformanceLevel = 'full' | 'partial' | 'minimal' | 'non-conformant' | 'at least minimal' | 'not determined'

/** How to see the same again. */
export interface Reproduction {
  /** The command that runs this check alone. */
  parley: string
  /** The requests of the check, one command each. */
  curl: string[]
}

/** One check, what came of it, and the exchanges that prove it. */
export interface ConformanceResult {
  /** The id of the check. */
  test: string
  /** What the check is about. */
  category: Category
  /** The verdict in the three words of the published shape. */
  status: 'pass' | 'fail' | 'skip'
  /** What happened, in one sentence. */
  message?: string
  /** Milliseconds it took. */
  duration_ms?: number

  /** What the check asks, for people. */
  title: string
  /** How strongly the specification demands it. */
  level: Level
  /** What came of it. */
  verdict: Verdict
  /** The part of the agent it counts for in the score. */
  area?: string
  /** Unique in a report: `get-task-unknown@1.0/jsonrpc`. */
  key: string
  /** The generation it was judged in; absent for checks of the card alone. */
  version?: DialectId
  /** The binding it was judged on; absent where it does not matter. */
  binding?: BindingId
  /** Which of two agents, or both of them together, when two were judged. */
  agent?: 'first' | 'second' | 'pair'
  /** Sections of the specification it is about. */
  sections: string[]
  /** Rows of the register it proves. */
  requirements: string[]
  /** The requirement in our words. */
  requirement?: string
  /** What the specification asks for. */
  expected?: string
  /** What the agent did. */
  actual?: string
  /** JSON pointer to what is wrong in the answer. */
  pointer?: string
  /** Why a client cares. */
  why?: string
  /** What to change in the agent. */
  recommendation?: string
  /** Set when the run, not the agent, is why it was not measured. */
  notRun?: string
  /** How many turns of the agent it took, besides those that checks share. */
  turns?: number
  /** What a not-measured check would need. */
  wouldNeed?: string
  /** The key of the failed result a not-measured check stands on. */
  blockedBy?: string
  /** Keys of the results that are not measured because this one failed. */
  blocks?: string[]
  /** Observations that change no verdict by themselves. */
  notes?: string[]
  /** The exchanges that prove it. */
  transcript?: Transcript[]
  /** Commands that show it again. */
  reproduction?: Reproduction
}

/** The counts of a run. */
export interface Summary {
  /** All results. */
  total: number
  /** Results with the status `pass`. */
  passed: number
  /** Results with the status `fail`. */
  failed: number
  /** Results with the status `skip`. */
  skipped: number
}

/** Findings with one cause. */
export interface FindingGroup {
  /** What the results have in common: mostly the recommendation. */
  cause: string
  /** What to change in the agent. */
  recommendation: string
  /** The strongest demand among its results. */
  level: Level
  /** Keys of the results that fail or warn because of it. */
  tests: string[]
  /** Keys of the results that are not measured because of it. */
  blocks: string[]
}

/** How much of the register was looked at. */
export interface Coverage {
  /** The generation. */
  version: DialectId
  /** Server rows of the register that apply to the bindings judged. */
  rows: number
  /** Rows that were measured. */
  measured: number
  /** Mandatory rows among `rows`. */
  mustRows: number
  /** Mandatory rows that were measured. */
  mustMeasured: number
}

/** How an agent did in one area. */
export interface AreaScore {
  /** A part of the agent: card, messages, tasks … */
  area: string
  /** Mandatory requirements that hold. */
  mustKept: number
  /** Mandatory requirements that were measured. */
  mustMeasured: number
}

/** Of the MUST of a generation that were measured, how many the agent keeps; by area, which add up to the whole. */
export interface Score {
  /** The generation. */
  version: DialectId
  /** Mandatory requirements that hold. */
  mustKept: number
  /** Mandatory requirements that were measured. */
  mustMeasured: number
  /** The same for each part of the agent. */
  areas: AreaScore[]
}

/** What was judged, by which version, when and how. */
export interface Provenance {
  /** The version of this package. */
  parleyVersion: string
  /** The patch revision of 1.0 that was judged by. */
  specRevision: SpecRevision
  /** The flags of the command line. */
  flags: string[]
  /** Digest of the card as it was received, hexadecimal. */
  cardSha256?: string
  /** Where the card was found. */
  cardUrl?: string
  /** Tasks the run left at the agent. */
  tasksCreated: number
  /** Messages that made the agent work: how many were expected, and how many there were. */
  turns: {
    /** How many were expected. */
    about: number
    /** How many there were. */
    used: number
  }
  /** Milliseconds the run took. */
  durationMs: number
}

/** One cause behind several findings. */
export interface Diagnosis {
  /** Stable class: 'unreachable', 'not-a-card', 'wrong-dialect', 'unauthenticated', 'timeout', … */
  code: string
  /** What is wrong, in one sentence. */
  message: string
  /** What to do about it. */
  fix: string
  /** What `parley test` exits with. */
  exitCode: number
  /** The request it is about, where there is one. */
  curl?: string
  /** The exchange that shows it. */
  transcript?: Transcript
  /** Other requests that could be the reason as well. */
  suspects?: {
    /** The request, in brief. */
    request: string
    /** The command that sends it again. */
    curl: string
  }[]
}

/** An interface of the card, and whether it was judged. */
export interface JudgedInterface {
  /** The generation spoken there. */
  version: DialectId
  /** The binding spoken there. */
  binding: BindingId
  /** Its address. */
  url: string
}

/** Who an agent says it is, as far as its card could be read. */
export interface IdentifiedAgent {
  /** The address as it was given. */
  url: string
  /** From the card. */
  name: string
  /** From the card. */
  version: string
  /** Where the card was found. */
  cardUrl?: string
  /** Digest of the card as it was received, hexadecimal. */
  cardSha256?: string
}

/** What a run found about an agent, as `--format json` prints it. */
export interface ConformanceReport {
  /** The address as it was given. */
  agentUrl: string
  /** From the card; `(unknown)` where it does not say. */
  agentName: string
  /** From the card; `(unknown)` where it does not say. */
  agentVersion: string
  /** When the run began; ISO 8601, UTC. */
  testDate: string
  /** How many checks passed, failed and were skipped. */
  summary: Summary
  /** Every result, by what its check is about. */
  categories: {
    /** Checks about the card. */
    agentCard: ConformanceResult[]
    /** Checks about tasks from their beginning to their end. */
    lifecycle: ConformanceResult[]
    /** Checks about streams. */
    streaming: ConformanceResult[]
    /** Checks about refusals. */
    errorHandling: ConformanceResult[]
    /** Checks about everything else that peers rely on. */
    interop: ConformanceResult[]
  }
  /** The verdict in one word. */
  conformanceLevel: ConformanceLevel

  /** The version of this shape. */
  schemaVersion: 1
  /** How many results there are of each verdict. */
  verdicts: Record<Verdict, number>
  /** Why the level is not higher, one sentence each. */
  levelReasons: string[]
  /** What `parley test` exits with. */
  exitCode: number
  /** False when the run was interrupted or ran into its deadline. */
  complete: boolean
  /** Why the run ended early. */
  incompleteReason?: string
  /** What keeps the agent from being judged at all, or stopped the run. */
  diagnosis?: Diagnosis
  /** What was judged. */
  interfaces: JudgedInterface[]
  /** What to fix, the most important first. */
  findings: FindingGroup[]
  /** How much of each generation was measured. */
  coverage: Coverage[]
  /** How much of what was measured holds, per generation. */
  score: Score[]
  /** Entries of the baseline that passed: to be removed from it. */
  staleBaseline?: string[]
  /** How the report came about. */
  provenance: Provenance
  /** The second agent's own report, when two were judged. */
  second?: ConformanceReport
}

/** What a reporter may want to hear while the run goes on. */
export interface RunListener {
  /** The addresses tried for the card, what will be judged, and what is odd about it. */
  onTriage?(found: {
    attempts: readonly { url: string; outcome: string }[]
    agent: IdentifiedAgent
    interfaces: readonly JudgedInterface[]
    notes: readonly string[]
    diagnosis: Diagnosis | undefined
  }): void
  /** `turns`: how many of the agent it will take, about. */
  onPlan?(planned: { total: number; writes: boolean; turns: number }): void
  /** Once, when the first turns have shown how long the run will take. */
  onPace?(pace: { turns: number; perTurnMs: number; isSerial: boolean; totalMs: number }): void
  /** A check has its result. */
  onResult?(result: ConformanceResult): void
  /** A request went out; what is returned is called when it has been answered or given up. */
  onCall?(call: { label: string; timeoutMs: number }): () => void
}

export type { Transcript }

const CATEGORY_MEMBER = {
  'agent-card': 'agentCard',
  lifecycle: 'lifecycle',
  streaming: 'streaming',
  'error-handling': 'errorHandling',
  interop: 'interop',
} as const

export function byCategory(results: readonly ConformanceResult[]): ConformanceReport['categories'] {
  const categories: ConformanceReport['categories'] = {
    agentCard: [],
    lifecycle: [],
    streaming: [],
    errorHandling: [],
    interop: [],
  }
  for (const result of results) categories[CATEGORY_MEMBER[result.category]].push(result)
  return categories
}

/**
 * All results of a report, in the order of its categories.
 *
 * @example
 * ```ts
 * import { certify, resultsOf } from 'a2a-parley/judge'
 *
 * const report = await certify('localhost:9999')
 * for (const { key, verdict, recommendation } of resultsOf(report))
 *   if (verdict === 'fail') console.log(key, recommendation)
 * ```
 */
export function resultsOf(report: ConformanceReport): ConformanceResult[] {
  return Object.values(report.categories).flat()
}

/** The published three-valued status of a verdict; warnings fail only under --strict. */
export function statusOf(verdict: Verdict, strict: boolean): ConformanceResult['status'] {
  switch (verdict) {
    case 'pass':
    case 'info':
      return 'pass'
    case 'fail':
      return 'fail'
    case 'warn':
      return strict ? 'fail' : 'pass'
    case 'spec-conflict':
    case 'not-applicable':
    case 'not-measured':
    case 'known':
    case 'harness-error':
      return 'skip'
  }
}

export function summarise(results: readonly Pick<ConformanceResult, 'status'>[]): Summary {
  const count = (status: ConformanceResult['status']) => results.filter((result) => result.status === status).length
  return { total: results.length, passed: count('pass'), failed: count('fail'), skipped: count('skip') }
}
