// Events on a store that lets its writer wait: they gather, in order, and nobody sees one before it is stored.

import { describe, expect, test } from 'vitest'
import { engineOf, SCOPE, say, taskOf } from '../../../test/support/engine.ts'
import { A2AError } from '../../model/errors.ts'
import type { TaskEvent } from '../../model/event.ts'
import { openMemoryStore } from '../backend/memory/tasks.ts'
import type { AppendResult, TaskStore } from '../store/task-store.ts'
import type { Agent, AgentContext } from './agent.ts'
import { FULL_EVENTS, MOST_EVENTS } from './event-queue.ts'

const chunk = (ctx: AgentContext) => ctx.artifact({ artifactId: 'a', parts: [{ text: 'chunk' }] }, { append: true })

/** A store in memory that answers when it is told to. */
function slowStore() {
  const memory = openMemoryStore()
  const writes: { events: readonly TaskEvent[]; answer: () => void; fail: (error: Error) => void }[] = []
  const waiting: ((write: (typeof writes)[number]) => void)[] = []
  const store: TaskStore = {
    create: async (scope, task) => memory.create(scope, task),
    get: async (scope, id) => memory.get(scope, id),
    append: (scope, id, expected, events) => {
      const { promise, resolve, reject } = Promise.withResolvers<AppendResult>()
      const answer = () => resolve(memory.append(scope, id, expected, events))
      const write = { events, answer, fail: reject }
      const next = waiting.shift()
      if (next === undefined) writes.push(write)
      else next(write)
      return promise
    },
    readEvents: async (scope, id, after, limit) => memory.readEvents(scope, id, after, limit),
    list: (scope, query) => memory.list(scope, query),
    unfinished: (limit) => memory.unfinished(limit),
    close: () => memory.close(),
  }
  const next = () => {
    const write = writes.shift()
    return write === undefined
      ? new Promise<(typeof writes)[number]>((resolve) => void waiting.push(resolve))
      : Promise.resolve(write)
  }
  return { store, next }
}

const turn = () => new Promise((resolve) => setImmediate(resolve))

test('what an agent says while the store is busy is one write, up to the end a client waits for', async () => {
  const { store, next } = slowStore()
  const said = Promise.withResolvers<void>()
  const { engine } = engineOf(
    async (_, ctx) => {
      await ctx.status('TASK_STATE_WORKING')
      for (let n = 0; n < 10; n++) await chunk(ctx)
      await ctx.complete()
      said.resolve()
    },
    { store },
  )
  const task = taskOf(engine.send(SCOPE, say('go'), true, {}))
  // It need not wait for the store to have said it all.
  await said.promise
  const [first, rest] = [await next(), next()]
  first.answer()
  const { events, answer } = await rest
  expect(first.events.length + events.length).toBe(12)
  answer()
  expect((await task).status.state).toBe('TASK_STATE_COMPLETED')
})

test('nobody sees an event before it is stored', async () => {
  const { store, next } = slowStore()
  const { engine } = engineOf(
    async (_, ctx) => {
      await ctx.status('TASK_STATE_WORKING')
      await ctx.complete()
    },
    { store },
  )
  const started = await engine.stream(SCOPE, say('go'), {})
  if ('message' in started) throw new Error('expected a task')
  let seen = 0
  const read = started.cursor.next().then((events) => {
    seen = events?.length ?? 0
  })
  const write = await next()
  await turn()
  expect(seen).toBe(0)
  write.answer()
  await read
  expect(seen).toBe(2)
})

test('an interruption is told before what follows it', async () => {
  const { store, next } = slowStore()
  const { engine } = engineOf(
    async (_, ctx) => {
      await ctx.requireInput('which?')
      await ctx.status('TASK_STATE_WORKING')
    },
    { store, autoComplete: false },
  )
  const task = taskOf(engine.send(SCOPE, say('go'), true, {}))
  const first = await next()
  expect(first.events).toHaveLength(1)
  first.answer()
  expect((await task).status.state).toBe('TASK_STATE_INPUT_REQUIRED')
})

test('flush waits until everything is stored', async () => {
  const { store, next } = slowStore()
  let isStored = false
  let wasStored: boolean | undefined
  const { engine } = engineOf(
    async (_, ctx) => {
      await ctx.status('TASK_STATE_WORKING')
      await ctx.flush()
      wasStored = isStored
    },
    { store },
  )
  const task = taskOf(engine.send(SCOPE, say('go'), true, {}))
  const write = await next()
  isStored = true
  write.answer()
  ;(await next()).answer()
  await task
  expect(wasStored).toBe(true)
})

describe('a store that is slower than the agent', () => {
  test('holds the agent up when the line is full', async () => {
    const { store, next } = slowStore()
    let said = 0
    const agent: Agent = async (_, ctx) => {
      for (; said < 3 * FULL_EVENTS; said++) await chunk(ctx)
    }
    const { engine } = engineOf(agent, { store })
    const task = taskOf(engine.send(SCOPE, say('go'), true, {}))
    for (let isOver = false; !isOver; ) {
      const write = await next()
      for (let turns = 0; turns < 20; turns++) await turn()
      expect(write.events.length).toBeLessThanOrEqual(FULL_EVENTS)
      isOver = write.events.some((event) => 'statusUpdate' in event)
      write.answer()
    }
    expect((await task).status.state).toBe('TASK_STATE_COMPLETED')
  })

  test('stops an agent that does not wait, with the numbers', async () => {
    const { store, next } = slowStore()
    const agent: Agent = (_, ctx) => {
      for (let n = 0; n <= MOST_EVENTS + 1; n++) void chunk(ctx)
      return new Promise<void>(() => {})
    }
    const taskLimits = { taskEvents: 2 * MOST_EVENTS, taskBytes: 2 ** 28 }
    const { engine } = engineOf(agent, { store, taskLimits })
    const task = taskOf(engine.send(SCOPE, say('go'), true, {}))
    ;(await next()).answer()
    const { status } = await task
    expect(status.state).toBe('TASK_STATE_FAILED')
    expect(JSON.stringify(status.message)).toContain('65,536 events')
  })
})

test('a write that fails rejects the next call, and fails the task', async () => {
  const { store, next } = slowStore()
  const failure = new A2AError('Unavailable', 'The task store is not available; try again shortly.')
  const rejected = Promise.withResolvers<unknown>()
  const { engine } = engineOf(
    async (_, ctx) => {
      await ctx.status('TASK_STATE_WORKING')
      await ctx.flush().catch(() => {})
      await chunk(ctx).catch(rejected.resolve)
      throw new Error('gives up')
    },
    { store },
  )
  const task = taskOf(engine.send(SCOPE, say('go'), true, {}))
  ;(await next()).fail(failure)
  expect(await rejected.promise).toBe(failure)
  ;(await next()).answer()
  expect((await task).status.state).toBe('TASK_STATE_FAILED')
})

test('a task that is canceled keeps nothing of what was still in line', async () => {
  const { store, next } = slowStore()
  const { engine } = engineOf(
    async (_, ctx) => {
      await ctx.status('TASK_STATE_WORKING')
      for (let n = 0; n < 5; n++) await chunk(ctx)
      await ctx.sleep(1_000)
    },
    { store },
  )
  const { id } = await taskOf(engine.send(SCOPE, say('go'), false, {}))
  const first = await next()
  const canceling = engine.cancel(SCOPE, { id })
  const cancel = await next()
  cancel.answer()
  expect((await canceling).status.state).toBe('TASK_STATE_CANCELED')
  first.answer()
  await turn()
  expect(((await store.readEvents(SCOPE, id, 0, 100)) ?? []).length).toBe(1)
})
