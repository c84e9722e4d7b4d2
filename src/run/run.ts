// One run of any kind (checks, suites, cases, clients, a matrix): what it was, what it found, how it ended. The same
// members travel as the lines of a run record and are what every report format reads.

import type {
  Category,
  ConformanceLevel,
  ConformanceResult,
  Coverage,
  Diagnosis,
  FindingGroup,
  IdentifiedAgent,
  JudgedInterface,
  Score,
  Summary,
  Verdict,
} from '../judge/runner/result.ts'

/** The version of the record; a reader refuses newer ones and ignores members it does not know. */
export const RECORD_VERSION = 1

export type RunKind = 'checks' | 'suites' | 'cases' | 'clients' | 'matrix' | 'fleet'

/** `skip`: left out on purpose by whoever wrote the test. */
export type RunVerdict = Verdict | 'skip'

export interface RunHeader {
  schemaVersion: typeof RECORD_VERSION
  kind: RunKind
  /** Unique to this run. */
  id: string
  startedAt: string
  parleyVersion: string
  /** What it ran on: `node 24.1.0 linux`. */
  runtime: string
  /** The names of the flags given; their values may be secret. */
  flags: string[]
  /** What was judged, as it was named: an address, a command. */
  target?: string
  /** The second of two agents. */
  second?: string
  /** The files of suites, cases or the matrix. */
  files?: string[]
  /** The revision of A2A 1.0 it was judged by. */
  specRevision?: string
  /** Only where it seeds something: the same seed repeats the run. */
  seed?: string
}

/** An agent that was found, as soon as its card was read. */
export interface RunAgent extends IdentifiedAgent {
  agent?: 'first' | 'second'
  interfaces: JudgedInterface[]
}

export interface RunStep {
  id: string
  verdict: RunVerdict
  durationMs: number
  failure?: RunFailure
}

export interface RunFailure {
  message: string
  stepId?: string
  expected?: string
  actual?: string
  path?: string
}

export interface RunDifference {
  /** Which turn of the conversation. */
  turn: string
  lines: { mark: '=' | '-' | '+'; expected?: string; actual?: string }[]
}

/** One result. The members of a check's result, and what only suites, cases or a matrix have. */
export interface RunResult extends Omit<ConformanceResult, 'category' | 'verdict' | 'version' | 'binding'> {
  verdict: RunVerdict
  version?: string
  binding?: string
  /** What reports gather it under: the category of a check, a suite, a file of cases, a pair of the matrix. */
  group: string
  /** Of checks only. */
  category?: Category
  /** File and line of the test. */
  source?: string
  /** The interface it was run on, where that is not the whole agent. */
  url?: string
  suite?: { id: string; name: string; actsVersion: string; specVersion: string }
  /** The step of a suite's test that failed, and where in its answer. */
  failedStep?: string
  path?: string
  /** Why it was left out, or could not be measured. */
  reason?: string
  steps?: RunStep[]
  /** Cases: streamed or waited for. */
  mode?: 'streaming' | 'blocking'
  problems?: { line: number; message: string }[]
  differences?: RunDifference[]
  /** Matrix: who talked to whom, and whose bytes are wrong. */
  pair?: { client: string; server: string; blame?: 'client' | 'server' | 'both' | 'harness' }
}

/** What a run says about one agent, client or set of files. */
export interface RunSubject {
  agentUrl?: string
  agentName?: string
  agentVersion?: string
  startedAt: string
  durationMs: number
  exitCode: number
  complete: boolean
  incompleteReason?: string
  summary: Summary
  verdicts: Partial<Record<RunVerdict, number>>
  conformanceLevel?: ConformanceLevel
  levelReasons: string[]
  score: Score[]
  coverage: Coverage[]
  findings: FindingGroup[]
  interfaces: JudgedInterface[]
  diagnosis?: Diagnosis
  staleBaseline?: string[]
  tasksCreated?: number
  turns?: { about: number; used: number }
  cardUrl?: string
  cardSha256?: string
}

/** `fail`: a requirement is broken; `inconclusive`: too little could be measured; `error`: ours. */
export type RunOutcome = 'pass' | 'fail' | 'inconclusive' | 'error'

export interface RunFooter extends RunSubject {
  verdict: RunOutcome
  /** The second of two agents; what the pair showed counts for the first. */
  second?: RunSubject
}

export interface Run {
  header: RunHeader
  agents: RunAgent[]
  /** In the order reports show them. */
  results: RunResult[]
  footer: RunFooter
}

/** Each agent of a run with its results; those of the pair stand with the first. */
export function subjectsOf({ footer, results }: Run): { subject: RunSubject; results: RunResult[] }[] {
  const { second } = footer
  const first = { subject: footer, results: results.filter(({ agent }) => agent !== 'second') }
  if (second === undefined) return [first]
  return [first, { subject: second, results: results.filter(({ agent }) => agent === 'second') }]
}
