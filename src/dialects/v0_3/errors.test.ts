import { expect, test } from 'vitest'
import { A2AError } from '../../model/errors.ts'
import { errorCodec } from './errors.ts'

test('REST errors are the bare JSON-RPC error, with the name the Python SDK looks for', () => {
  expect(errorCodec.encodeRest(new A2AError('TaskNotCancelable', 'done'))).toEqual({
    status: 409,
    body: { code: -32002, message: 'done', type: 'TaskNotCancelableError' },
  })
})

test('facts about the error survive', () => {
  const issues = [{ pointer: '/message', message: 'is required' }]
  const sent = new A2AError('InvalidParams', 'no', { issues, metadata: { a: 'b' }, retryAfterSeconds: 3 })
  const { data } = errorCodec.encodeJsonRpc(sent)
  expect(errorCodec.decode({ code: -32602, message: 'no', ...(data === undefined ? {} : { data }) })).toMatchObject({
    kind: 'InvalidParams',
    options: { issues, metadata: { a: 'b' }, retryAfterSeconds: 3 },
  })
})

test('the code outweighs the status', () => {
  expect(errorCodec.decode({ code: -32001, status: 500, message: '' }).kind).toBe('TaskNotFound')
  expect(errorCodec.decode({ status: 404, message: '' }).kind).toBe('TaskNotFound')
  expect(errorCodec.decode({ code: -32000, status: 401, message: '' }).kind).toBe('Unauthenticated')
  expect(errorCodec.decode({ status: 400, message: '' }).kind).toBe('InvalidParams')
})
