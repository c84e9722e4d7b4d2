// The two families of errors Parley itself raises. A2AError crosses the wire; its numbers live in the error tables
// of the dialects. ParleyError is for the person at the keyboard. (CheckFailure, about a peer, lives in judge/.)

import type { Issue } from './issue.ts'
import type { JsonObject } from './json.ts'

/** The names of the errors of A2A, whatever number a protocol version gives them. */
export type A2AErrorKind =
  // 1.0 §3.3.2
  | 'TaskNotFound'
  | 'TaskNotCancelable'
  | 'PushNotificationNotSupported'
  | 'UnsupportedOperation'
  | 'ContentTypeNotSupported'
  | 'InvalidAgentResponse'
  | 'ExtendedAgentCardNotConfigured'
  | 'ExtensionSupportRequired'
  | 'VersionNotSupported'
  // JSON-RPC 2.0 and its HTTP counterparts
  | 'ParseError'
  | 'InvalidRequest'
  | 'MethodNotFound'
  | 'InvalidParams'
  | 'InternalError'
  // Transport and capacity
  | 'Unauthenticated'
  | 'PermissionDenied'
  | 'ResourceExhausted'
  | 'Unavailable'
  // Only the `tasks/send` generation tells these apart
  | 'IllegalTransition'
  | 'InsecurePushUrl'

/** What an error says besides its message. */
export interface A2AErrorOptions {
  /** Extra facts for ErrorInfo.metadata: strings only, never secrets. */
  metadata?: { [name: string]: string }
  /** Field violations for BadRequest details. */
  issues?: readonly Issue[]
  /** Seconds after which a retry makes sense. */
  retryAfterSeconds?: number
  /** Overrides the HTTP status where HTTP itself has a better word: 400, 405, 413, 415. */
  httpStatus?: number
  /** Methods for the Allow header of a 405. */
  allow?: readonly string[]
  /** Value of WWW-Authenticate, with Unauthenticated. */
  challenge?: string
  /**
   * Name of an error that a generation declares beyond these kinds, of which `kind` is then the nearest: generations
   * that have the name write it, the others write the kind.
   */
  declaredAs?: string
  /** Details received from a peer, passed on unchanged. */
  details?: readonly JsonObject[]
  /** The error behind it, for logs; it does not travel. */
  cause?: unknown
}

/**
 * An error that crosses the wire: what an agent answered, or what it is to answer.
 *
 * @example
 * ```ts
 * import { A2AError, connect } from 'a2a-parley'
 *
 * using client = await connect('localhost:9999/spec')
 * try {
 *   await client.getTask({ id: 'no-such-task' })
 * } catch (error) {
 *   if (!(error instanceof A2AError && error.kind === 'TaskNotFound')) throw error
 *   console.log('There is no such task.')
 * }
 * ```
 */
export class A2AError extends Error {
  /** Always `A2AError`. */
  override readonly name = 'A2AError'
  /** Which error of A2A it is; the nearest one where a peer sent something else. */
  readonly kind: A2AErrorKind
  /** What it says besides its message. */
  readonly options: A2AErrorOptions

  constructor(kind: A2AErrorKind, message: string, options: A2AErrorOptions = {}) {
    super(message, { cause: options.cause })
    this.kind = kind
    this.options = options
  }

  /** What people call it: the name a generation declared, else the kind. */
  get label(): string {
    return this.options.declaredAs ?? this.kind
  }
}

/** Exit codes of the command line; see docs/command-line.md. */
export const EXIT = {
  ok: 0,
  failed: 1,
  usage: 2,
  unreachable: 3,
  unauthenticated: 4,
  timeout: 5,
  inconclusive: 10,
  staleBaseline: 11,
  agentStopped: 12,
  bug: 70,
  interrupted: 130,
} as const

/**
 * An error for the person at the keyboard: a code, a sentence that says what to do, an exit code.
 *
 * @example
 * ```ts
 * import { connect, ParleyError } from 'a2a-parley'
 *
 * try {
 *   using client = await connect('localhost:1')
 * } catch (error) {
 *   if (!(error instanceof ParleyError)) throw error
 *   console.error(error.message, error.hint ?? '')
 *   process.exitCode = error.exitCode
 * }
 * ```
 */
export class ParleyError extends Error {
  /** Always `ParleyError`. */
  override readonly name = 'ParleyError'
  /** Stable, for programs: 'agent-unreachable', 'port-in-use'. */
  readonly code: string
  /**
   * What the command line exits with when nothing catches it.
   * @default 1
   */
  readonly exitCode: number
  /** What to do about it, when the message does not already say so. */
  readonly hint: string | undefined

  constructor(code: string, message: string, options: { exitCode?: number; hint?: string; cause?: unknown } = {}) {
    super(message, { cause: options.cause })
    this.code = code
    this.exitCode = options.exitCode ?? EXIT.failed
    this.hint = options.hint
  }
}
