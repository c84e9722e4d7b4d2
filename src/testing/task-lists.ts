// What every task store must do about lists of tasks, as one suite.

import { describe, expect, test } from 'vitest'
import { A2AError } from '../model/errors.ts'
import type { JsonObject } from '../model/json.ts'
import type { TaskState } from '../model/task.ts'
import type { ListQuery, TaskRecord, TaskStore } from '../server/store/task-store.ts'
import { eachWithBackend, type OpenBackend } from './each-with-backend.ts'
import { ALICE, at, atMs, BOB, chunkEvent, sampleTask, seen, statusEvent } from './samples.ts'

/**
 * What lists of tasks have to do.
 *
 * @example
 * ```ts
 * import { type Backend, describeTaskLists } from 'a2a-parley/testing'
 *
 * declare function openMine(): Promise<Backend>
 * describeTaskLists('mine', openMine)
 * ```
 */
export function describeTaskLists(name: string, open: OpenBackend): void {
  describe(`task list contract: ${name}`, () => {
    let store: TaskStore
    eachWithBackend(open, async (backend) => {
      store = await backend.openTasks()
      return [store]
    })

    const working = (id: string, ms?: number) => statusEvent(id, 'TASK_STATE_WORKING', ms)
    const completed = (id: string, ms?: number) => statusEvent(id, 'TASK_STATE_COMPLETED', ms)

    async function listAll(query: Omit<ListQuery, 'pageToken'>): Promise<string[]> {
      const ids: string[] = []
      let pageToken = ''
      do {
        const page = await store.list(ALICE, { ...query, pageToken })
        ids.push(...page.items.map(({ task }) => task.id))
        pageToken = page.next
      } while (pageToken !== '')
      return ids
    }

    describe('list', () => {
      test('an empty scope has an empty page', async () => {
        expect(await store.list(ALICE, { pageSize: 10 })).toEqual({ items: [], next: '', total: 0 })
      })

      test('newest status first, then the one created later first; a new status moves a task to the front', async () => {
        await store.create(ALICE, sampleTask('old', { ms: 10 }))
        await store.create(ALICE, sampleTask('new', { ms: 30 }))
        await store.create(ALICE, sampleTask('same-1', { ms: 20 }))
        await store.create(ALICE, sampleTask('same-2', { ms: 20 }))
        expect(await listAll({ pageSize: 10 })).toEqual(['new', 'same-2', 'same-1', 'old'])
        await store.append(ALICE, 'old', 0, [working('old', 40)])
        expect(await listAll({ pageSize: 10 })).toEqual(['old', 'new', 'same-2', 'same-1'])
      })

      test('a clock that jumps back is no reason to lose a task', async () => {
        await store.create(ALICE, sampleTask('a', { ms: 3_600_000 }))
        await store.create(ALICE, sampleTask('b', { ms: 0 }))
        await store.append(ALICE, 'a', 0, [working('a', -3_600_000)])
        expect(await listAll({ pageSize: 1 })).toEqual(['b', 'a'])
      })

      test('an artifact does not change the order', async () => {
        await store.create(ALICE, sampleTask('a', { ms: 1 }))
        await store.create(ALICE, sampleTask('b', { ms: 2 }))
        await store.append(ALICE, 'a', 0, [chunkEvent('a', 'x')])
        expect(await listAll({ pageSize: 10 })).toEqual(['b', 'a'])
        const { items } = await store.list(ALICE, { pageSize: 10 })
        expect(seen(items[1])).toEqual(seen(await store.get(ALICE, 'a')))
      })

      test.each([1, 7, 24, 25, 26, 100])(
        'pages of %i join to the whole without gap or repetition',
        async (pageSize) => {
          for (let n = 0; n < 25; n++) await store.create(ALICE, sampleTask(`t${n}`, { ms: Math.floor(n / 4) }))
          await store.create(BOB, sampleTask('foreign', { ms: 2 }))
          expect(await listAll({ pageSize })).toEqual(Array.from({ length: 25 }, (_, n) => `t${24 - n}`))
          expect(await store.list(ALICE, { pageSize })).toMatchObject({ total: 25 })
        },
      )

      test('filters alone and together, with their totals', async () => {
        for (let n = 0; n < 12; n++) {
          const id = `t${n}`
          await store.create(ALICE, sampleTask(id, { ms: n, contextId: n % 3 === 0 ? 'third' : 'rest' }))
          if (n % 2 === 0) await store.append(ALICE, id, 0, [completed(id, n)])
        }
        await store.create(ALICE, sampleTask('alone', { ms: -5, contextId: 'single' }))
        const cases: [Omit<ListQuery, 'pageSize'>, string[]][] = [
          [{ contextId: 'third' }, ['t9', 't6', 't3', 't0']],
          [{ state: 'TASK_STATE_COMPLETED' }, ['t10', 't8', 't6', 't4', 't2', 't0']],
          [{ contextId: 'third', state: 'TASK_STATE_COMPLETED' }, ['t6', 't0']],
          [{ statusAfterMs: atMs(9) }, ['t11', 't10', 't9']],
          [{ statusAfterMs: atMs(3), contextId: 'third' }, ['t9', 't6', 't3']],
          [{ statusAfterMs: atMs(5), state: 'TASK_STATE_SUBMITTED' }, ['t11', 't9', 't7', 't5']],
          [{ statusAfterMs: atMs(1), contextId: 'third', state: 'TASK_STATE_COMPLETED' }, ['t6']],
          [{ contextId: 'single' }, ['alone']],
          [{ contextId: 'single', state: 'TASK_STATE_SUBMITTED' }, ['alone']],
          [{ contextId: 'single', state: 'TASK_STATE_COMPLETED' }, []],
          [{ contextId: 'single', statusAfterMs: atMs(0) }, []],
          [{ contextId: 'none' }, []],
          [{ state: 'TASK_STATE_FAILED' }, []],
          [{ statusAfterMs: atMs(100) }, []],
        ]
        for (const [filter, ids] of cases) {
          expect(await listAll({ ...filter, pageSize: 2 }), JSON.stringify(filter)).toEqual(ids)
          expect((await store.list(ALICE, { ...filter, pageSize: 2 })).total, JSON.stringify(filter)).toBe(ids.length)
        }
      })

      test('totals follow a task from state to state', async () => {
        await store.create(ALICE, sampleTask('t'))
        await store.append(ALICE, 't', 0, [working('t')])
        await store.append(ALICE, 't', 1, [completed('t')])
        for (const [state, total] of [
          ['TASK_STATE_SUBMITTED', 0],
          ['TASK_STATE_WORKING', 0],
          ['TASK_STATE_COMPLETED', 1],
        ] as const) {
          expect(await store.list(ALICE, { pageSize: 1, state })).toMatchObject({ total })
        }
      })

      test('totals since any moment are exact, over milliseconds, hours and years', async () => {
        const states: TaskState[] = [
          'TASK_STATE_SUBMITTED',
          'TASK_STATE_WORKING',
          'TASK_STATE_INPUT_REQUIRED',
          'TASK_STATE_COMPLETED',
        ]
        // Around the bounds of the spans that stores may count in, and far from them.
        const bounds = [0, 2 ** 16, 2 ** 26, -(2 ** 16), -(2 ** 26), 3 * 2 ** 26, 50 * 2 ** 30, -1_000 * 2 ** 31]
        const moments = bounds.flatMap((bound) => [-1, 0, 1].map((by) => bound - (atMs(0) % 2 ** 26) + by))
        const standing: { state: TaskState; ms: number }[] = []
        for (const [n, ms] of moments.entries()) {
          const [first, last] = [states[n % 3], states[(n * 7) % 4]]
          await store.create(ALICE, sampleTask(`t${n}`, { ms: moments[(n * 5) % moments.length], state: first }))
          await store.append(ALICE, `t${n}`, 0, [statusEvent(`t${n}`, last ?? 'TASK_STATE_COMPLETED', ms)])
          standing.push({ state: last ?? 'TASK_STATE_COMPLETED', ms })
          await store.create(BOB, sampleTask(`t${n}`, { ms }))
        }
        for (const since of [undefined, ...moments]) {
          for (const state of [undefined, ...states]) {
            const matching = standing.filter(
              (each) => each.ms >= (since ?? Number.NEGATIVE_INFINITY) && each.state === (state ?? each.state),
            )
            const filter = { ...(since !== undefined && { statusAfterMs: atMs(since) }), ...(state && { state }) }
            const { total } = await store.list(ALICE, { pageSize: 1, ...filter })
            expect(total, JSON.stringify(filter)).toBe(matching.length)
          }
        }
      })

      test('totals are right after many wrote at once, to and fro', async () => {
        const turn = async (n: number) => {
          const id = `t${n}`
          await store.create(ALICE, sampleTask(id, { ms: n * 40_000 }))
          for (let seq = 0; seq < 6; seq++) {
            const state = (seq + n) % 2 === 0 ? 'TASK_STATE_INPUT_REQUIRED' : 'TASK_STATE_AUTH_REQUIRED'
            const appended = await store.append(ALICE, id, seq, [statusEvent(id, state, (n + seq) * 40_000)])
            expect(appended.ok).toBe(true)
          }
          if (n % 4 === 0) await store.append(ALICE, id, 6, [completed(id, 10_000_000)])
        }
        await Promise.all(Array.from({ length: 40 }, (_, n) => turn(n)))
        const total = async (filter: Omit<ListQuery, 'pageSize'>) =>
          (await store.list(ALICE, { ...filter, pageSize: 1 })).total
        expect(await total({})).toBe(40)
        expect(await total({ state: 'TASK_STATE_COMPLETED' })).toBe(10)
        expect(await total({ state: 'TASK_STATE_COMPLETED', statusAfterMs: atMs(10_000_000) })).toBe(10)
        expect(await total({ state: 'TASK_STATE_AUTH_REQUIRED' })).toBe(10)
        expect(await total({ state: 'TASK_STATE_INPUT_REQUIRED' })).toBe(20)
        // The ten that have ended, and fifteen of the last twenty.
        expect(await total({ statusAfterMs: atMs(25 * 40_000) })).toBe(25)
      })

      test('a page ends before it becomes too large, and the next one goes on there', async () => {
        for (let n = 0; n < 9; n++) {
          await store.create(ALICE, sampleTask(`${n}`, { ms: n }))
          // Of all sizes, in the snapshot and in the events after it.
          const text = 'x'.repeat(n % 3 === 0 ? 10_000 : 1_000)
          await store.append(ALICE, `${n}`, 0, [
            chunkEvent(`${n}`, text),
            ...(n % 2 === 0 ? [completed(`${n}`, n)] : []),
          ])
        }
        const pageBytes = 14_000
        const whole = await listAll({ pageSize: 100 })
        expect(await listAll({ pageSize: 100, pageBytes })).toEqual(whole)
        const first = await store.list(ALICE, { pageSize: 100, pageBytes })
        expect(first.items.length).toBeLessThan(9)
        expect(first.items.length).toBeGreaterThan(1)
        expect(first.total).toBe(9)
        for (const size of [2, 100]) {
          const byOne = { pageSize: size, pageBytes: 1 }
          expect((await store.list(ALICE, byOne)).items).toHaveLength(1)
          expect(await listAll(byOne)).toEqual(whole)
        }
      })

      test('a page token is good for its own scope and filters only', async () => {
        for (let n = 0; n < 4; n++) await store.create(ALICE, sampleTask(`t${n}`))
        const { next } = await store.list(ALICE, { pageSize: 2 })
        expect(next).toMatch(/^[\w-]+$/)
        expect(await store.list(ALICE, { pageSize: 1, pageToken: next })).toMatchObject({ items: [{ seq: 0 }] })
        const abuses: Promise<unknown>[] = [
          store.list(BOB, { pageSize: 2, pageToken: next }),
          store.list(ALICE, { pageSize: 2, pageToken: next, contextId: 'context' }),
          store.list(ALICE, { pageSize: 2, pageToken: next, state: 'TASK_STATE_SUBMITTED' }),
          store.list(ALICE, { pageSize: 2, pageToken: next, statusAfterMs: 0 }),
          ...['x', '!', `${next}A`, next.slice(1), '0', 'null', '../../etc', '\u0000', 'A'.repeat(10_000)].map(
            (pageToken) => store.list(ALICE, { pageSize: 2, pageToken }),
          ),
        ]
        for (const abuse of await Promise.allSettled(abuses)) {
          expect(abuse).toMatchObject({ status: 'rejected', reason: { kind: 'InvalidParams' } })
          expect(abuse.status === 'rejected' && abuse.reason).toBeInstanceOf(A2AError)
        }
      })

      test('a task that moves to the front while somebody pages is not a reason to repeat others', async () => {
        for (let n = 0; n < 4; n++) await store.create(ALICE, sampleTask(`t${n}`, { ms: n }))
        const first = await store.list(ALICE, { pageSize: 2 })
        await store.append(ALICE, 't0', 0, [working('t0', 50)])
        const second = await store.list(ALICE, { pageSize: 2, pageToken: first.next })
        expect(second.items.map(({ task }) => task.id)).toEqual(['t1'])
        expect(second.next).toBe('')
      })
    })

    test('unfinished tasks of all scopes are what is neither terminal nor waiting for the client', async () => {
      await store.create(ALICE, sampleTask('submitted'))
      await store.create(BOB, sampleTask('working'))
      await store.append(BOB, 'working', 0, [working('working')])
      await store.create(ALICE, sampleTask('waiting'))
      await store.append(ALICE, 'waiting', 0, [statusEvent('waiting', 'TASK_STATE_INPUT_REQUIRED')])
      await store.create(ALICE, sampleTask('done'))
      await store.append(ALICE, 'done', 0, [completed('done')])
      const found = await store.unfinished(10)
      const byId = new Map(found.map(({ scope, record }) => [record.task.id, { scope, seq: record.seq }]))
      expect([...byId.keys()].toSorted()).toEqual(['submitted', 'working'])
      expect(byId.get('working')).toEqual({ scope: BOB, seq: 1 })
      expect(await store.unfinished(1)).toHaveLength(1)
    })

    test('an artifact of 1,000 chunks comes back whole, at every length on the way', async () => {
      await store.create(ALICE, sampleTask('t'))
      const text = 'chunk '.repeat(50)
      for (let n = 0; n < 1000; n++) {
        const appended = await store.append(ALICE, 't', n, [chunkEvent('t', text, n > 0)])
        expect(appended.ok).toBe(true)
        if (n % 97 === 0) expect((await store.get(ALICE, 't'))?.task.artifacts?.[0]?.parts).toHaveLength(n + 1)
      }
      await store.append(ALICE, 't', 1000, [completed('t')])
      expect((await store.get(ALICE, 't'))?.task.artifacts?.[0]?.parts).toHaveLength(1000)
      expect(await store.readEvents(ALICE, 't', 0, 5000)).toHaveLength(1001)
    })

    test('names and texts of any kind come back as they were and touch nothing else', async () => {
      const metadata = JSON.parse(
        '{"__proto__": {"polluted": true}, "constructor": 1, "ключ": "😀", "": null, "lone": "\\ud800", "nul": "\\u0000"}',
      ) as JsonObject
      const odd = "context '; DROP TABLE tasks; -- 😀 % _"
      const task = { ...sampleTask('odd 😀\t', { contextId: odd }), metadata }
      await store.create(ALICE, task)
      await store.append(ALICE, task.id, 0, [{ taskMetadata: metadata }, chunkEvent(task.id, '\u2028\u0000é', false)])
      const record: TaskRecord | undefined = await store.get(ALICE, task.id)
      expect(JSON.stringify(record?.task.metadata)).toBe(JSON.stringify(metadata))
      expect(record?.task.artifacts?.[0]?.parts).toEqual([{ text: '\u2028\u0000é' }])
      expect(await store.list(ALICE, { pageSize: 5, contextId: odd })).toMatchObject({ total: 1 })
      expect(({} as { polluted?: boolean }).polluted).toBeUndefined()
    })

    test('a status without a timestamp sorts last', async () => {
      const { status, ...rest } = sampleTask('timeless')
      await store.create(ALICE, { ...rest, status: { state: status.state } })
      await store.create(ALICE, sampleTask('dated', { ms: 1 }))
      expect(await listAll({ pageSize: 10 })).toEqual(['dated', 'timeless'])
      expect((await store.get(ALICE, 'dated'))?.task.status.timestamp).toBe(at(1))
    })

    test('a probe writes nothing that anybody sees', async () => {
      await store.create(ALICE, sampleTask('t'))
      await store.probe?.()
      await store.probe?.()
      expect(await listAll({ pageSize: 10 })).toEqual(['t'])
      expect(await store.unfinished(10)).toHaveLength(1)
    })

    test('closing twice is harmless', async () => {
      await store.close()
      await store.close()
    })
  })
}
