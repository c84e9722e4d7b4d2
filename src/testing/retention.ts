// What every store must do about tasks that are no longer kept, as one suite.

import { describe, expect, test } from 'vitest'
import type { TaskState } from '../model/task.ts'
import type { Backend } from '../server/backend/backend.ts'
import type { Expiry, TaskStore } from '../server/store/task-store.ts'
import { eachWithBackend, type OpenBackend } from './each-with-backend.ts'
import { ALICE, BOB, chunkEvent, sampleTask, statusEvent } from './samples.ts'

const SECOND = 1_000

/**
 * What deleting old tasks has to do.
 *
 * @example
 * ```ts
 * import { type Backend, describeRetention } from 'a2a-parley/testing'
 *
 * declare function openMine(): Promise<Backend>
 * describeRetention('mine', openMine)
 * ```
 */
export function describeRetention(name: string, open: OpenBackend): void {
  describe(`retention contract: ${name}`, () => {
    let backend: Backend
    let store: TaskStore
    let now: number
    const start = async (opened: Backend) => {
      backend = opened
      store = await backend.openTasks()
      return [store]
    }
    eachWithBackend(open, start, () => {
      now = Date.UTC(2026, 0, 1)
      return { now: () => now }
    })

    /** Until there is nothing left to do. */
    async function expire(expiry: Omit<Expiry, 'limit'>, limit = 10): Promise<void> {
      for (let steps = 0; ((await store.expire?.({ ...expiry, limit })) ?? 0) > 0; steps++)
        if (steps > 1_000) throw new Error('retention does not end')
    }

    async function begin(id: string, state: TaskState, scope = ALICE): Promise<void> {
      await store.create(scope, sampleTask(id))
      await store.append(scope, id, 0, [chunkEvent(id, 'chunk'), statusEvent(id, state)])
      now += SECOND
    }

    const kept = async (scope = ALICE) =>
      (await store.list(scope, { pageSize: 100 })).items.map(({ task }) => task.id).sort()

    test('what changed before the moment is unknown from then on, in every way to ask', async () => {
      await begin('old', 'TASK_STATE_COMPLETED')
      await begin('new', 'TASK_STATE_COMPLETED')
      await expire({ before: now - SECOND })
      expect(await store.get(ALICE, 'old')).toBeUndefined()
      expect(await store.readEvents(ALICE, 'old', 0, 10)).toBeUndefined()
      expect(await store.append(ALICE, 'old', 2, [chunkEvent('old', 'more')])).toEqual({ ok: false, reason: 'gone' })
      expect(await kept()).toEqual(['new'])
      expect((await store.list(ALICE, { pageSize: 1, state: 'TASK_STATE_COMPLETED' })).total).toBe(1)
    })

    test('tasks that are being worked on are kept, those that wait for their client are not', async () => {
      await begin('working', 'TASK_STATE_WORKING')
      await begin('asks', 'TASK_STATE_INPUT_REQUIRED')
      await begin('asks for a password', 'TASK_STATE_AUTH_REQUIRED')
      await store.create(ALICE, sampleTask('new'))
      now += SECOND
      await expire({ before: now })
      await expire({ keep: 0 })
      expect(await kept()).toEqual(['new', 'working'])
    })

    test('a task that goes on is young again', async () => {
      await begin('t', 'TASK_STATE_INPUT_REQUIRED')
      const limit = now
      await store.append(ALICE, 't', 2, [statusEvent('t', 'TASK_STATE_WORKING', 1)])
      await expire({ before: now + SECOND })
      now += SECOND
      await store.append(ALICE, 't', 3, [statusEvent('t', 'TASK_STATE_COMPLETED', 2)])
      await expire({ before: limit })
      expect(await kept()).toEqual(['t'])
      await expire({ before: now + SECOND })
      expect(await kept()).toEqual([])
    })

    test('of too many those that changed last stay, whoever they belong to', async () => {
      for (const n of [1, 2, 3]) await begin(`alice ${n}`, 'TASK_STATE_COMPLETED')
      for (const n of [1, 2, 3]) await begin(`bob ${n}`, 'TASK_STATE_FAILED', BOB)
      await expire({ keep: 4 }, 1)
      expect(await kept()).toEqual(['alice 3'])
      expect(await kept(BOB)).toEqual(['bob 1', 'bob 2', 'bob 3'])
    })

    test('an id that was deleted can be used again, and nothing of the old task comes back', async () => {
      await begin('t', 'TASK_STATE_COMPLETED')
      await expire({ before: now + SECOND })
      expect(await store.create(ALICE, sampleTask('t'))).not.toBe('exists')
      expect(await store.readEvents(ALICE, 't', 0, 10)).toEqual([])
    })

    test('a task with many events goes, too', async () => {
      await store.create(ALICE, sampleTask('long'))
      const events = Array.from({ length: 3_000 }, () => chunkEvent('long', 'chunk'))
      await store.append(ALICE, 'long', 0, [...events, statusEvent('long', 'TASK_STATE_COMPLETED')])
      await expire({ before: now + SECOND })
      expect(await store.get(ALICE, 'long')).toBeUndefined()
      await begin('next', 'TASK_STATE_COMPLETED')
      expect(((await store.readEvents(ALICE, 'next', 0, 10)) ?? []).map(({ seq }) => seq)).toEqual([1, 2])
    })

    test('push configurations and links go with their task, and whoever listens is told', async () => {
      const told: string[] = []
      store.onForgotten?.(({ subject }, id) => void told.push(`${subject} ${id}`))
      await begin('t', 'TASK_STATE_INPUT_REQUIRED')
      const push = await backend.openPush({ now: () => now })
      const links = await backend.openLinks()
      const registration = {
        scope: ALICE,
        taskId: 't',
        id: 'c',
        registeredIn: '1.0' as const,
        mediaType: 'application/json',
      }
      const config = { url: 'https://example.com/', taskId: 't', id: 'c' }
      const limits = { start: undefined, deliveredSeq: 0, maxPerTask: 10, maxPerScope: 10 }
      await push.put({ ...registration, config }, limits)
      const link = { scope: ALICE, taskId: 't', contextId: 'c', downstreamTaskId: 'x', downstreamContextId: undefined }
      await links.saveTask(link)
      await expire({ before: now + SECOND })
      expect(told).toEqual([`${ALICE.subject} t`])
      // Beside tasks in memory, whoever was told does it.
      push.forget?.(registration)
      expect(await push.list(registration)).toEqual([])
      expect(await links.task(ALICE, 't')).toBeUndefined()
      expect(await links.taskOfAgent(ALICE, 'x')).toBeUndefined()
      await push.close()
      await links.close()
    })
  })
}
