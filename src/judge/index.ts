// `a2a-parley/judge`: certify an agent from a program. Everything exported here is public API.

export type { Behaviour, BehaviourFile, Prompt } from './probe/behaviours.ts'
export type { BaselineEntry } from './runner/baseline.ts'
export { readBaseline } from './runner/baseline.ts'
export { type CertifyOptions, certify, type RunListener } from './runner/certify.ts'
export type {
  Category,
  ConformanceLevel,
  ConformanceReport,
  ConformanceResult,
  Diagnosis,
  Verdict,
} from './runner/result.ts'
export { resultsOf } from './runner/result.ts'
