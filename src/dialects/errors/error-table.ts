// Errors of a generation as data. A row says what an error is called on each binding; the codec in this folder is the
// only code that reads and writes them.

import type { A2AErrorKind } from '../../model/errors.ts'

/** google.rpc.Code by name. */
export const GRPC_CODES = {
  OK: 0,
  CANCELLED: 1,
  UNKNOWN: 2,
  INVALID_ARGUMENT: 3,
  DEADLINE_EXCEEDED: 4,
  NOT_FOUND: 5,
  ALREADY_EXISTS: 6,
  PERMISSION_DENIED: 7,
  RESOURCE_EXHAUSTED: 8,
  FAILED_PRECONDITION: 9,
  ABORTED: 10,
  OUT_OF_RANGE: 11,
  UNIMPLEMENTED: 12,
  INTERNAL: 13,
  UNAVAILABLE: 14,
  DATA_LOSS: 15,
  UNAUTHENTICATED: 16,
} as const

export type GrpcStatus = keyof typeof GRPC_CODES

const GRPC_NAMES = new Map<number, string>(Object.entries(GRPC_CODES).map(([name, code]) => [code, name]))

export function grpcStatusName(code: number): string {
  return GRPC_NAMES.get(code) ?? `status ${code}`
}

export interface ErrorRow {
  /** JSON-RPC code. */
  readonly code: number
  /** HTTP status of the REST binding. */
  readonly http: number
  readonly grpc: GrpcStatus
  /** ErrorInfo.reason, or the name the generation itself uses. */
  readonly reason: string
}

/** An error the model has no kind for: handled as its nearest kind, and said by its own name and numbers. */
export interface DeclaredError extends ErrorRow {
  readonly nearest: A2AErrorKind
}

/** How an error's facts lie on the wire: google.rpc details (1.0 §9.5), or one object of facts as 0.3 leaves free. */
export type ErrorForm = 'google-rpc' | 'facts' | 'named-facts'

export interface ErrorTable {
  readonly form: ErrorForm
  /** In the order in which a shared number is read: the first row that has it wins. */
  readonly rows: Readonly<Record<A2AErrorKind, ErrorRow>>
  /** By name, as `A2AErrorOptions.declaredAs` has it. */
  readonly declared?: Readonly<Record<string, DeclaredError>>
  /** Errors HTTP itself has words for: they keep their status under JSON-RPC, and their number says nothing. */
  readonly byHttpStatus: ReadonlySet<A2AErrorKind>
  /** Numbers that are understood and never written. */
  readonly furtherCodes?: ReadonlyMap<number, A2AErrorKind>
  /** Message texts the generation fixed, where a number has two meanings. */
  readonly fixedTexts?: ReadonlyMap<string, A2AErrorKind>
  /** Whether a status of `byHttpStatus` outweighs the number. */
  readonly statusOutweighsCode?: boolean
}

export function errorRow(code: number, http: number, grpc: GrpcStatus, reason: string): ErrorRow {
  return { code, http, grpc, reason }
}
