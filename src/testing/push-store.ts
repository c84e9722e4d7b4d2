// What every store of push configurations must do, as one suite; each implementation runs it from its own test file,
// together with the task store whose events it points into.

import { beforeEach, describe, expect, test } from 'vitest'
import type { Progress, PushStore, Registration } from '../server/store/push-store.ts'
import type { TaskStore } from '../server/store/task-store.ts'
import { eachWithBackend, type OpenBackend } from './each-with-backend.ts'
import { ALICE, BOB, chunkEvent, sampleTask, statusEvent } from './samples.ts'

const LEASE_MS = 30_000
const TEN = { start: undefined, deliveredSeq: 0, maxPerTask: 10, maxPerScope: 1_000 }

function registration(id: string, more: Partial<Registration> = {}): Registration {
  const config = { url: `https://example.com/${id}`, token: 'secret', taskId: 't', id }
  return { scope: ALICE, taskId: 't', id, config, registeredIn: '1.0', mediaType: 'application/json', ...more }
}

function delivered(seq: number, more: Partial<Progress> = {}): Progress {
  return { deliveredSeq: seq, attempts: 0, state: 'active', error: undefined, retryInMs: 0, leaseMs: 0, ...more }
}

/**
 * What a store of webhooks has to do.
 *
 * @example
 * ```ts
 * import { type Backend, describePushStore } from 'a2a-parley/testing'
 *
 * declare function openMine(): Promise<Backend>
 * describePushStore('mine', openMine)
 * ```
 */
export function describePushStore(name: string, open: OpenBackend): void {
  const isDurable = name !== 'memory'
  describe(`push store contract: ${name}`, () => {
    let tasks: TaskStore
    let store: PushStore
    let reopen: () => Promise<PushStore>
    let now: number
    eachWithBackend(open, async (backend) => {
      now = Date.UTC(2026, 0, 1)
      tasks = await backend.openTasks()
      reopen = () => backend.openPush({ now: () => now })
      store = await reopen()
      await tasks.create(ALICE, sampleTask('t'))
      return [store, tasks]
    })

    const task = { scope: ALICE, taskId: 't' }
    const key = { ...task, id: 'a' }
    const ids = async () => (await store.list(task)).map(({ id }) => id)
    const ready = async (taskId?: string) => {
      const which = taskId === undefined ? {} : { task: { scope: ALICE, taskId } }
      return (await store.ready({ ...which, limit: 100 })).map(({ id }) => id)
    }
    const work = (id = 't', seq = 0) => tasks.append(ALICE, id, seq, [statusEvent(id, 'TASK_STATE_WORKING')])

    describe('configurations', () => {
      test('what is put is listed by id, with its position and everything it was registered with', async () => {
        const start = { task: sampleTask('t'), seq: 0 }
        expect(await store.put(registration('b'), TEN)).toBe('stored')
        expect(await store.put(registration('a', { registeredIn: '0.3' }), { ...TEN, start })).toBe('stored')
        expect(await store.list(task)).toEqual([
          {
            ...registration('a', { registeredIn: '0.3' }),
            ...{ start, deliveredSeq: 0, attempts: 0, state: 'active', error: undefined },
          },
          {
            ...registration('b'),
            ...{ start: undefined, deliveredSeq: 0, attempts: 0, state: 'active', error: undefined },
          },
        ])
      })

      test('the same id replaces the configuration and keeps the position', async () => {
        await store.put(registration('a'), TEN)
        await work()
        const lease = await store.claim(key, LEASE_MS)
        if (lease === undefined) throw new Error('not claimed')
        await store.settle(lease, delivered(1))
        const changed = registration('a', { config: { url: 'https://example.org/new' } })
        expect(await store.put(changed, { ...TEN, deliveredSeq: 7, start: { task: sampleTask('t'), seq: 7 } })).toBe(
          'stored',
        )
        expect(await store.list(task)).toMatchObject([{ config: { url: 'https://example.org/new' }, deliveredSeq: 1 }])
      })

      test('there is a limit per task, and replacing does not count', async () => {
        for (let n = 0; n < 10; n++) expect(await store.put(registration(`c${n}`), TEN)).toBe('stored')
        expect(await store.put(registration('c10'), TEN)).toBe('task-full')
        expect(await store.put(registration('c9'), TEN)).toBe('stored')
        await store.remove({ ...task, id: 'c0' })
        expect(await store.put(registration('c10'), TEN)).toBe('stored')
      })

      test('the limit per task is exact when many register at once', async () => {
        const all = Array.from({ length: 30 }, (_, n) => store.put(registration(`c${n}`), TEN))
        const answers = Map.groupBy(await Promise.all(all), (answer) => answer)
        expect([answers.get('stored')?.length, answers.get('task-full')?.length]).toEqual([10, 20])
        expect(await ids()).toHaveLength(10)
      })

      test('there is a limit per scope, over all its tasks, exact when many register at once', async () => {
        const three = { ...TEN, maxPerScope: 3 }
        const taskIds = Array.from({ length: 8 }, (_, n) => `t${n}`)
        for (const id of taskIds) await tasks.create(ALICE, sampleTask(id))
        await tasks.create(BOB, sampleTask('t'))
        const answers = await Promise.all(taskIds.map((taskId) => store.put(registration('a', { taskId }), three)))
        expect(answers.toSorted()).toEqual([...Array(5).fill('scope-full'), ...Array(3).fill('stored')])
        expect(await store.put(registration('a', { scope: BOB }), three)).toBe('stored')
        const stored = taskIds[answers.indexOf('stored')] ?? ''
        expect(await store.put(registration('a', { taskId: stored }), three)).toBe('stored')
        await store.remove({ scope: ALICE, taskId: stored, id: 'a' })
        expect(await store.put(registration('a'), three)).toBe('stored')
      })

      test.each(['done', 'dead'] as const)('one that is %s does not count in its scope', async (state) => {
        const one = { ...TEN, maxPerScope: 1 }
        await store.put(registration('a'), one)
        expect(await store.put(registration('b'), one)).toBe('scope-full')
        const lease = await store.claim(key, LEASE_MS)
        if (lease === undefined) throw new Error('not claimed')
        await store.settle(lease, delivered(0, { state }))
        expect(await store.put(registration('b'), one)).toBe('stored')
      })

      test('removing is idempotent and takes only the one named', async () => {
        await store.put(registration('a'), TEN)
        await store.put(registration('b'), TEN)
        await store.remove({ ...task, id: 'a' })
        await store.remove({ ...task, id: 'a' })
        await store.remove({ ...key, taskId: 'none' })
        expect(await ids()).toEqual(['b'])
      })

      test('another scope neither sees nor removes them, also with a task of the same id', async () => {
        await store.put(registration('a'), TEN)
        await tasks.create(BOB, sampleTask('t'))
        expect(await store.list({ ...task, scope: BOB })).toEqual([])
        await store.remove({ ...key, scope: BOB })
        expect(await ids()).toEqual(['a'])
      })

      test('ids with characters databases dislike are kept apart', async () => {
        const odd = ['nul\u0000', '"quoted"', '\ud800', 'a:b', 'a', 'Ä']
        for (const id of odd) await store.put(registration(id), TEN)
        expect((await ids()).sort()).toEqual(odd.toSorted())
        await work()
        expect(await store.claim({ ...task, id: '\ud800' }, LEASE_MS)).toMatchObject({ row: { id: '\ud800' } })
      })

      if (isDurable)
        test('they survive a new connection', async () => {
          await store.put(registration('a'), TEN)
          const rows = await store.list(task)
          await store.close()
          store = await reopen()
          expect(await store.list(task)).toEqual(rows)
        })
    })

    describe('ready', () => {
      beforeEach(() => store.put(registration('a'), TEN))

      test('a configuration is ready exactly while its task has events after the cursor', async () => {
        expect(await ready()).toEqual([])
        await work()
        expect(await ready()).toEqual(['a'])
        expect(await ready('t')).toEqual(['a'])
        expect(await ready('other')).toEqual([])
        expect(await store.ready({ limit: 1 })).toEqual([{ ...key, url: 'https://example.com/a' }])
        const lease = await store.claim(key, LEASE_MS)
        if (lease === undefined) throw new Error('not claimed')
        await store.settle(lease, delivered(1))
        expect(await ready()).toEqual([])
        await tasks.append(ALICE, 't', 1, [chunkEvent('t', 'x')])
        expect(await ready()).toEqual(['a'])
      })

      test('not while it is held, not before it is due, not once it is done or dead', async () => {
        await work()
        let lease = await store.claim(key, LEASE_MS)
        expect(await ready()).toEqual([])
        if (lease === undefined) throw new Error('not claimed')
        await store.settle(lease, delivered(0, { attempts: 1, error: 'no', retryInMs: 5_000 }))
        expect(await ready('t')).toEqual([])
        now += 5_000
        expect(await ready('t')).toEqual(['a'])
        lease = await store.claim(key, LEASE_MS)
        if (lease === undefined) throw new Error('not claimed')
        expect(lease.row).toMatchObject({ attempts: 1, error: 'no' })
        await store.settle(lease, delivered(0, { state: 'dead' }))
        expect(await ready()).toEqual([])
        expect(await store.isLive(task)).toBe(false)
      })

      test('finds them among many that are not', async () => {
        for (let n = 0; n < 30; n++) {
          await tasks.create(ALICE, sampleTask(`t${n}`))
          await store.put(registration('a', { taskId: `t${n}` }), TEN)
        }
        await work('t17')
        await work('t3')
        const found = await store.ready({ limit: 100 })
        expect(found.map(({ taskId }) => taskId).sort()).toEqual(['t17', 't3'])
        expect(await store.ready({ limit: 1 })).toHaveLength(1)
      })
    })

    describe('leases', () => {
      beforeEach(async () => {
        await store.put(registration('a'), TEN)
        await work()
      })

      test('of twenty that claim at once one gets it', async () => {
        const claims = await Promise.all(Array.from({ length: 20 }, () => store.claim(key, LEASE_MS)))
        expect(claims.filter((lease) => lease !== undefined)).toHaveLength(1)
      })

      test('a lease that ran out is free again, and its first holder can no longer write', async () => {
        const first = await store.claim(key, LEASE_MS)
        now += LEASE_MS - 1
        expect(await store.claim(key, LEASE_MS)).toBeUndefined()
        now += 1
        const second = await store.claim(key, LEASE_MS)
        if (first === undefined || second === undefined) throw new Error('not claimed')
        expect(await store.settle(first, delivered(1, { state: 'done' }))).toBe(false)
        expect(await store.list(task)).toMatchObject([{ deliveredSeq: 0, state: 'active' }])
        expect(await store.settle(second, delivered(1, { leaseMs: LEASE_MS }))).toBe(true)
        now += LEASE_MS - 1
        expect(await store.settle(second, delivered(2))).toBe(true)
        expect(await store.settle(second, delivered(3))).toBe(false)
      })

      test.each([
        ['removed', () => store.remove({ ...task, id: 'a' })],
        ['replaced', () => store.put(registration('a'), TEN)],
      ])('whoever delivers to a configuration that was %s learns it', async (_, change) => {
        const lease = await store.claim(key, LEASE_MS)
        if (lease === undefined) throw new Error('not claimed')
        await change()
        expect(await store.settle(lease, delivered(1))).toBe(false)
        expect(await store.settle(lease, 'remove')).toBe(false)
      })

      test('its holder may remove it', async () => {
        const lease = await store.claim(key, LEASE_MS)
        if (lease === undefined) throw new Error('not claimed')
        expect(await store.settle(lease, 'remove')).toBe(true)
        expect(await ids()).toEqual([])
        expect(await ready()).toEqual([])
      })
    })

    test('dead ones are listed over all scopes and can be made active again', async () => {
      await tasks.create(BOB, sampleTask('u'))
      await store.put(registration('a'), TEN)
      await store.put(registration('b', { scope: BOB, taskId: 'u' }), TEN)
      await work()
      const lease = await store.claim(key, LEASE_MS)
      if (lease === undefined) throw new Error('not claimed')
      await store.settle(lease, delivered(0, { attempts: 8, state: 'dead', error: 'answered 500', retryInMs: 9_000 }))
      expect(await store.dead(10)).toMatchObject([{ scope: ALICE, id: 'a', attempts: 8, error: 'answered 500' }])
      expect(await store.revive({ scope: BOB, taskId: 'u', id: 'b' })).toBe(false)
      expect(await store.revive(key)).toBe(true)
      expect(await store.revive(key)).toBe(false)
      expect(await store.dead(10)).toEqual([])
      expect(await ready()).toEqual(['a'])
      expect(await store.claim(key, LEASE_MS)).toMatchObject({ row: { attempts: 8 } })
    })
  })
}
