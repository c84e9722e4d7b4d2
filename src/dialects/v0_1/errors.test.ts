import { expect, test } from 'vitest'
import { A2AError, type A2AErrorKind } from '../../model/errors.ts'
import { errorCodec } from './errors.ts'

test.each([
  ['TaskNotFound', -32001],
  ['IllegalTransition', -32002],
  ['TaskNotCancelable', -32002],
  ['ResourceExhausted', -32003],
  ['InsecurePushUrl', -32004],
  ['Unauthenticated', -32000],
] as [A2AErrorKind, number][])('%s is %i, and comes back as itself', (kind, code) => {
  const wire = errorCodec.encodeJsonRpc(new A2AError(kind, 'said'))
  expect(wire).toMatchObject({ code, message: 'said' })
  expect(errorCodec.decode({ code, message: 'said', data: wire.data ?? null }).kind).toBe(kind)
})

test('an unauthorised call is HTTP 401 as well', () => {
  expect(errorCodec.jsonRpcHttpStatus('Unauthenticated')).toBe(401)
  expect(errorCodec.jsonRpcHttpStatus('TaskNotFound')).toBe(200)
})

test('the fixed texts of 0.1.0 tell the numbers with two meanings apart', () => {
  const kindOf = (code: number, message: string) => errorCodec.decode({ code, message }).kind
  expect(kindOf(-32003, 'Push Notification is not supported')).toBe('PushNotificationNotSupported')
  expect(kindOf(-32003, 'store full')).toBe('ResourceExhausted')
  expect(kindOf(-32004, 'This operation is not supported')).toBe('UnsupportedOperation')
})
