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
  parley: string
  curl: string[]
}

/** One check, what came of it, and the exchanges that prove it. */
export interface ConformanceResult {
  test: string
  category: Category
  status: 'pass' | 'fail' | 'skip'
  message?: string
  duration_ms?: number

  title: string
  level: Level
  verdict: Verdict
  /** The part of the agent it counts for in the score. */
  area?: string
  /** Unique in a report: `get-task-unknown@1.0/jsonrpc`. */
  key: string
  version?: DialectId
  binding?: BindingId
  /** Which of two agents, or both of them together, when two were judged. */
  agent?: 'first' | 'second' | 'pair'
  sections: string[]
  requirements: string[]
  /** The requirement in our words. */
  requirement?: string
  expected?: string
  actual?: string
  pointer?: string
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
  transcript?: Transcript[]
  reproduction?: Reproduction
}

/** The counts of a run. */
export interface Summary {
  total: number
  passed: number
  failed: number
  skipped: number
}

/** Findings with one cause. */
export interface FindingGroup {
  /** What the results have in common: mostly the recommendation. */
  cause: string
  recommendation: string
  level: Level
  /** Keys of the results that fail or warn because of it. */
  tests: string[]
  /** Keys of the results that are not measured because of it. */
  blocks: string[]
}

/** How much of the register was looked at. */
export interface Coverage {
  version: DialectId
  /** Server rows of the register that apply to the bindings judged. */
  rows: number
  measured: number
  mustRows: number
  mustMeasured: number
}

/** How an agent did in one area. */
export interface AreaScore {
  area: string
  mustKept: number
  mustMeasured: number
}

/** Of the MUST of a generation that were measured, how many the agent keeps; by area, which add up to the whole. */
export interface Score {
  version: DialectId
  mustKept: number
  mustMeasured: number
  areas: AreaScore[]
}

/** What was judged, by which version, when and how. */
export interface Provenance {
  parleyVersion: string
  specRevision: SpecRevision
  flags: string[]
  cardSha256?: string
  cardUrl?: string
  tasksCreated: number
  /** Messages that made the agent work: how many were expected, and how many there were. */
  turns: { about: number; used: number }
  durationMs: number
}

/** One cause behind several findings. */
export interface Diagnosis {
  /** Stable class: 'unreachable', 'not-a-card', 'wrong-dialect', 'unauthenticated', 'timeout', … */
  code: string
  message: string
  fix: string
  exitCode: number
  /** The request it is about, where there is one. */
  curl?: string
  transcript?: Transcript
  /** Other requests that could be the reason as well. */
  suspects?: { request: string; curl: string }[]
}

/** An interface of the card, and whether it was judged. */
export interface JudgedInterface {
  version: DialectId
  binding: BindingId
  url: string
}

/** Who an agent says it is, as far as its card could be read. */
export interface IdentifiedAgent {
  url: string
  name: string
  version: string
  cardUrl?: string
  cardSha256?: string
}

/** What a run found about an agent, as `--format json` prints it. */
export interface ConformanceReport {
  agentUrl: string
  agentName: string
  agentVersion: string
  testDate: string
  summary: Summary
  categories: {
    agentCard: ConformanceResult[]
    lifecycle: ConformanceResult[]
    streaming: ConformanceResult[]
    errorHandling: ConformanceResult[]
    interop: ConformanceResult[]
  }
  conformanceLevel: ConformanceLevel

  schemaVersion: 1
  verdicts: Record<Verdict, number>
  levelReasons: string[]
  exitCode: number
  /** False when the run was interrupted or ran into its deadline. */
  complete: boolean
  incompleteReason?: string
  diagnosis?: Diagnosis
  interfaces: JudgedInterface[]
  findings: FindingGroup[]
  coverage: Coverage[]
  score: Score[]
  staleBaseline?: string[]
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

/** All results of a report, in the order of its categories. */
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
