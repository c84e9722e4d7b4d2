// Errors of the `tasks/send` generation as data. Its numbers were used in two ways: the 0.1.0 schema fixed a message text
// per number, and deployed agents gave -32003 and -32004 other meanings, which are the ones written here. Ours say the
// meaning in `data.reason`, too. It had neither REST nor gRPC.

import { errorCodec as codecOf } from '../errors/error-codec.ts'
import { errorRow as row } from '../errors/error-table.ts'

export const errorCodec = codecOf({
  form: 'named-facts',
  rows: {
    TaskNotFound: row(-32001, 400, 'NOT_FOUND', 'TaskNotFound'),
    TaskNotCancelable: row(-32002, 400, 'FAILED_PRECONDITION', 'TaskNotCancelable'),
    IllegalTransition: row(-32002, 400, 'FAILED_PRECONDITION', 'IllegalTransition'),
    ResourceExhausted: row(-32003, 400, 'RESOURCE_EXHAUSTED', 'ResourceExhausted'),
    PushNotificationNotSupported: row(-32003, 400, 'FAILED_PRECONDITION', 'PushNotificationNotSupported'),
    InsecurePushUrl: row(-32004, 400, 'INVALID_ARGUMENT', 'InsecurePushUrl'),
    UnsupportedOperation: row(-32004, 400, 'FAILED_PRECONDITION', 'UnsupportedOperation'),
    ExtendedAgentCardNotConfigured: row(-32004, 400, 'FAILED_PRECONDITION', 'ExtendedAgentCardNotConfigured'),
    ExtensionSupportRequired: row(-32004, 400, 'FAILED_PRECONDITION', 'ExtensionSupportRequired'),
    VersionNotSupported: row(-32004, 400, 'FAILED_PRECONDITION', 'VersionNotSupported'),
    ContentTypeNotSupported: row(-32005, 400, 'INVALID_ARGUMENT', 'ContentTypeNotSupported'),
    ParseError: row(-32700, 400, 'INVALID_ARGUMENT', 'ParseError'),
    InvalidRequest: row(-32600, 400, 'INVALID_ARGUMENT', 'InvalidRequest'),
    MethodNotFound: row(-32601, 400, 'NOT_FOUND', 'MethodNotFound'),
    InvalidParams: row(-32602, 400, 'INVALID_ARGUMENT', 'InvalidParams'),
    InternalError: row(-32603, 400, 'INTERNAL', 'InternalError'),
    InvalidAgentResponse: row(-32603, 400, 'INTERNAL', 'InvalidAgentResponse'),
    Unauthenticated: row(-32000, 401, 'UNAUTHENTICATED', 'Unauthenticated'),
    PermissionDenied: row(-32000, 403, 'PERMISSION_DENIED', 'PermissionDenied'),
    Unavailable: row(-32000, 503, 'UNAVAILABLE', 'Unavailable'),
  },
  byHttpStatus: new Set(['Unauthenticated', 'PermissionDenied', 'Unavailable']),
  statusOutweighsCode: true,
  // As the text of 0.1.0 has them.
  furtherCodes: new Map([
    [-32006, 'UnsupportedOperation'],
    [-32007, 'Unauthenticated'],
    [-32008, 'PermissionDenied'],
    [-32009, 'IllegalTransition'],
    [-32010, 'ResourceExhausted'],
    [-32011, 'Unavailable'],
  ]),
  // The texts the schema of 0.1.0 fixed for the two numbers with a second meaning.
  fixedTexts: new Map([
    ['Push Notification is not supported', 'PushNotificationNotSupported'],
    ['This operation is not supported', 'UnsupportedOperation'],
  ]),
})
