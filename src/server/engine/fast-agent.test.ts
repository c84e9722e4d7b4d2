// Agents that emit as fast as they can: others get their turn all the same.

import { describe, expect, test } from 'vitest'
import { engineOf, SCOPE, say, taskOf } from '../../../test/support/engine.ts'
import { MAX_UNITS } from '../../base/fair-turns.ts'
import { openMemoryStore } from '../backend/memory/tasks.ts'
import { openSqliteStore } from '../backend/sqlite/backend.ts'
import type { Agent, AgentContext } from './agent.ts'
import type { TaskCursor } from './task-cursor.ts'

/**
 * Counts what happens between two turns of the event loop, until it is stopped. Where one turn ends and the next begins is
 * seen by each from its own place in the turn, so that it may see the ends of two.
 */
function countPerTurn() {
  let count = 0
  let most = 0
  let isStopped = false
  const turn = () => {
    most = Math.max(most, count)
    count = 0
    if (!isStopped) setImmediate(turn)
  }
  setImmediate(turn)
  const stop = () => {
    isStopped = true
    return Math.max(most, count)
  }
  return { note: () => void count++, stop }
}

const chunk = (ctx: AgentContext) => ctx.artifact({ artifactId: 'a', parts: [{ text: 'chunk' }] }, { append: true })

const STORES = [
  ['memory', async () => openMemoryStore(), 100_000],
  ['SQLite', () => openSqliteStore(':memory:'), 10_000],
] as const

describe.each(STORES)('on %s', (_, open, events) => {
  const taskLimits = { taskEvents: 100_000, taskBytes: 100_000_000 }

  async function emitting(agent: (note: () => void) => Agent, tasks: number) {
    const perTurn = countPerTurn()
    const store = await open()
    const { engine } = engineOf(agent(perTurn.note), { store, taskLimits })
    const sent = Array.from({ length: tasks }, () => taskOf(engine.send(SCOPE, say('go'), true, {})))
    const ended = await Promise.all(sent)
    expect(ended.every(({ status }) => status.state === 'TASK_STATE_COMPLETED')).toBe(true)
    await store.close()
    return perTurn.stop()
  }

  test('an agent that waits for each of its words lets the event loop turn', async () => {
    const agent =
      (note: () => void): Agent =>
      async (_message, ctx) => {
        // The end is an event too.
        for (let n = 1; n < events; n++) {
          await chunk(ctx)
          note()
        }
      }
    expect(await emitting(agent, 1)).toBeLessThanOrEqual(2 * MAX_UNITS)
  })

  test('so do a hundred agents together', async () => {
    const agent =
      (note: () => void): Agent =>
      async (_message, ctx) => {
        for (let n = 1; n < events / 100; n++) {
          await chunk(ctx)
          note()
        }
      }
    expect(await emitting(agent, 100)).toBeLessThanOrEqual(2 * MAX_UNITS)
  })
})

test('a reader of a long log lets the event loop turn', async () => {
  const taskLimits = { taskEvents: 100_000, taskBytes: 100_000_000 }
  const { engine } = engineOf(
    async (_message, ctx) => {
      for (let n = 1; n < 100_000; n++) await chunk(ctx)
    },
    { taskLimits },
  )
  const { id } = await taskOf(engine.send(SCOPE, say('go'), true, {}))
  const perTurn = countPerTurn()
  expect(await readAll(await engine.resume(SCOPE, id, 0), perTurn.note)).toBe(100_000)
  expect(perTurn.stop()).toBeLessThanOrEqual(2 * MAX_UNITS)
})

/** Notes every batch. */
async function readAll(cursor: TaskCursor, note: () => void): Promise<number> {
  let seen = 0
  for (let batch = await cursor.next(); batch !== undefined; batch = await cursor.next()) {
    seen += batch.length
    note()
  }
  return seen
}
