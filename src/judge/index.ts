// `a2a-parley/judge`: certify an agent from a program. Everything exported here is public API.

export type { TokenSource } from '../auth/session-tokens.ts'
export type { TokenFunction, TokenProvider } from '../auth/token-provider.ts'
export type { MaybePromise } from '../base/maybe-promise.ts'
export type { BindingId, DialectId, SpecRevision } from '../dialects/dialect.ts'
export type { Reach } from '../net/guard/reach.ts'
export type { TlsOptions } from '../net/http-request.ts'
export type { GrpcTranscript, HttpTranscript, Timed, Transcript, TranscriptFrame } from '../trace/transcript.ts'
export { certifyPair, type PairOptions } from './pair/certify-pair.ts'
export type { Behaviour, BehaviourFile, Prompt } from './probe/behaviours.ts'
export type { Level } from './register.ts'
export type { BaselineEntry } from './runner/baseline.ts'
export { readBaseline } from './runner/baseline.ts'
export { readBehaviours } from './runner/behaviour-file.ts'
export { type CertifyOptions, certify } from './runner/certify.ts'
export type { CredentialOptions } from './runner/credentials.ts'
export type {
  AreaScore,
  Category,
  ConformanceLevel,
  ConformanceReport,
  ConformanceResult,
  Coverage,
  Diagnosis,
  FindingGroup,
  IdentifiedAgent,
  JudgedInterface,
  Provenance,
  Reproduction,
  RunListener,
  Score,
  Summary,
  Verdict,
} from './runner/result.ts'
export { resultsOf } from './runner/result.ts'
export { readCardKeys } from './signatures/card-keys.ts'
