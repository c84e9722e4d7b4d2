// Errors of 0.3 as data (0.3 §8): JSON-RPC objects, and over REST the same object bare, as the official SDKs send it.
// Its text maps nothing to gRPC; the statuses are those of 1.0.1.

import { errorCodec as codecOf } from '../errors/error-codec.ts'
import { errorRow as row } from '../errors/error-table.ts'

export const errorCodec = codecOf({
  form: 'facts',
  rows: {
    TaskNotFound: row(-32001, 404, 'NOT_FOUND', 'TASK_NOT_FOUND'),
    TaskNotCancelable: row(-32002, 409, 'FAILED_PRECONDITION', 'TASK_NOT_CANCELABLE'),
    PushNotificationNotSupported: row(-32003, 400, 'FAILED_PRECONDITION', 'PUSH_NOTIFICATION_NOT_SUPPORTED'),
    UnsupportedOperation: row(-32004, 400, 'FAILED_PRECONDITION', 'UNSUPPORTED_OPERATION'),
    ContentTypeNotSupported: row(-32005, 415, 'INVALID_ARGUMENT', 'CONTENT_TYPE_NOT_SUPPORTED'),
    InvalidAgentResponse: row(-32006, 502, 'INTERNAL', 'INVALID_AGENT_RESPONSE'),
    ExtendedAgentCardNotConfigured: row(-32007, 404, 'FAILED_PRECONDITION', 'EXTENDED_AGENT_CARD_NOT_CONFIGURED'),
    // 0.3 assigns nothing beyond -32007; the numbers of 1.0 are free here and understood by clients that ask for it.
    ExtensionSupportRequired: row(-32008, 400, 'FAILED_PRECONDITION', 'EXTENSION_SUPPORT_REQUIRED'),
    VersionNotSupported: row(-32009, 400, 'FAILED_PRECONDITION', 'VERSION_NOT_SUPPORTED'),
    ParseError: row(-32700, 400, 'INVALID_ARGUMENT', 'PARSE_ERROR'),
    InvalidRequest: row(-32600, 400, 'INVALID_ARGUMENT', 'INVALID_REQUEST'),
    MethodNotFound: row(-32601, 404, 'NOT_FOUND', 'METHOD_NOT_FOUND'),
    InvalidParams: row(-32602, 400, 'INVALID_ARGUMENT', 'INVALID_PARAMS'),
    InternalError: row(-32603, 500, 'INTERNAL', 'INTERNAL_ERROR'),
    Unauthenticated: row(-32000, 401, 'UNAUTHENTICATED', 'UNAUTHENTICATED'),
    PermissionDenied: row(-32000, 403, 'PERMISSION_DENIED', 'PERMISSION_DENIED'),
    ResourceExhausted: row(-32000, 429, 'RESOURCE_EXHAUSTED', 'RESOURCE_EXHAUSTED'),
    Unavailable: row(-32000, 503, 'UNAVAILABLE', 'UNAVAILABLE'),
    IllegalTransition: row(-32004, 400, 'FAILED_PRECONDITION', 'UNSUPPORTED_OPERATION'),
    InsecurePushUrl: row(-32602, 400, 'INVALID_ARGUMENT', 'INVALID_PARAMS'),
  },
  byHttpStatus: new Set(['Unauthenticated', 'PermissionDenied', 'ResourceExhausted', 'Unavailable']),
})
