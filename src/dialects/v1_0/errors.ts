// Errors of 1.0 as data: JSON-RPC code, HTTP status, gRPC status and ErrorInfo.reason (§5.4, §9.5, §10.6, §11.6).
// Release 1.0.1 changed six mappings of 1.0.0; both tables stay, chosen per mount.

import type { ErrorCodec, SpecRevision } from '../dialect.ts'
import { errorCodec } from '../errors/error-codec.ts'
import { type ErrorTable, errorRow as row } from '../errors/error-table.ts'

/**
 * JSON-RPC leaves -32000 to -32099 to servers and A2A takes -32001 to -32099 (§9.5), so what the specification does
 * not number shares -32000 and is told apart by its reason.
 */
const SERVER_ERROR = -32000

export const ROWS_1_0_1: ErrorTable['rows'] = {
  TaskNotFound: row(-32001, 404, 'NOT_FOUND', 'TASK_NOT_FOUND'),
  TaskNotCancelable: row(-32002, 400, 'FAILED_PRECONDITION', 'TASK_NOT_CANCELABLE'),
  PushNotificationNotSupported: row(-32003, 400, 'FAILED_PRECONDITION', 'PUSH_NOTIFICATION_NOT_SUPPORTED'),
  UnsupportedOperation: row(-32004, 400, 'FAILED_PRECONDITION', 'UNSUPPORTED_OPERATION'),
  ContentTypeNotSupported: row(-32005, 400, 'INVALID_ARGUMENT', 'CONTENT_TYPE_NOT_SUPPORTED'),
  InvalidAgentResponse: row(-32006, 500, 'INTERNAL', 'INVALID_AGENT_RESPONSE'),
  ExtendedAgentCardNotConfigured: row(-32007, 400, 'FAILED_PRECONDITION', 'EXTENDED_AGENT_CARD_NOT_CONFIGURED'),
  ExtensionSupportRequired: row(-32008, 400, 'FAILED_PRECONDITION', 'EXTENSION_SUPPORT_REQUIRED'),
  VersionNotSupported: row(-32009, 400, 'FAILED_PRECONDITION', 'VERSION_NOT_SUPPORTED'),
  ParseError: row(-32700, 400, 'INVALID_ARGUMENT', 'PARSE_ERROR'),
  InvalidRequest: row(-32600, 400, 'INVALID_ARGUMENT', 'INVALID_REQUEST'),
  MethodNotFound: row(-32601, 404, 'NOT_FOUND', 'METHOD_NOT_FOUND'),
  InvalidParams: row(-32602, 400, 'INVALID_ARGUMENT', 'INVALID_PARAMS'),
  InternalError: row(-32603, 500, 'INTERNAL', 'INTERNAL_ERROR'),
  Unauthenticated: row(SERVER_ERROR, 401, 'UNAUTHENTICATED', 'UNAUTHENTICATED'),
  PermissionDenied: row(SERVER_ERROR, 403, 'PERMISSION_DENIED', 'PERMISSION_DENIED'),
  ResourceExhausted: row(SERVER_ERROR, 429, 'RESOURCE_EXHAUSTED', 'RESOURCE_EXHAUSTED'),
  Unavailable: row(SERVER_ERROR, 503, 'UNAVAILABLE', 'UNAVAILABLE'),
  // 1.0 has no words of its own for these two.
  IllegalTransition: row(-32004, 400, 'FAILED_PRECONDITION', 'UNSUPPORTED_OPERATION'),
  InsecurePushUrl: row(-32602, 400, 'INVALID_ARGUMENT', 'INVALID_PARAMS'),
}

const ROWS_1_0_0: ErrorTable['rows'] = {
  ...ROWS_1_0_1,
  TaskNotCancelable: row(-32002, 409, 'FAILED_PRECONDITION', 'TASK_NOT_CANCELABLE'),
  PushNotificationNotSupported: row(-32003, 400, 'UNIMPLEMENTED', 'PUSH_NOTIFICATION_NOT_SUPPORTED'),
  UnsupportedOperation: row(-32004, 400, 'UNIMPLEMENTED', 'UNSUPPORTED_OPERATION'),
  ContentTypeNotSupported: row(-32005, 415, 'INVALID_ARGUMENT', 'CONTENT_TYPE_NOT_SUPPORTED'),
  InvalidAgentResponse: row(-32006, 502, 'INTERNAL', 'INVALID_AGENT_RESPONSE'),
  VersionNotSupported: row(-32009, 400, 'UNIMPLEMENTED', 'VERSION_NOT_SUPPORTED'),
  IllegalTransition: row(-32004, 400, 'UNIMPLEMENTED', 'UNSUPPORTED_OPERATION'),
}

const TABLE_1_0_1: ErrorTable = {
  form: 'google-rpc',
  rows: ROWS_1_0_1,
  byHttpStatus: new Set(['Unauthenticated', 'PermissionDenied', 'ResourceExhausted', 'Unavailable']),
}

const CODECS: Readonly<Record<SpecRevision, ErrorCodec>> = {
  '1.0.1': errorCodec(TABLE_1_0_1),
  '1.0.0': errorCodec({ ...TABLE_1_0_1, rows: ROWS_1_0_0 }),
}

export function errors(revision: SpecRevision = '1.0.1'): ErrorCodec {
  return CODECS[revision]
}
