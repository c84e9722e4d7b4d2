import { describe, expect, test } from 'vitest'
import type { Message, Part, Task } from '../../model/task.ts'
import { v0_3 } from './dialect.ts'

const rpc = v0_3.codecs.jsonrpc
const rest = v0_3.codecs.rest
if (rpc === undefined || rest === undefined) throw new Error('0.3 has both bindings')

function message(...parts: Part[]): Message {
  return { messageId: 'm', role: 'ROLE_USER', parts }
}

describe('waiting', () => {
  const wire = { message: { kind: 'message', messageId: 'm', role: 'user', parts: [{ kind: 'text', text: 'hi' }] } }
  const proto = { message: { messageId: 'm', role: 'ROLE_USER', content: [{ text: 'hi' }] } }

  test('blocking is the opposite of returnImmediately, and absent stays absent', () => {
    const read = (configuration: object | undefined) => {
      const decoded = rpc.decodeRequest(
        'sendMessage',
        configuration ? { ...wire, configuration: { ...configuration } } : wire,
      )
      return decoded.ok ? decoded.value.configuration?.returnImmediately : 'invalid'
    }
    expect([read({ blocking: true }), read({ blocking: false }), read({}), read(undefined)]).toEqual([
      false,
      true,
      undefined,
      undefined,
    ])
  })

  test('a plain send says that it waits, a stream has no need to', () => {
    const request = { message: message({ text: 'hi' }) }
    expect(rpc.encodeRequest('sendMessage', request).wire).toEqual({ ...wire, configuration: { blocking: true } })
    expect(rpc.encodeRequest('streamMessage', request).wire).toEqual(wire)
  })

  test('proto3 cannot tell an absent blocking from false', () => {
    const decoded = rest.decodeRequest('sendMessage', { ...proto, configuration: { acceptedOutputModes: ['a/b'] } })
    expect(decoded).toMatchObject({ ok: true, value: { configuration: { returnImmediately: true } } })
    expect(rest.decodeRequest('sendMessage', proto)).toMatchObject({ ok: true, value: { message: { messageId: 'm' } } })
  })
})

describe('losses', () => {
  test('data that is no object is wrapped, and said so', () => {
    const { wire, lost } = rpc.encodeRequest('streamMessage', { message: message({ data: [1] }) })
    expect(wire).toMatchObject({ message: { parts: [{ kind: 'data', data: { value: [1] } }] } })
    expect(lost).toMatchObject([{ pointer: '/message/parts/0/data' }])
  })

  test('a tenant cannot be said', () => {
    const { wire, lost } = rpc.encodeRequest('getTask', { id: 't', tenant: 'acme' })
    expect(wire).toEqual({ id: 't' })
    expect(lost).toEqual([{ pointer: '/tenant', message: '0.3 knows no tenants' }])
  })

  test('REST drops what the strict readers of the proto would choke on', () => {
    const part = { text: 'hi', metadata: { a: 1 }, unheardOf: true }
    const task: Task = { id: 't', contextId: 'c', status: { state: 'TASK_STATE_WORKING', message: message(part) } }
    const { wire, lost } = rest.encodeResult('getTask', task)
    expect(wire).toMatchObject({ status: { message: { content: [{ text: 'hi' }] } } })
    expect(lost).toMatchObject([{ pointer: '/status/message/parts/0/metadata' }])
  })
})

describe('answers of careless peers', () => {
  test('missing tags are inferred', () => {
    const task = { id: 't', status: { state: 'working', message: { role: 'agent', parts: [{ text: 'hm' }] } } }
    expect(rpc.decodeResult('sendMessage', task)).toEqual({
      ok: true,
      value: {
        task: {
          id: 't',
          contextId: '',
          status: {
            state: 'TASK_STATE_WORKING',
            message: { messageId: '', role: 'ROLE_AGENT', parts: [{ text: 'hm' }] },
          },
        },
      },
    })
  })

  test('null stands for absent', () => {
    const wire = {
      kind: 'task',
      id: 't',
      contextId: 'c',
      status: { state: 'completed', message: null },
      artifacts: null,
    }
    expect(rpc.decodeResult('getTask', wire)).toEqual({
      ok: true,
      value: { id: 't', contextId: 'c', status: { state: 'TASK_STATE_COMPLETED' } },
    })
  })

  test('requests are read strictly all the same', () => {
    expect(rpc.decodeRequest('sendMessage', { message: { role: 'user', parts: [{ text: 'hi' }] } })).toMatchObject({
      ok: false,
      reason: 'invalid',
    })
  })
})

describe('streams', () => {
  test('final is computed from the state', () => {
    const final = (state: Task['status']['state']) =>
      rpc.encodeEvent({ statusUpdate: { taskId: 't', contextId: 'c', status: { state } } }).wire
    expect(final('TASK_STATE_WORKING')).toMatchObject({ final: false })
    expect(final('TASK_STATE_INPUT_REQUIRED')).toMatchObject({ final: true })
    expect(final('TASK_STATE_REJECTED')).toMatchObject({ final: true, status: { state: 'rejected' } })
  })
})

test('listing tasks is not in the dialect', () => {
  expect(v0_3.has('listTasks')).toBe(false)
  expect(rpc.decodeRequest('listTasks', {})).toEqual({ ok: false, reason: 'not-in-dialect' })
})

test('instants become UTC', () => {
  const read = (timestamp: string) => {
    const decoded = rpc.decodeResult('getTask', {
      kind: 'task',
      id: 't',
      contextId: 'c',
      status: { state: 'working', timestamp },
    })
    return decoded.ok ? decoded.value.status.timestamp : undefined
  }
  expect(read('2026-01-02T03:04:05.123456+00:00')).toBe('2026-01-02T03:04:05.123Z')
  expect(read('2026-01-02T03:04:05')).toBe('2026-01-02T03:04:05.000Z')
  expect(read('2026-01-02T03:04:05.1Z')).toBe('2026-01-02T03:04:05.1Z')
})
