// How large a task may become, and what its client, its agent and its operator learn when it is too large.

import { describe, expect, test } from 'vitest'
import { engineOf, pausedAgent, SCOPE, say, taskOf } from '../../../test/support/engine.ts'
import { A2AError } from '../../model/errors.ts'
import type { JsonValue } from '../../model/json.ts'
import { ANONYMOUS } from '../../model/scope.ts'
import { textOf } from '../../model/task.ts'
import type { Agent, AgentContext } from './agent.ts'
import { TurnRoom } from './turn-room.ts'

const TASK_LIMITS = { taskEvents: 10, taskBytes: 100_000 }

const chunk = (ctx: AgentContext, size = 10) =>
  ctx.artifact({ artifactId: 'a', parts: [{ text: 'x'.repeat(size) }] }, { append: true })

function limited(agent: Agent) {
  const told: string[] = []
  const onAgentError = (error: unknown) => void told.push(error instanceof Error ? error.message : '')
  return { ...engineOf(agent, { taskLimits: TASK_LIMITS, onAgentError }), told }
}

async function outcomeOf(agent: Agent) {
  const { engine, told } = limited(agent)
  const task = await taskOf(engine.send(SCOPE, say('go'), true, {}))
  return { task, words: textOf(task.status.message), told, stored: await engine.get(SCOPE, { id: task.id }) }
}

describe('a task', () => {
  test('may have as many events as the limit says', async () => {
    const { task } = await outcomeOf(async (_, ctx) => {
      for (let n = 0; n < 9; n++) await chunk(ctx)
    })
    expect(task.status.state).toBe('TASK_STATE_COMPLETED')
    expect(task.artifacts?.[0]?.parts).toHaveLength(9)
  })

  test('fails with the number when its agent says more than that', async () => {
    const { task, words, told } = await outcomeOf(async (_, ctx) => {
      for (;;) await chunk(ctx)
    })
    expect(task.status.state).toBe('TASK_STATE_FAILED')
    expect(words).toBe('This task was stopped at its limit of 10 events; the agent went on to say more.')
    expect(task.artifacts?.[0]?.parts).toHaveLength(10)
    expect(told).toEqual([words])
  })

  test('fails with the number when it becomes too large', async () => {
    const { task, words } = await outcomeOf(async (_, ctx) => {
      for (;;) await chunk(ctx, 30_000)
    })
    expect(task.status.state).toBe('TASK_STATE_FAILED')
    expect(words).toMatch(/^This task was stopped at its limit of 100,000 bytes; the agent went on to 12\d,\d\d\d\.$/)
    expect(task.artifacts?.[0]?.parts).toHaveLength(3)
  })

  test('fails although its agent does not listen, and stays as it failed', async () => {
    const { stored, words } = await outcomeOf(async (_, ctx) => {
      for (let n = 0; n < 30; n++) await chunk(ctx).catch(() => {})
      await ctx.complete('done').catch(() => {})
    })
    expect(stored.status.state).toBe('TASK_STATE_FAILED')
    expect(words).toContain('limit of 10 events')
  })

  test('fails although its agent waits for nothing', async () => {
    const { stored } = await outcomeOf(async (_, ctx) => {
      for (let n = 0; n < 30; n++) void chunk(ctx)
    })
    expect(stored.status.state).toBe('TASK_STATE_FAILED')
    expect(stored.artifacts?.[0]?.parts).toHaveLength(10)
  })

  test('tells its agent to stop', async () => {
    const aborted = Promise.withResolvers<unknown>()
    await outcomeOf(async (_, ctx) => {
      ctx.signal.addEventListener('abort', () => aborted.resolve(ctx.signal.reason))
      for (;;) await chunk(ctx)
    })
    expect(await aborted.promise).toMatchObject({ name: 'TaskEnded' })
  })
})

describe('a message', () => {
  test('that is larger than a task may be is refused before its agent sees it', async () => {
    const { engine, told } = limited(() => 'never said')
    const refused = await refusalOf(engine.send(SCOPE, say('x'.repeat(100_000)), true, {}))
    expect(refused).toMatchObject({ kind: 'ResourceExhausted' })
    expect(refused.message).toMatch(
      /^A task would have 100,\d\d\d bytes with this message; at most 100,000 are allowed\.$/,
    )
    expect(told).toEqual([])
  })

  test('that would make its task too large is refused, and the task stays as it was', async () => {
    const { engine } = limited((_, ctx) => ctx.requireInput('more?'))
    const before = await taskOf(engine.send(SCOPE, say('x'.repeat(60_000)), true, {}))
    const more = say('x'.repeat(60_000), { taskId: before.id })
    expect(await refusalOf(engine.send(SCOPE, more, true, {}))).toMatchObject({ kind: 'ResourceExhausted' })
    expect(await engine.get(SCOPE, { id: before.id })).toEqual(before)
  })

  test('to a task that has all the events it may have is refused', async () => {
    const { engine } = limited((_, ctx) => ctx.requireInput('more?'))
    const { id } = await taskOf(engine.send(SCOPE, say('go'), true, {}))
    for (let turn = 0; turn < 4; turn++) await engine.send(SCOPE, say('more', { taskId: id }), true, {})
    const refused = await refusalOf(engine.send(SCOPE, say('more', { taskId: id }), true, {}))
    expect(refused.message).toContain('10 events')
  })
})

describe('turns under way', () => {
  test('hold a bounded amount of memory, over all agents; one more is told to come back until one is over', async () => {
    const room = new TurnRoom({ turnBytes: 100_000, turnsPerCaller: 100 })
    const { agent, started, go } = pausedAgent((ctx) => ctx.complete())
    const { engine } = engineOf(agent, { room })
    const { engine: other } = engineOf(() => 'hi', { room })
    const first = engine.send(SCOPE, say('x'.repeat(60_000)), true, {})
    await started.promise
    const refused = await refusalOf(other.send(SCOPE, say('x'.repeat(60_000)), true, {}))
    expect(refused).toMatchObject({ kind: 'ResourceExhausted', options: { retryAfterSeconds: 1 } })
    expect(refused.message).toMatch(
      /^Running tasks hold 60,\d\d\d of 100,000 bytes, which leaves no room for 60,\d\d\d more/,
    )
    expect(await other.send(SCOPE, say('small'), true, {})).toMatchObject({ message: {} })
    go.resolve()
    await first
    await new Promise((resolve) => setImmediate(resolve))
    expect(await other.send(SCOPE, say('x'.repeat(60_000)), true, {})).toMatchObject({ message: {} })
  })

  test('of one authenticated caller are bounded; others, and the anonymous crowd, do not notice', async () => {
    const room = new TurnRoom({ turnBytes: 100_000, turnsPerCaller: 2 })
    const { agent, started, go } = pausedAgent((ctx) => ctx.complete())
    const { engine } = engineOf(agent, { room })
    const first = [engine.send(SCOPE, say('one'), true, {}), engine.send(SCOPE, say('two'), true, {})]
    await started.promise
    const refused = await refusalOf(engine.send({ ...SCOPE, agent: '/other' }, say('three'), true, {}))
    expect(refused).toMatchObject({ kind: 'ResourceExhausted', message: expect.stringContaining('2 running tasks') })
    const others = [{ subject: 'bob' }, { tenant: 'other' }, { subject: ANONYMOUS }, { subject: ANONYMOUS }]
    const sent = [...others, { subject: ANONYMOUS }].map((who) => engine.send({ ...SCOPE, ...who }, say('x'), true, {}))
    go.resolve()
    await Promise.all([...first, ...sent])
    await new Promise((resolve) => setImmediate(resolve))
    expect((await taskOf(engine.send(SCOPE, say('four'), true, {}))).status.state).toBe('TASK_STATE_COMPLETED')
  })
})

const itself: unknown[] = []
itself.push(itself, itself)

test.each<[string, unknown]>([
  ['a number without end', Number.POSITIVE_INFINITY],
  ['no number', Number.NaN],
  ['a bigint', 1n],
  ['a list of itself', itself],
])('an agent that answers with %s fails its task', async (_, data) => {
  const { task, words } = await outcomeOf(async (_message, ctx) => {
    await ctx.status('TASK_STATE_WORKING')
    await ctx.artifact({ parts: [{ data: { deep: [data as JsonValue] } }] })
  })
  expect(task.status.state).toBe('TASK_STATE_FAILED')
  expect(words).toContain('JSON cannot express')
})

test('an agent that answers with one of these without a task is refused', async () => {
  const { engine } = limited((_, ctx) => ctx.message([{ data: Number.NaN }]))
  const refused = await refusalOf(engine.send(SCOPE, say('go'), true, {}))
  expect(refused).toMatchObject({ kind: 'InvalidAgentResponse', message: expect.stringContaining('cannot express') })
})

const LONG_ID = 'x'.repeat(257)

test.each<[string, (ctx: AgentContext) => Promise<unknown>, string]>([
  ['an artifact', (ctx) => ctx.artifact({ artifactId: LONG_ID, parts: [] }), '/artifact/artifactId'],
  [
    'a message',
    (ctx) => ctx.status('TASK_STATE_WORKING', { messageId: LONG_ID, parts: [] }),
    '/status/message/messageId',
  ],
])('an agent that chooses too long an id for %s fails its task', async (_, act, pointer) => {
  const { task, words } = await outcomeOf(async (_message, ctx) => {
    await ctx.status('TASK_STATE_WORKING')
    await act(ctx)
  })
  expect(task.status.state).toBe('TASK_STATE_FAILED')
  expect(words).toBe(`The agent chose an id that is too long: ${pointer} must have at most 256 characters, not 257.`)
})

async function refusalOf(answer: Promise<unknown>): Promise<A2AError> {
  const error = await answer.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  if (!(error instanceof A2AError)) throw new Error('expected to be refused')
  return error
}
