// What 1.0 asks of an agent. The numbers are those of §5.4, with the columns of 1.0.0 where it differs.

import { type Expectations, inAllRevisions as same } from '../expectations.ts'

/** gRPC: 1.0.1 moved three errors away from UNIMPLEMENTED, which says that a method is unknown. */
const CHANGED = { '1.0.1': 'FAILED_PRECONDITION', '1.0.0': 'UNIMPLEMENTED' }
const PRECONDITION = ['FAILED_PRECONDITION', 'UNIMPLEMENTED']

export const EXPECTATIONS: Expectations = {
  rules: {
    requiredIsSet: true,
    cardMayBeProtected: false,
    skillsSaySomething: true,
    skillsHaveTags: true,
    optionalMethods: false,
    isProtoJson: true,
    zeroIsGiven: true,
    notifiesCancellation: true,
    codesAreAdvice: undefined,
    validationLeeway: { jsonrpc: 43, rest: 46 },
  },
  errors: {
    TaskNotFound: {
      grpc: same('NOT_FOUND'),
      code: -32001,
      http: same(404),
      reason: 'TASK_NOT_FOUND',
      statusNames: ['NOT_FOUND'],
    },
    TaskNotCancelable: {
      grpc: same('FAILED_PRECONDITION'),
      code: -32002,
      http: { '1.0.1': 400, '1.0.0': 409 },
      reason: 'TASK_NOT_CANCELABLE',
      statusNames: ['FAILED_PRECONDITION'],
    },
    PushNotificationNotSupported: {
      grpc: CHANGED,
      code: -32003,
      http: same(400),
      reason: 'PUSH_NOTIFICATION_NOT_SUPPORTED',
      statusNames: PRECONDITION,
    },
    UnsupportedOperation: {
      grpc: CHANGED,
      code: -32004,
      http: same(400),
      reason: 'UNSUPPORTED_OPERATION',
      statusNames: PRECONDITION,
    },
    ContentTypeNotSupported: {
      grpc: same('INVALID_ARGUMENT'),
      code: -32005,
      http: { '1.0.1': 400, '1.0.0': 415 },
      reason: 'CONTENT_TYPE_NOT_SUPPORTED',
      statusNames: ['INVALID_ARGUMENT'],
    },
    InvalidAgentResponse: {
      grpc: same('INTERNAL'),
      code: -32006,
      http: { '1.0.1': 500, '1.0.0': 502 },
      reason: 'INVALID_AGENT_RESPONSE',
      statusNames: ['INTERNAL'],
    },
    ExtendedAgentCardNotConfigured: {
      grpc: same('FAILED_PRECONDITION'),
      code: -32007,
      http: same(400),
      reason: 'EXTENDED_AGENT_CARD_NOT_CONFIGURED',
      statusNames: ['FAILED_PRECONDITION'],
    },
    ExtensionSupportRequired: {
      grpc: same('FAILED_PRECONDITION'),
      code: -32008,
      http: same(400),
      reason: 'EXTENSION_SUPPORT_REQUIRED',
      statusNames: ['FAILED_PRECONDITION'],
    },
    VersionNotSupported: {
      grpc: CHANGED,
      code: -32009,
      http: same(400),
      reason: 'VERSION_NOT_SUPPORTED',
      statusNames: PRECONDITION,
    },
    ParseError: { code: -32700, http: same(400) },
    InvalidRequest: { code: -32600, http: same(400) },
    MethodNotFound: { grpc: same('UNIMPLEMENTED'), code: -32601, http: same(404) },
    InvalidParams: { grpc: same('INVALID_ARGUMENT'), code: -32602, http: same(400), statusNames: ['INVALID_ARGUMENT'] },
    InternalError: { grpc: same('INTERNAL'), code: -32603, http: same(500), statusNames: ['INTERNAL'] },
    Unauthenticated: { grpc: same('UNAUTHENTICATED'), http: same(401), statusNames: ['UNAUTHENTICATED'] },
    PermissionDenied: { grpc: same('PERMISSION_DENIED'), http: same(403), statusNames: ['PERMISSION_DENIED'] },
  },
}
