import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { CUSTOMS, engineOf, pausedAgent, SCOPE, say, taskOf } from '../../../test/support/engine.ts'
import { A2AError } from '../../model/errors.ts'
import type { Scope } from '../../model/scope.ts'
import { mayFollow } from '../../model/state-machine.ts'
import { DEFAULT_LIMITS } from '../../net/limits.ts'
import { openMemoryBus } from '../bus/local-bus.ts'
import type { Agent } from './agent.ts'
import type { TaskCursor } from './task-cursor.ts'
import { TaskEngine } from './task-engine.ts'
import { TurnRoom } from './turn-room.ts'

const STRANGER: Scope = { ...SCOPE, subject: 'mallory' }

async function drain(cursor: TaskCursor): Promise<{ seqs: number[]; states: string[] }> {
  const seqs: number[] = []
  const states: string[] = []
  for (;;) {
    const events = await cursor.next()
    if (events === undefined) return { seqs, states }
    for (const { seq, event } of events) {
      seqs.push(seq)
      if ('statusUpdate' in event) states.push(event.statusUpdate.status.state)
    }
  }
}

async function refusalOf(promise: Promise<unknown>): Promise<string> {
  try {
    await promise
  } catch (error) {
    if (error instanceof A2AError) return error.kind
    throw error
  }
  return 'no error'
}

describe('sending', () => {
  test('a first message is a reply without a task', async () => {
    const { engine, store } = engineOf(() => 'hello')
    const outcome = await engine.send(SCOPE, say('hi'), true, {})
    expect(outcome).toMatchObject({ message: { role: 'ROLE_AGENT', parts: [{ text: 'hello' }] } })
    expect((await store.list(SCOPE, { pageSize: 10 })).total).toBe(0)
  })

  test('where everything is a task, a reply completes one and every status is logged', async () => {
    const rules = { mayFollow, hasDirectReplies: false, logsSubmission: true }
    const { engine } = engineOf(() => 'hello', { rules })
    const task = await taskOf(engine.send(SCOPE, say('hi'), true, {}))
    expect(task.status).toMatchObject({ state: 'TASK_STATE_COMPLETED', message: { parts: [{ text: 'hello' }] } })
    expect((await engine.statuses(SCOPE, task.id, Number.POSITIVE_INFINITY)).map(({ state }) => state)).toEqual([
      'TASK_STATE_SUBMITTED',
      'TASK_STATE_WORKING',
      'TASK_STATE_COMPLETED',
    ])
  })

  test('a blocking send waits for the terminal state and returns everything', async () => {
    const { engine } = engineOf(async (_, ctx) => {
      await ctx.status('TASK_STATE_WORKING', 'busy')
      await ctx.artifact({ parts: [{ text: 'one' }] })
      return 'done'
    })
    const task = await taskOf(engine.send(SCOPE, say('go'), true, {}))
    expect(task.status).toMatchObject({ state: 'TASK_STATE_COMPLETED', message: { parts: [{ text: 'done' }] } })
    expect(task.artifacts).toMatchObject([{ parts: [{ text: 'one' }] }])
    expect(task.history?.map(({ role }) => role)).toEqual(['ROLE_USER', 'ROLE_AGENT'])
  })

  test('a generator may yield what happens', async () => {
    const { engine } = engineOf(async function* () {
      yield { status: 'TASK_STATE_WORKING' }
      yield { artifact: { artifactId: 'a', parts: [{ text: '1' }] } }
      yield { artifact: { artifactId: 'a', parts: [{ text: '2' }] }, append: true, lastChunk: true }
      yield 'finished'
    })
    const task = await taskOf(engine.send(SCOPE, say('go'), true, {}))
    expect(task.artifacts).toEqual([{ artifactId: 'a', parts: [{ text: '1' }, { text: '2' }] }])
    expect(task.status.state).toBe('TASK_STATE_COMPLETED')
  })

  test('a client that does not wait gets the task before the agent is done', async () => {
    const { agent, go } = pausedAgent((ctx) => ctx.complete())
    const { engine } = engineOf(agent)
    const task = await taskOf(engine.send(SCOPE, say('go'), false, {}))
    expect(['TASK_STATE_SUBMITTED', 'TASK_STATE_WORKING']).toContain(task.status.state)
    go.resolve()
  })

  test('a silent agent is promoted to a task for a client that does not wait', async () => {
    const go = Promise.withResolvers<void>()
    const { engine, clock } = engineOf(async () => {
      await go.promise
      return 'late'
    })
    const sent = taskOf(engine.send(SCOPE, say('go'), false, {}))
    for (let turn = 0; turn < 20; turn++) await Promise.resolve()
    clock.advance(50)
    const task = await sent
    expect(task.status.state).toBe('TASK_STATE_SUBMITTED')
    const { cursor } = await engine.subscribe(SCOPE, task.id)
    go.resolve()
    const [event] = (await cursor.next()) ?? []
    expect(event?.event).toMatchObject({ statusUpdate: { status: { state: 'TASK_STATE_COMPLETED' } } })
  })

  test('an exception of the agent fails the task without telling what happened inside', async () => {
    const seen: unknown[] = []
    const { engine } = engineOf(
      async (_, ctx) => {
        await ctx.status('TASK_STATE_WORKING')
        throw new Error('password=hunter2')
      },
      { onAgentError: (error) => seen.push(error) },
    )
    const task = await taskOf(engine.send(SCOPE, say('go'), true, {}))
    expect(task.status.state).toBe('TASK_STATE_FAILED')
    expect(JSON.stringify(task)).not.toContain('hunter2')
    expect(seen).toHaveLength(1)
  })

  test('an A2AError before any task is the answer itself', async () => {
    const { engine } = engineOf(() => {
      throw new A2AError('ContentTypeNotSupported', 'no images')
    })
    expect(await refusalOf(engine.send(SCOPE, say('go'), true, {}))).toBe('ContentTypeNotSupported')
  })

  test('an agent that says nothing at all is at fault', async () => {
    const { engine } = engineOf(() => undefined)
    expect(await refusalOf(engine.send(SCOPE, say('go'), true, {}))).toBe('InvalidAgentResponse')
  })

  test('an agent that moves backwards fails its task', async () => {
    const { engine } = engineOf(async (_, ctx) => {
      await ctx.status('TASK_STATE_WORKING')
      await ctx.status('TASK_STATE_SUBMITTED')
    })
    expect((await taskOf(engine.send(SCOPE, say('go'), true, {}))).status.state).toBe('TASK_STATE_FAILED')
  })

  test('beyond the maximum of running tasks a message is refused with a hint when to retry', async () => {
    const { agent, go, started } = pausedAgent((ctx) => ctx.complete())
    const { engine } = engineOf(agent, { maxConcurrentTasks: 1 })
    const first = engine.send(SCOPE, say('one'), true, {})
    await started.promise
    expect(await refusalOf(engine.send(SCOPE, say('two'), true, {}))).toBe('ResourceExhausted')
    go.resolve()
    expect((await taskOf(first)).status.state).toBe('TASK_STATE_COMPLETED')
  })
})

describe('continuing a task', () => {
  const asking: Agent = async (message, ctx) => {
    if (ctx.task === undefined) await ctx.requireInput('more?')
    else await ctx.complete(message.parts)
  }

  test('a follow-up with only the task id inherits the context and joins the history', async () => {
    const { engine } = engineOf(asking)
    const asked = await taskOf(engine.send(SCOPE, say('begin'), true, {}))
    expect(asked.status.state).toBe('TASK_STATE_INPUT_REQUIRED')
    const done = await taskOf(engine.send(SCOPE, say('end', { taskId: asked.id }), true, {}))
    expect(done).toMatchObject({ id: asked.id, contextId: asked.contextId })
    expect(done.history?.map(({ parts }) => parts[0])).toEqual([{ text: 'begin' }, { text: 'more?' }, { text: 'end' }])
  })

  test('a follow-up that begins with an artifact is waited for to its end', async () => {
    const { engine } = engineOf(async (_, ctx) => {
      if (ctx.task === undefined) return ctx.requireInput('more?')
      await ctx.artifact({ parts: [{ text: 'first' }] })
      return ctx.setMetadata({ second: true })
    })
    const { id } = await taskOf(engine.send(SCOPE, say('begin'), true, {}))
    const done = await taskOf(engine.send(SCOPE, say('end', { taskId: id }), true, {}))
    expect(done).toMatchObject({ status: { state: 'TASK_STATE_COMPLETED' }, metadata: { second: true } })
  })

  test.each([
    ['an unknown task', { taskId: 'nope' }, SCOPE, 'TaskNotFound'],
    ['a task of somebody else', {}, STRANGER, 'TaskNotFound'],
    ['a task of another context', { contextId: 'other' }, SCOPE, 'InvalidParams'],
  ])('%s is refused', async (_, ids, scope, kind) => {
    const { engine } = engineOf(asking)
    const { id } = await taskOf(engine.send(SCOPE, say('begin'), true, {}))
    expect(await refusalOf(engine.send(scope, say('end', { taskId: id, ...ids }), true, {}))).toBe(kind)
  })

  test('a finished task takes no more messages', async () => {
    const { engine } = engineOf(asking)
    const { id } = await taskOf(engine.send(SCOPE, say('begin'), true, {}))
    await engine.send(SCOPE, say('end', { taskId: id }), true, {})
    expect(await refusalOf(engine.send(SCOPE, say('again', { taskId: id }), true, {}))).toBe('UnsupportedOperation')
  })

  test('of two follow-ups at once exactly one is taken', async () => {
    const { engine } = engineOf(asking)
    const { id } = await taskOf(engine.send(SCOPE, say('begin'), true, {}))
    const both = await Promise.allSettled([1, 2].map((n) => engine.send(SCOPE, say(`${n}`, { taskId: id }), true, {})))
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  })
})

describe('canceling', () => {
  test('stops the agent through its signal and keeps the metadata of the request', async () => {
    const stopped = Promise.withResolvers<unknown>()
    const { engine } = engineOf(async (_, ctx) => {
      await ctx.status('TASK_STATE_WORKING')
      await ctx.sleep(30_000).catch(stopped.resolve)
      await ctx.complete('too late')
    })
    const { id } = await taskOf(engine.send(SCOPE, say('go'), false, {}))
    const canceled = await engine.cancel(SCOPE, { id, metadata: { reason: 'enough' } })
    expect(canceled).toMatchObject({ status: { state: 'TASK_STATE_CANCELED' }, metadata: { reason: 'enough' } })
    expect(await stopped.promise).toMatchObject({ name: 'TaskEnded' })
    expect(await engine.get(SCOPE, { id })).toEqual(canceled)
  })

  test.each([0, 1, 2, 3, 4, 5, 6, 8, 12])('races cleanly with completion (cancel after %i turns)', async (turns) => {
    const { agent, go, started } = pausedAgent((ctx) => ctx.complete())
    const { engine, store } = engineOf(agent)
    const { id } = await taskOf(engine.send(SCOPE, say('go'), false, {}))
    await started.promise
    const { cursor } = await engine.subscribe(SCOPE, id)
    go.resolve()
    for (let turn = 0; turn < turns; turn++) await Promise.resolve()
    const canceled = await engine.cancel(SCOPE, { id }).then(
      () => true,
      (error: A2AError) => {
        expect(error.kind).toBe('TaskNotCancelable')
        return false
      },
    )
    const final = await engine.get(SCOPE, { id })
    expect(final.status.state).toBe(canceled ? 'TASK_STATE_CANCELED' : 'TASK_STATE_COMPLETED')
    const events = (await store.readEvents(SCOPE, id, 0, 100)) ?? []
    const states = events.flatMap(({ event }) => ('statusUpdate' in event ? [event.statusUpdate.status.state] : []))
    expect(states).toEqual(['TASK_STATE_WORKING', final.status.state])
    cursor.close()
  })

  test.each([
    ['unknown', 'nope', SCOPE],
    ["somebody else's", undefined, STRANGER],
  ])('an %s task is not found', async (_, unknown, scope) => {
    const { engine } = engineOf(async (_message, ctx) => ctx.requireInput())
    const { id } = await taskOf(engine.send(SCOPE, say('go'), true, {}))
    expect(await refusalOf(engine.cancel(scope, { id: unknown ?? id }))).toBe('TaskNotFound')
  })
})

describe('following a task', () => {
  test('a subscriber gets the task as it is and then everything after it, once and in order', async () => {
    const { agent, go, started } = pausedAgent(async (ctx) => {
      for (let n = 0; n < 200; n++)
        await ctx.artifact({ artifactId: 'a', parts: [{ text: `${n}` }] }, { append: n > 0 })
      await ctx.complete()
    })
    const { engine } = engineOf(agent)
    const stream = await engine.stream(SCOPE, say('go'), {})
    if ('message' in stream) throw new Error('expected a task')
    await started.promise
    const late = await engine.subscribe(SCOPE, stream.record.task.id)
    go.resolve()
    const [early, after] = await Promise.all([drain(stream.cursor), readUntilTerminal(late.cursor)])
    expect(early.seqs).toEqual(Array.from({ length: 202 }, (_, n) => n + 1))
    expect(late.record.seq).toBe(1)
    expect(after).toEqual(early.seqs.slice(1))
  })

  test('a finished task cannot be subscribed to, but a broken stream can be resumed', async () => {
    const { engine } = engineOf(async (_, ctx) => {
      await ctx.status('TASK_STATE_WORKING')
      await ctx.complete()
    })
    const { id } = await taskOf(engine.send(SCOPE, say('go'), true, {}))
    expect(await refusalOf(engine.subscribe(SCOPE, id))).toBe('UnsupportedOperation')
    expect(await refusalOf(engine.resume(STRANGER, id, 1))).toBe('TaskNotFound')
    expect(await refusalOf(engine.resume(SCOPE, id, 99))).toBe('InvalidParams')
    const cursor = await engine.resume(SCOPE, id, 1)
    expect(await drain(cursor)).toEqual({ seqs: [2], states: ['TASK_STATE_COMPLETED'] })
  })

  test('closing the engine ends every open stream', async () => {
    const { engine } = engineOf(async (_, ctx) => ctx.requireInput())
    const { id } = await taskOf(engine.send(SCOPE, say('go'), true, {}))
    const { cursor } = await engine.subscribe(SCOPE, id)
    const drained = drain(cursor)
    await engine.close()
    expect((await drained).seqs).toEqual([])
    expect(await refusalOf(engine.send(SCOPE, say('go'), true, {}))).toBe('Unavailable')
  })
})

test('closing the engine fails running tasks, tells their readers, and stops the agent', async () => {
  const { agent, started } = pausedAgent((ctx) => ctx.complete())
  const { engine } = engineOf(agent)
  const { id } = await taskOf(engine.send(SCOPE, say('go'), false, {}))
  const { signal } = await started.promise
  const { cursor } = await engine.subscribe(SCOPE, id)
  const seen = drain(cursor)
  await engine.close()
  expect((await seen).states).toEqual(['TASK_STATE_FAILED'])
  expect(signal.aborted).toBe(true)
})

test.each([
  ['waits for the outcome', (engine: TaskEngine) => engine.send(SCOPE, say('go'), true, {})],
  ['streams', (engine: TaskEngine) => engine.stream(SCOPE, say('go'), {})],
])('a client that %s is told when the server stops before the first word of the agent', async (_, ask) => {
  const { engine } = engineOf((_message, ctx) => ctx.sleep(30_000))
  const refused = refusalOf(ask(engine))
  await engine.close()
  expect(await refused).toBe('Unavailable')
})

test('two callers may run a task of the same id without noticing each other', async () => {
  const { agent, started, go } = pausedAgent((ctx) => ctx.complete())
  const { engine } = engineOf(agent)
  const first = engine.send(SCOPE, { ...say('go'), clientTaskId: 'same' }, true, {})
  const { signal } = await started.promise
  const second = engine.send(STRANGER, { ...say('go'), clientTaskId: 'same' }, true, {})
  go.resolve()
  expect((await taskOf(second)).status.state).toBe('TASK_STATE_COMPLETED')
  expect(signal.aborted).toBe(false)
  expect((await taskOf(first)).status.state).toBe('TASK_STATE_COMPLETED')
})

test('in a shared store a task ended by another replica stops the agent here', async () => {
  const { agent, started } = pausedAgent((ctx) => ctx.complete())
  const bus = openMemoryBus()
  const { engine, clock, store } = engineOf(agent, { isShared: true, bus })
  const { id } = await taskOf(engine.send(SCOPE, say('go'), false, {}))
  const { signal } = await started.promise
  const elsewhere = new TaskEngine({
    ...{ agent, store, bus, clock, rules: CUSTOMS },
    ...{ newId: () => randomUUID(), autoComplete: true, promoteAfterMs: 50, maxConcurrentTasks: 100, isShared: true },
    taskLimits: DEFAULT_LIMITS,
    room: new TurnRoom(DEFAULT_LIMITS),
    pageBytes: DEFAULT_LIMITS.pageBytes,
  })
  await elsewhere.cancel(SCOPE, { id })
  const aborted = new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
  await new Promise((resolve) => setImmediate(resolve))
  clock.advance(100)
  await aborted
  expect((await engine.get(SCOPE, { id })).status.state).toBe('TASK_STATE_CANCELED')
})

async function readUntilTerminal(cursor: TaskCursor): Promise<number[]> {
  const seqs: number[] = []
  for (;;) {
    for (const { seq, event } of (await cursor.next()) ?? []) {
      seqs.push(seq)
      if ('statusUpdate' in event && event.statusUpdate.status.state === 'TASK_STATE_COMPLETED') return seqs
    }
  }
}

describe('listing', () => {
  test.each([0, 101, 1.5])('a page size of %s is refused', async (pageSize) => {
    const { engine } = engineOf(() => 'hi')
    expect(await refusalOf(engine.list(SCOPE, { pageSize }))).toBe('InvalidParams')
  })

  test('pages leave out artifacts and history unless asked for', async () => {
    const { engine } = engineOf(async (_, ctx) => {
      await ctx.artifact({ parts: [{ text: 'one' }] })
    })
    await engine.send(SCOPE, say('go'), true, {})
    const lean = (await engine.list(SCOPE, {})).items[0]
    expect(lean).not.toHaveProperty('artifacts')
    expect(lean).not.toHaveProperty('history')
    const full = (await engine.list(SCOPE, { includeArtifacts: true, historyLength: 5 })).items[0]
    expect(full).toMatchObject({ artifacts: [{}], history: [{}] })
    expect((await engine.list(STRANGER, {})).items).toEqual([])
  })
})
