import { describe, expect, test } from 'vitest'
import type { TaskState } from '../../model/task.ts'
import { v0_1 } from './dialect.ts'
import { withStatusHistory } from './status-history.ts'

const rpc = v0_1.codecs.jsonrpc
if (rpc === undefined) throw new Error('0.1 speaks JSON-RPC')

const send = { id: 't1', sessionId: 's1', message: { role: 'user', parts: [{ type: 'text', text: 'hi' }] } }

describe('sending', () => {
  test('the client names the task and the session is the context', () => {
    const decoded = rpc.decodeRequest('sendMessage', send)
    expect(decoded).toMatchObject({
      ok: true,
      value: { clientTaskId: 't1', message: { contextId: 's1', role: 'ROLE_USER', parts: [{ text: 'hi' }] } },
    })
    expect(decoded.ok && decoded.value.message.messageId).not.toBe('')
  })

  test('a client without a name for the task continues the one of the message, or makes one', () => {
    const message = { messageId: 'm', role: 'ROLE_USER' as const, parts: [{ text: 'hi' }] }
    const idOf = (request: typeof message & { taskId?: string }) =>
      rpc.encodeRequest('sendMessage', { message: request }).wire
    expect(idOf({ ...message, taskId: 't9' })).toMatchObject({ id: 't9' })
    expect(idOf(message)).toMatchObject({ id: expect.stringMatching(/^[0-9a-f-]{36}$/) })
  })

  test('a direct reply becomes a completed task', () => {
    const message = { messageId: 'm', taskId: 't1', role: 'ROLE_AGENT' as const, parts: [{ text: 'yo' }] }
    const { wire, lost } = rpc.encodeResult('sendMessage', { message })
    expect(wire).toEqual({
      id: 't1',
      status: { state: 'completed', message: { role: 'agent', parts: [{ type: 'text', text: 'yo' }] } },
    })
    expect(lost).toHaveLength(1)
  })
})

describe('streams', () => {
  test('events are named, and the last one is final', () => {
    const update = (state: TaskState) => ({ statusUpdate: { taskId: 't1', contextId: 'c', status: { state } } })
    expect(v0_1.eventName(update('TASK_STATE_WORKING'))).toBe('status')
    expect(rpc.encodeEvent(update('TASK_STATE_WORKING')).wire).toMatchObject({ id: 't1', final: false })
    expect(rpc.encodeEvent(update('TASK_STATE_FAILED')).wire).toMatchObject({ id: 't1', final: true })
    const artifact = { artifactId: 'a', parts: [{ text: 'x' }] }
    expect(v0_1.eventName({ artifactUpdate: { taskId: 't1', contextId: 'c', artifact } })).toBe('artifact')
  })

  test('artifacts are numbered in the order they appear, in updates and in the task alike', () => {
    const artifact = (artifactId: string) => ({ artifactId, parts: [{ text: 'x' }] })
    const indexOf = (id: string) =>
      rpc.encodeEvent({ artifactUpdate: { taskId: 'numbered', contextId: 'c', artifact: artifact(id) } }).wire
    expect(indexOf('first')).toMatchObject({ artifact: { index: 0 } })
    expect(indexOf('second')).toMatchObject({ artifact: { index: 1 } })
    expect(indexOf('first')).toMatchObject({ artifact: { index: 0 } })
    const task = { id: 'numbered', status: { state: 'TASK_STATE_WORKING' as const }, artifacts: [artifact('second')] }
    expect(rpc.encodeResult('getTask', task).wire).toMatchObject({ artifacts: [{ index: 1 }] })
  })

  test('artifacts that all claim index 0 stay apart', () => {
    const part = { type: 'text', text: 'x' }
    const wire = { id: 't', status: { state: 'completed' }, artifacts: [{ parts: [part] }, { parts: [part] }] }
    const decoded = rpc.decodeResult('getTask', wire)
    const ids = decoded.ok ? decoded.value.artifacts?.map((artifact) => artifact.artifactId) : []
    expect(ids).toEqual(['artifact-0', 'artifact-0.2'])
  })
})

test('history holds every status where somebody knows them', () => {
  const status = { state: 'TASK_STATE_WORKING' as const, timestamp: '2026-01-02T03:04:05.678Z' }
  const { wire } = rpc.encodeResult('getTask', withStatusHistory({ id: 't', status }, [status]))
  expect(wire).toMatchObject({ history: [{ state: 'working', timestamp: '2026-01-02T03:04:05.678Z' }] })
  expect(wire).not.toHaveProperty('statusHistory')
})

describe('transitions', () => {
  const legal: readonly [TaskState, TaskState][] = [
    ['TASK_STATE_SUBMITTED', 'TASK_STATE_WORKING'],
    ['TASK_STATE_SUBMITTED', 'TASK_STATE_CANCELED'],
    ['TASK_STATE_WORKING', 'TASK_STATE_INPUT_REQUIRED'],
    ['TASK_STATE_INPUT_REQUIRED', 'TASK_STATE_WORKING'],
  ]
  const illegal: readonly [TaskState, TaskState][] = [
    ['TASK_STATE_SUBMITTED', 'TASK_STATE_COMPLETED'],
    ['TASK_STATE_INPUT_REQUIRED', 'TASK_STATE_COMPLETED'],
    ['TASK_STATE_COMPLETED', 'TASK_STATE_WORKING'],
    ['TASK_STATE_WORKING', 'TASK_STATE_SUBMITTED'],
  ]
  test.each(legal)('%s may become %s', (from, to) => expect(v0_1.mayFollow(from, to)).toBe(true))
  test.each(illegal)('%s may not become %s', (from, to) => expect(v0_1.mayFollow(from, to)).toBe(false))
})

test('what came later is not in the dialect', () => {
  for (const op of ['listTasks', 'listPushConfigs', 'deletePushConfig', 'getExtendedCard'] as const) {
    expect(v0_1.has(op)).toBe(false)
    expect(rpc.decodeRequest(op, {})).toEqual({ ok: false, reason: 'not-in-dialect' })
  }
})
