import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../model/json.ts'
import { v1_0 } from './dialect.ts'

const rpc = v1_0.codecs.jsonrpc
const rest = v1_0.codecs.rest
if (rpc === undefined || rest === undefined) throw new Error('1.0 has both bindings')

const send: JsonObject = { message: { messageId: 'm1', role: 'ROLE_USER', parts: [{ text: 'hi' }] }, unheardOf: 1 }

describe('requests', () => {
  test('a valid request passes through uncopied', () => {
    const decoded = rpc.decodeRequest('sendMessage', send)
    expect(decoded.ok && decoded.value).toBe(send)
  })

  test('the client task id of another generation neither enters nor leaves', () => {
    expect(rpc.decodeRequest('sendMessage', { ...send, clientTaskId: 't1' })).toEqual({ ok: true, value: send })
    const decoded = rpc.decodeRequest('sendMessage', send)
    if (!decoded.ok) throw new Error('valid')
    expect(rpc.encodeRequest('sendMessage', { ...decoded.value, clientTaskId: 't1' }).wire).toEqual(send)
  })

  test('says where and why a request is invalid', () => {
    expect(rpc.decodeRequest('sendMessage', { message: { messageId: 'm', role: 'user', parts: [] } })).toEqual({
      ok: false,
      reason: 'invalid',
      issues: [
        { pointer: '/message/role', message: 'must be one of ROLE_USER, ROLE_AGENT, found "user"' },
        { pointer: '/message/parts', message: 'must have at least one element' },
      ],
    })
  })

  test('missing params are fine where every member is optional', () => {
    expect(rpc.decodeRequest('getExtendedCard', undefined)).toEqual({ ok: true, value: {} })
    expect(rpc.decodeRequest('listTasks', undefined)).toEqual({ ok: true, value: {} })
    expect(rpc.decodeRequest('getTask', undefined).ok).toBe(false)
  })

  test('reads what ProtoJSON lets a writer do: null members, proto names, URL-safe base64', () => {
    const wire = {
      tenant: null,
      message: {
        message_id: 'm',
        role: 'ROLE_USER',
        parts: [{ raw: '-_8', media_type: 'x/y' }],
        metadata: { a_b: null },
      },
    }
    expect(rpc.decodeRequest('sendMessage', wire)).toEqual({
      ok: true,
      value: {
        message: {
          messageId: 'm',
          role: 'ROLE_USER',
          parts: [{ raw: '+/8=', mediaType: 'x/y' }],
          metadata: { a_b: null },
        },
      },
    })
  })

  test('reads an instant with an offset, which ProtoJSON lets a reader expect', () => {
    const status = (timestamp: string) => ({
      id: 't',
      contextId: 'c',
      status: { state: 'TASK_STATE_WORKING', timestamp },
    })
    const read = (timestamp: string) => rpc.decodeResult('getTask', status(timestamp))
    expect(read('2026-01-01T02:03:04.5+02:00')).toEqual({ ok: true, value: status('2026-01-01T00:03:04.500Z') })
    expect(read('2026-01-01T02:03:04')).toMatchObject({ ok: false })
  })

  test('query parameters get their types back', () => {
    const query = { pageSize: '10', historyLength: '0', includeArtifacts: 'true', contextId: '7' }
    expect(rest.decodeRequest('listTasks', query)).toEqual({
      ok: true,
      value: { pageSize: 10, historyLength: 0, includeArtifacts: true, contextId: '7' },
    })
  })

  test('a query parameter of the wrong type is reported, not guessed', () => {
    expect(rest.decodeRequest('getTask', { id: 't', historyLength: 'ten' })).toEqual({
      ok: false,
      reason: 'invalid',
      issues: [{ pointer: '/historyLength', message: 'must be an integer' }],
    })
  })
})

describe('results', () => {
  test('a result is the model, uncopied', () => {
    const task = { id: 't', status: { state: 'TASK_STATE_WORKING' as const } }
    expect(rpc.encodeResult('getTask', task).wire).toBe(task)
  })

  test('a list of tasks always says all four members', () => {
    const page = { tasks: [], nextPageToken: '', pageSize: 50, totalSize: 0 }
    expect(rpc.encodeResult('listTasks', page).wire).toEqual(page)
  })

  test('null, {} and nothing all mean deleted', () => {
    for (const wire of [null, {}, undefined]) {
      expect(rpc.decodeResult('deletePushConfig', wire)).toEqual({ ok: true, value: null })
    }
    expect(rpc.encodeResult('deletePushConfig', null).wire).toBeNull()
    expect(rest.encodeResult('deletePushConfig', null).wire).toEqual({})
  })

  test('an answer that forgot what a client can live without is still read', () => {
    const wire = { task: { id: 't', status: { state: 'TASK_STATE_INPUT_REQUIRED', message: { role: 'ROLE_AGENT' } } } }
    const decoded = rpc.decodeResult('sendMessage', wire)
    expect(decoded).toMatchObject({ ok: true, value: { task: { status: { message: { messageId: '', parts: [] } } } } })
    expect(wire.task.status.message).toEqual({ role: 'ROLE_AGENT' })
  })

  test('an event with two payloads is refused', () => {
    const task = { id: 't', status: { state: 'TASK_STATE_WORKING' } }
    expect(rpc.decodeEvent({ task, message: {} })).toMatchObject({ ok: false, reason: 'invalid' })
  })
})

describe('card', () => {
  test('a card that leaves out the version of an interface means 1.0, and the strict reading says so', () => {
    const wire = { name: 'A', supportedInterfaces: [{ url: 'http://127.0.0.1/', protocolBinding: 'JSONRPC' }] }
    expect(v1_0.card.decode(wire)).toMatchObject({
      ok: true,
      value: { skills: [], supportedInterfaces: [{ protocolVersion: '1.0' }] },
    })
    expect(v1_0.card.issues(wire)).toContainEqual({
      pointer: '/supportedInterfaces/0/protocolVersion',
      message: 'is required',
    })
  })
})
