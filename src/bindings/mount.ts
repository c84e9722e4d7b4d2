// What the serving half of a binding is given about the place it serves: the service, the policy, the limits.

import type { Dialect, SpecRevision } from '../dialects/dialect.ts'
import type { A2AError } from '../model/errors.ts'
import type { Limits } from '../net/limits.ts'
import type { Service } from './service.ts'

/** The facts from which the generation of a request follows. */
export interface RequestFacts {
  /** A2A-Version from header or query; undefined when absent, '' when empty. */
  version: string | undefined
  /** JSON-RPC method; undefined for REST. */
  method: string | undefined
  /** The path below the mount began with /v1. */
  hasV1Prefix: boolean
}

export interface BindingMount {
  readonly service: Service
  /** The generations it speaks, that of the card first. */
  readonly dialects: readonly Dialect[]
  readonly revision: SpecRevision
  /** Errors are never the event of a stream. */
  readonly plainErrors: boolean
  readonly limits: Limits
  /** Paths below the mount where JSON-RPC is answered too. */
  readonly rpcPaths: readonly string[]
  select(facts: RequestFacts): Dialect | A2AError
  /** The generation of the card, in which errors are told when the request names none. */
  readonly fallback: Dialect
  /** Of the extensions a client asked for, those the agent declares. */
  activated(requested: readonly string[]): readonly string[]
  /** For the operator's counters: a request was answered with this error. */
  onRefusal(error: A2AError): void
  /** For the operator's log: an internal failure. */
  onInternalError(error: unknown): void
}

/** What is known about a call before its body is read. */
export interface CallerFacts {
  readonly subject: string
  /** The only tenant the caller may speak for; '' when the credentials do not say. */
  readonly tenant: string
  /** When the credentials end; open streams end with them. */
  readonly expiresAtMs?: number
  /** The path below the mount. */
  readonly path: string
  readonly query: URLSearchParams | undefined
}
