// What 0.3 asks of an agent. Its §8.2 gives JSON-RPC codes only; its REST text asks for fitting HTTP statuses without
// fixing them.

import type { Expectations } from '../expectations.ts'

export const EXPECTATIONS: Expectations = {
  rules: {
    requiredIsSet: false,
    cardMayBeProtected: true,
    // They only have to be there.
    skillsSaySomething: false,
    skillsHaveTags: false,
    optionalMethods: true,
    isProtoJson: false,
    zeroIsGiven: false,
    notifiesCancellation: false,
    codesAreAdvice: 41,
    validationLeeway: undefined,
  },
  errors: {
    TaskNotFound: { code: -32001 },
    TaskNotCancelable: { code: -32002 },
    PushNotificationNotSupported: { code: -32003 },
    UnsupportedOperation: { code: -32004 },
    ContentTypeNotSupported: { code: -32005 },
    InvalidAgentResponse: { code: -32006 },
    ExtendedAgentCardNotConfigured: { code: -32007 },
    ParseError: { code: -32700 },
    InvalidRequest: { code: -32600 },
    MethodNotFound: { code: -32601 },
    InvalidParams: { code: -32602 },
    InternalError: { code: -32603 },
  },
}
