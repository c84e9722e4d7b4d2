// What every task store must do, as one suite; each implementation runs it from its own test file.

import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { A2AError } from '../../src/model/errors.ts'
import type { TaskEvent } from '../../src/model/event.ts'
import { applyEvents } from '../../src/model/fold.ts'
import { MAX_ID_LENGTH } from '../../src/model/ids.ts'
import type { JsonObject } from '../../src/model/json.ts'
import type { TaskState } from '../../src/model/task.ts'
import type { ListQuery, TaskRecord, TaskStore } from '../../src/server/store/task-store.ts'
import { ALICE, at, atMs, BOB, chunkEvent, sampleTask, seen, seenAppend, statusEvent } from './samples.ts'

export function describeTaskStore(name: string, open: () => Promise<TaskStore>): void {
  describe(`task store contract: ${name}`, () => {
    let store: TaskStore
    beforeEach(async () => {
      store = await open()
    })
    afterEach(() => store.close())

    const working = (id: string, ms?: number) => statusEvent(id, 'TASK_STATE_WORKING', ms)
    const completed = (id: string, ms?: number) => statusEvent(id, 'TASK_STATE_COMPLETED', ms)

    async function seqOf(id: string): Promise<number | undefined> {
      return (await store.get(ALICE, id))?.seq
    }

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

    describe('create and get', () => {
      test('a created task is readable at sequence 0', async () => {
        const task = sampleTask('t')
        expect(seen(await store.create(ALICE, task))).toEqual({ task, seq: 0 })
        expect(seen(await store.get(ALICE, 't'))).toEqual({ task, seq: 0 })
      })

      test('an id is taken once in a scope, and the first task stays as it was', async () => {
        await store.create(ALICE, sampleTask('t', { contextId: 'first' }))
        expect(await store.create(ALICE, sampleTask('t'))).toBe('exists')
        expect((await store.get(ALICE, 't'))?.task.contextId).toBe('first')
      })

      test.each([
        ['plain', 'x'],
        ['of three bytes each', '\u4e16'],
        ['that no database keeps as they are', '\u0000'],
        ['of half a character', '\ud800'],
      ])('ids of the greatest length are kept, with characters %s', async (_, character) => {
        const id = character.repeat(MAX_ID_LENGTH)
        const scope = { agent: 'echo', tenant: id, subject: id }
        await store.create(scope, sampleTask(id, { contextId: id }))
        await store.append(scope, id, 0, [completed(id)])
        expect((await store.get(scope, id))?.task).toMatchObject({ id, contextId: id })
        expect((await store.list(scope, { pageSize: 10, contextId: id })).total).toBe(1)
        expect(await store.create(scope, sampleTask(id))).toBe('exists')
      })

      test('names that databases write alike are not the same name', async () => {
        const names = ['\ud800', '\udfff', '\ufffd', '"\\ud800"', 'a\u0000b', '"a\\u0000b"']
        for (const name of names) {
          const scope = { ...ALICE, tenant: name }
          expect(seen(await store.create(scope, sampleTask('t', { contextId: name })))).toMatchObject({ seq: 0 })
          expect(await store.create(ALICE, sampleTask(name, { contextId: name }))).not.toBe('exists')
        }
        for (const name of names) {
          expect((await store.list({ ...ALICE, tenant: name }, { pageSize: 10 })).total).toBe(1)
          expect((await store.list(ALICE, { pageSize: 10, contextId: name })).total).toBe(1)
          expect((await store.get(ALICE, name))?.task.id).toBe(name)
        }
        const scopes = (await store.unfinished(100)).map(({ scope }) => scope.tenant)
        expect(new Set(scopes)).toEqual(new Set([...names, '']))
      })

      test('the same id in two scopes names two tasks that know nothing of each other', async () => {
        const [mine, theirs] = [sampleTask('t', { contextId: 'mine' }), sampleTask('t', { contextId: 'theirs' })]
        expect(seen(await store.create(ALICE, mine))).toEqual({ task: mine, seq: 0 })
        expect(seen(await store.create(BOB, theirs))).toEqual({ task: theirs, seq: 0 })
        await store.append(ALICE, 't', 0, [chunkEvent('t', 'of alice', false)])
        await store.append(BOB, 't', 0, [chunkEvent('t', 'of bob', false)])
        await store.append(BOB, 't', 1, [completed('t')])
        expect(await store.get(ALICE, 't')).toMatchObject({ seq: 1, task: { contextId: 'mine' } })
        expect((await store.get(ALICE, 't'))?.task.artifacts?.[0]?.parts).toEqual([{ text: 'of alice' }])
        expect((await store.get(BOB, 't'))?.task.artifacts?.[0]?.parts).toEqual([{ text: 'of bob' }])
        expect((await store.readEvents(ALICE, 't', 0, 10))?.length).toBe(1)
        expect((await store.readEvents(BOB, 't', 0, 10))?.length).toBe(2)
        expect((await store.list(ALICE, { pageSize: 10 })).items).toHaveLength(1)
        expect((await store.unfinished(10)).map(({ scope }) => scope)).toEqual([ALICE])
      })

      test.each([
        ['subject', { ...ALICE, subject: 'bob' }],
        ['tenant', { ...ALICE, tenant: 'other' }],
        ['agent', { ...ALICE, agent: 'other' }],
      ])('a task of another %s does not exist for any method', async (_, foreign) => {
        await store.create(ALICE, sampleTask('t'))
        await store.append(ALICE, 't', 0, [working('t')])
        expect(await store.get(foreign, 't')).toBeUndefined()
        expect(await store.readEvents(foreign, 't', 0, 10)).toBeUndefined()
        expect(await store.append(foreign, 't', 1, [working('t')])).toEqual({ ok: false, reason: 'gone' })
        expect(await store.list(foreign, { pageSize: 10 })).toEqual({ items: [], next: '', total: 0 })
        expect(await store.list(foreign, { pageSize: 10, contextId: 'context' })).toMatchObject({ total: 0 })
      })

      test('an unknown task is gone, not an error', async () => {
        expect(await store.get(ALICE, 'none')).toBeUndefined()
        expect(await store.readEvents(ALICE, 'none', 0, 10)).toBeUndefined()
        expect(await store.append(ALICE, 'none', 0, [working('none')])).toEqual({ ok: false, reason: 'gone' })
      })
    })

    describe('append', () => {
      beforeEach(() => store.create(ALICE, sampleTask('t')))

      test('the record after an append is the fold of the events, returned and read alike', async () => {
        const events: TaskEvent[] = [
          statusEvent('t', 'TASK_STATE_WORKING', 1, 'thinking'),
          chunkEvent('t', 'one', false),
          chunkEvent('t', 'two'),
          { historyMessage: { messageId: 'm2', role: 'ROLE_USER', parts: [{ text: 'more' }] } },
          { taskMetadata: { colour: 'blue' } },
          statusEvent('t', 'TASK_STATE_COMPLETED', 2, 'done'),
        ]
        let seq = 0
        for (const event of events) {
          const appended = await store.append(ALICE, 't', seq++, [event])
          const expected = { task: applyEvents(sampleTask('t'), events.slice(0, seq)), seq }
          expect(seenAppend(appended)).toEqual({ ok: true, record: expected })
          expect(seen(await store.get(ALICE, 't'))).toEqual(expected)
        }
      })

      test('a record tells the task as it was then, however late it is looked at', async () => {
        const events = [working('t'), chunkEvent('t', 'a', false), chunkEvent('t', 'b'), completed('t')]
        const records: TaskRecord[] = []
        for (const [seq, event] of events.entries()) {
          const appended = await store.append(ALICE, 't', seq, [event])
          if (appended.ok) records.push(appended.record)
        }
        const last = records.at(-1)?.task
        for (const { task, seq } of records) {
          expect(task).toEqual(applyEvents(sampleTask('t'), events.slice(0, seq)))
        }
        expect(last?.artifacts?.[0]?.parts).toEqual([{ text: 'a' }, { text: 'b' }])
      })

      test('a batch is applied as one', async () => {
        await store.append(ALICE, 't', 0, [working('t'), chunkEvent('t', 'x', false), completed('t')])
        expect(await seqOf('t')).toBe(3)
        const stored = await store.readEvents(ALICE, 't', 0, 10)
        expect(stored?.map(({ seq }) => seq)).toEqual([1, 2, 3])
      })

      test('an empty batch changes nothing', async () => {
        const appended = await store.append(ALICE, 't', 0, [])
        expect(seenAppend(appended)).toEqual({ ok: true, record: { task: sampleTask('t'), seq: 0 } })
        expect(await store.readEvents(ALICE, 't', 0, 10)).toEqual([])
      })

      test.each([-1, 1, 7])('expecting sequence %i of a task at 0 conflicts and changes nothing', async (expected) => {
        const refused = await store.append(ALICE, 't', expected, [working('t')])
        expect(refused).toEqual({ ok: false, reason: 'conflict' })
        expect(await seqOf('t')).toBe(0)
        expect(await store.readEvents(ALICE, 't', 0, 10)).toEqual([])
      })

      test('nothing follows a terminal state, whatever is expected', async () => {
        await store.append(ALICE, 't', 0, [completed('t')])
        for (const expected of [0, 1]) {
          const refused = await store.append(ALICE, 't', expected, [working('t')])
          expect(refused).toEqual({ ok: false, reason: 'terminal' })
        }
        expect(await seqOf('t')).toBe(1)
      })

      test('a batch that continues after a terminal state is refused whole', async () => {
        const refused = await store.append(ALICE, 't', 0, [completed('t'), chunkEvent('t', 'late')])
        expect(refused).toEqual({ ok: false, reason: 'terminal' })
        expect(await seqOf('t')).toBe(0)
      })

      test('of 100 parallel appends that expect the same sequence exactly one wins', async () => {
        const results = await Promise.all(
          Array.from({ length: 100 }, async (_, n) => store.append(ALICE, 't', 0, [chunkEvent('t', `writer ${n}`)])),
        )
        expect(results.filter(({ ok }) => ok)).toHaveLength(1)
        expect(results.filter((result) => !result.ok && result.reason === 'conflict')).toHaveLength(99)
        expect(await store.readEvents(ALICE, 't', 0, 200)).toHaveLength(1)
      })

      test('a snapshot handed out does not change under its reader', async () => {
        const before = await store.get(ALICE, 't')
        const copy = structuredClone(before)
        await store.append(ALICE, 't', 0, [statusEvent('t', 'TASK_STATE_WORKING', 5, 'x'), chunkEvent('t', 'x')])
        expect(before).toEqual(copy)
      })
    })

    describe('readEvents', () => {
      beforeEach(async () => {
        await store.create(ALICE, sampleTask('t'))
        await store.append(ALICE, 't', 0, [working('t')])
        for (let n = 1; n < 10; n++) await store.append(ALICE, 't', n, [chunkEvent('t', `${n}`)])
      })

      test.each([
        [0, 100, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]],
        [0, 3, [1, 2, 3]],
        [4, 3, [5, 6, 7]],
        [9, 3, [10]],
        [10, 3, []],
        [99, 3, []],
        [2, 0, []],
      ])('after %i, at most %i', async (after, limit, expected) => {
        const stored = await store.readEvents(ALICE, 't', after, limit)
        expect(stored?.map(({ seq }) => seq)).toEqual(expected)
      })

      test('both faces of an event say the same', async () => {
        const stored = (await store.readEvents(ALICE, 't', 0, 100)) ?? []
        expect(stored[3]?.event).toEqual(chunkEvent('t', '3'))
        for (const { event, text } of stored) expect(JSON.parse(text)).toEqual(event)
      })

      test('events stay readable after the end', async () => {
        await store.append(ALICE, 't', 10, [completed('t')])
        const stored = await store.readEvents(ALICE, 't', 9, 100)
        expect(stored?.map(({ seq }) => seq)).toEqual([10, 11])
      })
    })

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
