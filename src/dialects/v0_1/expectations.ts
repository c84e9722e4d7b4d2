// What the `tasks/send` generation asks of an agent.

import type { Expectations } from '../expectations.ts'

export const EXPECTATIONS: Expectations = {
  rules: {
    requiredIsSet: false,
    cardMayBeProtected: false,
    skillsSaySomething: true,
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
    IllegalTransition: { code: -32002 },
    UnsupportedOperation: { code: -32004 },
    ContentTypeNotSupported: { code: -32005 },
    ParseError: { code: -32700 },
    InvalidRequest: { code: -32600 },
    MethodNotFound: { code: -32601 },
    InvalidParams: { code: -32602 },
    InternalError: { code: -32603 },
  },
}
