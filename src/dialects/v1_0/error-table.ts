// Error numbers of 1.0 as data: JSON-RPC code, HTTP status, google.rpc name and ErrorInfo.reason (§5.4, §9.5, §11.6).
// Release 1.0.1 changed six mappings of 1.0.0; both tables stay, chosen per mount.

import type { A2AErrorKind } from '../../model/errors.ts'
import type { SpecRevision } from '../dialect.ts'

export interface ErrorRow {
  code: number
  http: number
  /** google.rpc.Code by name. */
  status: string
  reason: string
}

export type ErrorTable = Readonly<Record<A2AErrorKind, ErrorRow>>

function row(code: number, http: number, status: string, reason: string): ErrorRow {
  return { code, http, status, reason }
}

/**
 * JSON-RPC leaves -32000 to -32099 to servers and A2A takes -32001 to -32099 (§9.5), so what the specification does
 * not number shares -32000 and is told apart by its reason.
 */
const SERVER_ERROR = -32000

const TABLE_1_0_1: ErrorTable = {
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

const TABLE_1_0_0: ErrorTable = {
  ...TABLE_1_0_1,
  TaskNotCancelable: row(-32002, 409, 'FAILED_PRECONDITION', 'TASK_NOT_CANCELABLE'),
  PushNotificationNotSupported: row(-32003, 400, 'UNIMPLEMENTED', 'PUSH_NOTIFICATION_NOT_SUPPORTED'),
  UnsupportedOperation: row(-32004, 400, 'UNIMPLEMENTED', 'UNSUPPORTED_OPERATION'),
  ContentTypeNotSupported: row(-32005, 415, 'INVALID_ARGUMENT', 'CONTENT_TYPE_NOT_SUPPORTED'),
  InvalidAgentResponse: row(-32006, 502, 'INTERNAL', 'INVALID_AGENT_RESPONSE'),
  VersionNotSupported: row(-32009, 400, 'UNIMPLEMENTED', 'VERSION_NOT_SUPPORTED'),
  IllegalTransition: row(-32004, 400, 'UNIMPLEMENTED', 'UNSUPPORTED_OPERATION'),
}

export const ERROR_TABLES: Readonly<Record<SpecRevision, ErrorTable>> = {
  '1.0.0': TABLE_1_0_0,
  '1.0.1': TABLE_1_0_1,
}
