// `a2a-parley/judge`: certify an agent from a program. Everything exported here is public API.

export { certifyPair, type PairOptions } from './pair/certify-pair.ts'
export type { Behaviour, BehaviourFile, Prompt } from './probe/behaviours.ts'
export type { BaselineEntry } from './runner/baseline.ts'
export { readBaseline } from './runner/baseline.ts'
export { readBehaviours } from './runner/behaviour-file.ts'
export { type CertifyOptions, certify } from './runner/certify.ts'
export type {
  Category,
  ConformanceLevel,
  ConformanceReport,
  ConformanceResult,
  Diagnosis,
  RunListener,
  Verdict,
} from './runner/result.ts'
export { resultsOf } from './runner/result.ts'
export { readCardKeys } from './signatures/card-keys.ts'
