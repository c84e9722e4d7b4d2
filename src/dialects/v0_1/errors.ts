// Errors of the `tasks/send` generation. Its numbers were used in two ways: the 0.1.0 schema fixed a message text per
// number, and deployed agents gave -32003 and -32004 other meanings, which are the ones written here. Ours say the
// meaning in `data.reason`, too.

import { A2AError, type A2AErrorKind } from '../../model/errors.ts'
import { isJsonObject, type JsonObject } from '../../model/json.ts'
import type { ErrorCodec, WireError } from '../dialect.ts'

const CODES: Readonly<Record<A2AErrorKind, number>> = {
  TaskNotFound: -32001,
  TaskNotCancelable: -32002,
  IllegalTransition: -32002,
  ResourceExhausted: -32003,
  PushNotificationNotSupported: -32003,
  InsecurePushUrl: -32004,
  UnsupportedOperation: -32004,
  ExtendedAgentCardNotConfigured: -32004,
  ExtensionSupportRequired: -32004,
  VersionNotSupported: -32004,
  ContentTypeNotSupported: -32005,
  InvalidAgentResponse: -32603,
  ParseError: -32700,
  InvalidRequest: -32600,
  MethodNotFound: -32601,
  InvalidParams: -32602,
  InternalError: -32603,
  Unauthenticated: -32000,
  PermissionDenied: -32000,
  Unavailable: -32000,
}

/** What a number means when nothing else says so; from -32006 on as the text of 0.1.0 has it. */
const KINDS: ReadonlyMap<number | undefined, A2AErrorKind> = new Map([
  [-32001, 'TaskNotFound'],
  [-32002, 'TaskNotCancelable'],
  [-32003, 'ResourceExhausted'],
  [-32004, 'InsecurePushUrl'],
  [-32005, 'ContentTypeNotSupported'],
  [-32006, 'UnsupportedOperation'],
  [-32007, 'Unauthenticated'],
  [-32008, 'PermissionDenied'],
  [-32009, 'IllegalTransition'],
  [-32010, 'ResourceExhausted'],
  [-32011, 'Unavailable'],
  [-32700, 'ParseError'],
  [-32600, 'InvalidRequest'],
  [-32601, 'MethodNotFound'],
  [-32602, 'InvalidParams'],
  [-32603, 'InternalError'],
])

/** The texts the schema of 0.1.0 fixed for the two numbers with a second meaning. */
const FIXED_TEXTS: ReadonlyMap<string, A2AErrorKind> = new Map([
  ['Push Notification is not supported', 'PushNotificationNotSupported'],
  ['This operation is not supported', 'UnsupportedOperation'],
])

const HTTP_STATUS: ReadonlyMap<A2AErrorKind, number> = new Map([
  ['Unauthenticated', 401],
  ['PermissionDenied', 403],
  ['Unavailable', 503],
])

export const errorCodec: ErrorCodec = {
  encodeJsonRpc: body,
  encodeRest: (error) => ({ status: HTTP_STATUS.get(error.kind) ?? 400, body: { error: body(error) } }),
  jsonRpcHttpStatus: (kind) => HTTP_STATUS.get(kind) ?? 200,
  decode(error) {
    const details = isJsonObject(error.data) ? { details: [error.data] } : {}
    return new A2AError(kindOf(error), error.message, details)
  },
}

function body(error: A2AError): JsonObject {
  const { details, metadata, issues, retryAfterSeconds } = error.options
  const data: JsonObject = details?.[0] ?? {
    reason: error.kind,
    ...metadata,
    ...(issues && { issues: issues.map(({ pointer, message }) => ({ pointer, message })) }),
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  }
  return { code: CODES[error.kind], message: error.message, data }
}

function kindOf(error: WireError): A2AErrorKind {
  const reason = isJsonObject(error.data) ? error.data.reason : undefined
  if (isKind(reason)) return reason
  const fixed = FIXED_TEXTS.get(error.message)
  if (fixed !== undefined && CODES[fixed] === error.code) return fixed
  for (const [kind, status] of HTTP_STATUS) if (status === error.status) return kind
  return KINDS.get(error.code) ?? 'InternalError'
}

function isKind(value: unknown): value is A2AErrorKind {
  return typeof value === 'string' && Object.hasOwn(CODES, value)
}
