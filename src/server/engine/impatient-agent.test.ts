import { describe, expect, test } from 'vitest'
import { engineOf, pausedAgent, SCOPE, say, taskOf } from '../../../test/support/engine.ts'
import { A2AError } from '../../model/errors.ts'
import { openMemoryStore } from '../backend/memory/tasks.ts'
import type { TaskStore } from '../store/task-store.ts'
import type { Agent, AgentContext } from './agent.ts'

/** In the next turn of the event loop. */
async function afterATurn<T>(act: () => T | Promise<T>): Promise<T> {
  await new Promise((resolve) => setImmediate(resolve))
  return act()
}

/** What nobody caught while `act` ran, and in the turn of the event loop after it. */
async function unhandledDuring(act: () => Promise<void>): Promise<unknown[]> {
  const unhandled: unknown[] = []
  const note = (reason: unknown) => void unhandled.push(reason)
  process.on('unhandledRejection', note)
  try {
    await act()
    return await afterATurn(() => unhandled)
  } finally {
    process.off('unhandledRejection', note)
  }
}

describe('an agent that does not wait for its words', () => {
  test('may say them too late', async () => {
    const { agent, go, started } = pausedAgent((ctx) => {
      void ctx.artifact({ parts: [{ text: 'late' }] })
      void ctx.status('TASK_STATE_WORKING')
      void ctx.message('late')
      void ctx.setMetadata({ late: true })
      void ctx.sleep(10)
      return Promise.resolve()
    })
    const { engine } = engineOf(agent)
    const unhandled = await unhandledDuring(async () => {
      const { id } = await taskOf(engine.send(SCOPE, say('go'), false, {}))
      await started.promise
      const canceled = await engine.cancel(SCOPE, { id })
      go.resolve()
      expect(await afterATurn(() => engine.get(SCOPE, { id }))).toEqual(canceled)
    })
    expect(unhandled).toEqual([])
  })

  test('may reply twice and is heard once', async () => {
    const { engine } = engineOf(async (_, ctx) => {
      void ctx.message('first')
      void ctx.message('second')
    })
    const unhandled = await unhandledDuring(async () => {
      const outcome = await engine.send(SCOPE, say('go'), true, {})
      expect(outcome).toMatchObject({ message: { parts: [{ text: 'first' }] } })
    })
    expect(unhandled).toEqual([])
  })
})

describe('a store that takes its time', () => {
  function engineOnSlowStore(agent: Agent) {
    const store = openMemoryStore()
    const slow: TaskStore = {
      create: (...args) => afterATurn(() => store.create(...args)),
      get: (...args) => afterATurn(() => store.get(...args)),
      append: (...args) => afterATurn(() => store.append(...args)),
      readEvents: (...args) => afterATurn(() => store.readEvents(...args)),
      list: (...args) => store.list(...args),
      unfinished: (...args) => store.unfinished(...args),
      close: () => store.close(),
    }
    return engineOf(agent, { store: slow }).engine
  }

  test.each<[string, (ctx: AgentContext) => string | undefined]>([
    ['returns its answer', () => 'done'],
    [
      'says it',
      (ctx) => {
        void ctx.message('done')
        return undefined
      },
    ],
    ['says nothing more', () => undefined],
  ])('completes the task of an agent that does not wait for its first words and %s', async (_, goOn) => {
    const engine = engineOnSlowStore(async (_message, ctx) => {
      void ctx.status('TASK_STATE_WORKING')
      return goOn(ctx)
    })
    const task = await taskOf(engine.send(SCOPE, say('go'), true, {}))
    expect((await engine.get(SCOPE, { id: task.id })).status.state).toBe('TASK_STATE_COMPLETED')
  })
})

describe('a task whose webhook is refused', () => {
  test.each([true, false])('is told as failed, whether the client waits or not (%s)', async (waits) => {
    const { engine } = engineOf(async (_, ctx) => ctx.status('TASK_STATE_WORKING'))
    const refused = new A2AError('ResourceExhausted', 'no more webhooks')
    const onTask = () => Promise.reject(refused)
    const task = await taskOf(engine.send(SCOPE, say('go'), waits, { onTask }))
    expect(task.status).toMatchObject({
      state: 'TASK_STATE_FAILED',
      message: { parts: [{ text: 'no more webhooks' }] },
    })
  })
})
