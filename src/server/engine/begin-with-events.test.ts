// On a store that can write a task with its first events, whatever an agent says at once is one write, and nobody
// outside can tell the difference.

import { expect, test } from 'vitest'
import { CUSTOMS, engineOf, SCOPE, say, taskOf } from '../../../test/support/engine.ts'
import { A2AError } from '../../model/errors.ts'
import { openMemoryStore } from '../backend/memory/tasks.ts'
import { openMemoryBus } from '../bus/local-bus.ts'
import type { WakeBus } from '../bus/wake-bus.ts'
import type { TaskStore } from '../store/task-store.ts'
import type { Agent } from './agent.ts'

/** Tells each write with the number of its events, and may refuse to begin. */
function beginningStore(refusal?: Error) {
  const memory = openMemoryStore()
  const writes: string[] = []
  const store: TaskStore = {
    create: async (scope, task) => {
      writes.push('create')
      return memory.create(scope, task)
    },
    begin: async (scope, task, events) => {
      writes.push(`begin ${events.length}`)
      if (refusal !== undefined) throw refusal
      const created = await memory.create(scope, task)
      return created === 'exists' ? created : memory.append(scope, task.id, created.seq, events)
    },
    get: async (scope, id) => memory.get(scope, id),
    append: async (scope, id, expected, events) => {
      writes.push(`append ${events.length}`)
      return memory.append(scope, id, expected, events)
    },
    readEvents: async (scope, id, after, limit) => memory.readEvents(scope, id, after, limit),
    list: (scope, query) => memory.list(scope, query),
    unfinished: (limit) => memory.unfinished(limit),
    close: () => memory.close(),
  }
  return { store, writes }
}

const quick: Agent = async (_, ctx) => {
  await ctx.status('TASK_STATE_WORKING')
  await ctx.artifact({ artifactId: 'a', parts: [{ text: 'all of it' }] })
  await ctx.complete()
}

test('a task whose agent does not wait for anything is one write', async () => {
  const { store, writes } = beginningStore()
  const { engine } = engineOf(quick, { store })
  const task = await taskOf(engine.send(SCOPE, say('go'), true, {}))
  expect(task.status.state).toBe('TASK_STATE_COMPLETED')
  expect(writes).toEqual(['begin 3'])
})

test('other processes are told of what is added to a task, not of its first write, which none can be waiting for', async () => {
  const told: string[] = []
  const local = openMemoryBus()
  const bus: WakeBus = {
    wake: (topic) => {
      told.push(topic)
      local.wake(topic)
    },
    wakeHere: (topic) => local.wake(topic),
    onWake: (topic, listener) => local.onWake(topic, listener),
    close: () => local.close(),
  }
  const slow: Agent = async (_, ctx) => {
    await ctx.status('TASK_STATE_WORKING')
    await ctx.flush()
    await ctx.complete()
  }
  await taskOf(engineOf(quick, { store: beginningStore().store, bus }).engine.send(SCOPE, say('go'), true, {}))
  expect(told).toEqual([])
  const { id } = await taskOf(
    engineOf(slow, { store: beginningStore().store, bus }).engine.send(SCOPE, say('go'), true, {}),
  )
  expect(told).toEqual([id])
})

test('a stream begins with the task as it was submitted, and tells every event', async () => {
  const { store } = beginningStore()
  const { engine } = engineOf(quick, { store })
  const started = await engine.stream(SCOPE, say('go'), {})
  if ('message' in started) throw new Error('expected a task')
  expect(started.record.task.status.state).toBe('TASK_STATE_SUBMITTED')
  expect(await started.cursor.next()).toHaveLength(3)
})

test('an interruption is told before what follows it', async () => {
  const { store, writes } = beginningStore()
  const agent: Agent = async (_, ctx) => {
    await ctx.requireInput('which?')
    await ctx.status('TASK_STATE_WORKING')
  }
  const { engine } = engineOf(agent, { store, autoComplete: false })
  const task = await taskOf(engine.send(SCOPE, say('go'), true, {}))
  expect(task.status.state).toBe('TASK_STATE_INPUT_REQUIRED')
  expect(writes[0]).toBe('begin 1')
})

test('where somebody wants to know the task first, it is made first', async () => {
  const { store, writes } = beginningStore()
  const { engine } = engineOf(quick, { store })
  await taskOf(engine.send(SCOPE, say('go'), true, { onTask: async () => void writes.push('told') }))
  expect(writes.slice(0, 2)).toEqual(['create', 'told'])
})

test('a generation whose streams begin with the submission logs it', async () => {
  const { store, writes } = beginningStore()
  const { engine } = engineOf(quick, { store, rules: { ...CUSTOMS, logsSubmission: true } })
  await taskOf(engine.send(SCOPE, say('go'), true, {}))
  expect(writes.slice(0, 2)).toEqual(['create', 'append 1'])
})

test('a store that refuses is told to the client, and there is no task', async () => {
  const refusal = new A2AError('Unavailable', 'The task store is not available; try again shortly.')
  const { store } = beginningStore(refusal)
  const { engine } = engineOf(quick, { store })
  await expect(engine.send(SCOPE, say('go'), true, {})).rejects.toBe(refusal)
  expect((await store.list(SCOPE, { pageSize: 10 })).total).toBe(0)
})
