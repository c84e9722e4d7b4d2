// Subscriptions: what they begin with, what they miss, whom they concern, how they end.

import { isArtifact, isTerminal, of10, stateOf } from './event-kinds.ts'
import { at, type Mutant, mutant, put } from './mutant.ts'

export const subscribeMutants: Mutant[] = [
  mutant(
    'subscribe-no-snapshot',
    'A subscription begins with the next update.',
    of10('subscribeTask', (event, { sent }) => (sent.length === 0 && event.task !== undefined ? [] : undefined)),
  ),
  mutant(
    'subscribe-old-snapshot',
    'The snapshot of a subscription has no artifacts.',
    of10('subscribeTask', (event) => put(event, 'task.artifacts', undefined)),
  ),
  mutant(
    'subscribe-gap',
    'The first update after the snapshot is lost.',
    of10('subscribeTask', (event, { sent, call }) => {
      const key = `gap ${call.taskId} ${String(sent[0] === undefined)}`
      if (sent.length !== 1 || !isArtifact(event) || call.memory.has(key)) return undefined
      call.memory.set(key, true)
      return []
    }),
  ),
  mutant('subscribe-stays-open', 'Subscriptions never end.', {
    ends: ({ call }) => ({ staysOpen: call.op === 'subscribeTask' }),
  }),
  mutant(
    'subscribe-foreign-task',
    'A subscription delivers the events of all tasks.',
    of10('subscribeTask', (event, { sent }) =>
      sent.length === 1
        ? [
            {
              statusUpdate: {
                taskId: 'another',
                contextId: 'c',
                status: { state: 'TASK_STATE_WORKING', timestamp: new Date().toISOString() },
              },
            },
            event,
          ]
        : undefined,
    ),
  ),
  mutant('subscribe-finished', 'Finished tasks can be subscribed to.', {
    answer: async (call) => {
      if (call.op !== 'subscribeTask') return undefined
      const known = await call.ask({
        method: 'GET',
        path: `/spec/tasks/${call.taskId}`,
        text: '',
        headers: { ...call.headers, accept: 'application/json' },
      })
      if (!known.text.includes('TASK_STATE_COMPLETED')) return undefined
      const event = `{"task":${known.text}}`
      return {
        status: 200,
        headers: { 'content-type': 'text/event-stream' },
        text: `data: ${call.isRpc ? `{"jsonrpc":"2.0","id":${JSON.stringify(at(call.body, 'id') ?? null)},"result":${event}}` : event}\n\n`,
      }
    },
  }),
  mutant('subscribe-unknown', 'A subscription to an unknown task waits for it.', {
    reply: (reply, call) => {
      if (call.op !== 'subscribeTask' || !reply.text.includes('TASK_NOT_FOUND')) return
      reply.status = 200
      reply.headers['content-type'] = 'text/event-stream'
      reply.text = ': waiting\n\n'
    },
  }),
  mutant('subscribe-interrupted', 'Waiting tasks cannot be subscribed to.', {
    answer: async (call) => {
      if (call.op !== 'subscribeTask') return undefined
      const known = await call.ask({
        method: 'GET',
        path: `/spec/tasks/${call.taskId}`,
        text: '',
        headers: { ...call.headers, accept: 'application/json' },
      })
      if (!known.text.includes('INPUT_REQUIRED')) return undefined
      const error = { code: call.isRpc ? -32004 : 400, message: 'The task waits.', status: 'FAILED_PRECONDITION' }
      return {
        status: call.isRpc ? 200 : 400,
        headers: { 'content-type': 'application/json' },
        text: JSON.stringify(
          call.isRpc
            ? { jsonrpc: '2.0', id: at(call.body, 'id') ?? null, error: { code: -32004, message: 'The task waits.' } }
            : { error },
        ),
      }
    },
  }),
  mutant(
    'subscribe-cancel-silent',
    'Open streams are not told of a cancellation.',
    of10('subscribeTask', (event) => (stateOf(event) === 'TASK_STATE_CANCELED' ? [] : undefined)),
  ),
  mutant(
    'subscribe-shared-queue',
    'Two readers of a task share its events.',
    of10('subscribeTask', (event, { call }) => {
      if (event.task !== undefined || isTerminal(event)) return undefined
      const key = `turn ${call.taskId}`
      const turn = Number(call.memory.get(key) ?? 0) + 1
      call.memory.set(key, turn)
      return turn % 2 === 0 ? [] : undefined
    }),
  ),
  mutant('subscribe-one-kills-all', 'Closing one stream ends the others.', {
    ...of10('subscribeTask', (event, { call, sent }) => {
      const key = `readers ${call.taskId}`
      if (sent.length === 0) call.memory.set(key, Number(call.memory.get(key) ?? 0) + 1)
      return isTerminal(event) && Number(call.memory.get(key)) > 1 ? [] : undefined
    }),
  }),
]
