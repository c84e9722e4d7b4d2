// A scenario: an agent that behaves in one particular way, what the user of the client wants from it, and what is
// claimed about the client. A claim proves rows of the register or cites the report that taught it.

import type { MaybePromise } from '../base/maybe-promise.ts'
import type { BindingId, DialectId } from '../dialects/dialect.ts'
import type { JsonObject } from '../model/json.ts'
import type { NoReply, Reply } from '../net/serve/reply.ts'
import type { Agent } from '../server/index.ts'
import type { Call } from './call.ts'
import type { Evidence } from './evidence.ts'
import type { Intent } from './intent.ts'
import type { Stage } from './stage.ts'

export type ClaimLevel = 'MUST' | 'SHOULD' | 'MAY'
export type ClaimTitle = `${ClaimLevel} ${string}`

export const AREAS = [
  'discovery',
  'choice',
  'requests',
  'conversation',
  'results',
  'streams',
  'endings',
  'errors',
  'versions',
  'security',
  'signatures',
  'push',
  'grpc',
] as const
export type Area = (typeof AREAS)[number]

export interface Claim {
  readonly id: string
  readonly title: ClaimTitle
  /** Rows of the register of 1.0. */
  readonly proves: readonly string[]
  /** Reports of real clients that got it wrong: `a2a-js #714`. */
  readonly cites?: readonly string[]
  /** What the author of a failing client should change. */
  readonly fix: string
  /** Holds for every request, whatever the agent does: recorded traffic is judged by it as well. */
  readonly isGeneral?: true
  /** Throws ClaimFailure when it does not hold, NotMeasured when there was nothing to see. */
  readonly judge: (evidence: Evidence) => void
}

export interface Surface {
  readonly version: DialectId
  readonly binding: BindingId
}

/** What the agent of a scenario does differently. Made anew for every run, so that it may remember what it did. */
export interface World {
  readonly agent?: Agent
  /** The card as it would be served, to be changed. */
  readonly card?: (card: JsonObject, stage: Stage) => JsonObject
  /** Where the card is found, unless at the well-known path below the URL. */
  readonly cardPaths?: readonly string[]
  /** Sees every call before the agent does, cards included; `next` is what would be answered. */
  readonly answer?: (
    call: Call,
    next: () => MaybePromise<Reply | NoReply>,
    stage: Stage,
  ) => MaybePromise<Reply | NoReply>
  /** Path of the URL that the client is given. */
  readonly path?: string
  /** The URL the client is given, when it is not where the agent lives. */
  readonly target?: (stage: Stage) => string
  /** Versions the agent understands, unless just the one under test. */
  readonly speaks?: readonly DialectId[]
  /** Bindings the agent understands, unless just the one under test. */
  readonly bindings?: readonly BindingId[]
  readonly push?: boolean
  /** The agent is served over TLS, with a certificate of an authority that the user trusts, or of one that nobody does. */
  readonly secured?: 'trusted' | 'untrusted'
}

export interface Scenario {
  readonly id: string
  readonly area: Area
  /** What the agent does, in one sentence. */
  readonly about: string
  /** On which versions and bindings; 1.0 over JSON-RPC when absent. */
  readonly on?: readonly Surface[]
  readonly intent: (stage: Stage) => MaybePromise<Intent>
  readonly world: (surface: Surface) => World
  readonly claims: readonly Claim[]
}

export const JSONRPC_1: readonly Surface[] = [{ version: '1.0', binding: 'jsonrpc' }]
export const HTTP_1: readonly Surface[] = [...JSONRPC_1, { version: '1.0', binding: 'rest' }]
export const GRPC_1: readonly Surface[] = [{ version: '1.0', binding: 'grpc' }]
export const GRPC: readonly Surface[] = [...GRPC_1, { version: '0.3', binding: 'grpc' }]
/** Every binding of 1.0. */
export const ALL_1: readonly Surface[] = [...HTTP_1, ...GRPC_1]
/** Where messages stand beside tasks: the newest two versions over every binding. */
export const SINCE_0_3: readonly Surface[] = [
  ...HTTP_1,
  { version: '0.3', binding: 'jsonrpc' },
  { version: '0.3', binding: 'rest' },
  ...GRPC,
]
export const EVERYWHERE: readonly Surface[] = [...SINCE_0_3, { version: '0.1', binding: 'jsonrpc' }]
/** What a client of today speaks. */
export const CURRENT: Surface['version'] = '1.0'

export function levelOf(title: ClaimTitle): ClaimLevel {
  return title.startsWith('MUST ') ? 'MUST' : title.startsWith('SHOULD ') ? 'SHOULD' : 'MAY'
}

export function surfaceKey({ version, binding }: Surface): string {
  return `${version}/${binding}`
}
