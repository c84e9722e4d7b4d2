import { describe, expect, test } from 'vitest'
import { A2AError, type A2AErrorKind } from '../../model/errors.ts'
import type { SpecRevision } from '../dialect.ts'
import { errors, ROWS_1_0_1 } from './errors.ts'

describe('the wire form', () => {
  test('JSON-RPC carries ErrorInfo and field violations', () => {
    const error = new A2AError('InvalidParams', 'no', {
      issues: [{ pointer: '/message/parts/0', message: 'is empty' }],
    })
    expect(errors().encodeJsonRpc(error)).toEqual({
      code: -32602,
      message: 'no',
      data: [
        { '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'INVALID_PARAMS', domain: 'a2a-protocol.org' },
        {
          '@type': 'type.googleapis.com/google.rpc.BadRequest',
          fieldViolations: [{ field: 'message.parts[0]', description: 'is empty' }],
        },
      ],
    })
  })

  test('REST wraps google.rpc.Status', () => {
    const error = new A2AError('TaskNotFound', 'gone', { metadata: { taskId: 't' } })
    expect(errors().encodeRest(error)).toEqual({
      status: 404,
      body: {
        error: {
          code: 404,
          status: 'NOT_FOUND',
          message: 'gone',
          details: [
            {
              '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
              reason: 'TASK_NOT_FOUND',
              domain: 'a2a-protocol.org',
              metadata: { taskId: 't' },
            },
          ],
        },
      },
    })
  })

  test.each([
    ['TaskNotCancelable', 409, 400],
    ['ContentTypeNotSupported', 415, 400],
    ['InvalidAgentResponse', 502, 500],
  ] as const)('%s moved from HTTP %i to %i between the patch releases', (kind, before, after) => {
    expect(errors('1.0.0').encodeRest(new A2AError(kind, '')).status).toBe(before)
    expect(errors('1.0.1').encodeRest(new A2AError(kind, '')).status).toBe(after)
  })

  test('JSON-RPC answers 200 except where HTTP has the word', () => {
    const statusOf = (kind: A2AErrorKind) => errors().jsonRpcHttpStatus(kind)
    expect(
      ['TaskNotFound', 'InternalError', 'Unauthenticated', 'PermissionDenied'].map((k) => statusOf(k as A2AErrorKind)),
    ).toEqual([200, 200, 401, 403])
    expect([statusOf('ResourceExhausted'), statusOf('Unavailable')]).toEqual([429, 503])
  })
})

describe('reading', () => {
  const kinds = Object.keys(ROWS_1_0_1) as A2AErrorKind[]
  const sayable = kinds.filter((kind) => kind !== 'IllegalTransition' && kind !== 'InsecurePushUrl')

  test.each(['1.0.0', '1.0.1'] as SpecRevision[])('every kind survives both bindings of %s', (revision) => {
    const codec = errors(revision)
    for (const kind of sayable) {
      const sent = new A2AError(kind, 'said', { metadata: { a: 'b' }, retryAfterSeconds: 2 })
      const rpc = codec.encodeJsonRpc(sent)
      const byRpc = codec.decode({ code: Number(rpc.code), message: 'said', ...(rpc.data ? { data: rpc.data } : {}) })
      expect(byRpc).toMatchObject({ kind, message: 'said', options: { metadata: { a: 'b' }, retryAfterSeconds: 2 } })
      const rest = codec.encodeRest(sent).body.error as { details: [] }
      expect(codec.decode({ status: 599, message: '', data: rest.details }).kind).toBe(kind)
    }
  })

  test('the reason outweighs the code, the code outweighs the status', () => {
    const info = { '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'TASK_NOT_FOUND' }
    expect(errors().decode({ code: -32602, status: 400, message: '', data: [info] }).kind).toBe('TaskNotFound')
    expect(errors().decode({ code: -32002, status: 404, message: '' }).kind).toBe('TaskNotCancelable')
    expect(errors().decode({ status: 401, message: '' }).kind).toBe('Unauthenticated')
    expect(errors().decode({ code: -32000, status: 503, message: '' }).kind).toBe('Unavailable')
  })

  test('details of a peer pass through unchanged', () => {
    const detail = {
      '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
      reason: 'TASK_NOT_FOUND',
      domain: 'x',
      more: 1,
    }
    const received = errors().decode({ code: -32001, message: 'm', data: [detail] })
    expect(errors().encodeJsonRpc(received).data).toEqual([detail])
  })
})
