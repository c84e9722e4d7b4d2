// What every task store must do, as one suite; each implementation runs it from its own test file.

import { beforeEach, describe, expect, test } from 'vitest'
import type { TaskEvent } from '../model/event.ts'
import { applyEvents } from '../model/fold.ts'
import { MAX_ID_LENGTH } from '../model/ids.ts'
import type { Task } from '../model/task.ts'
import type { AppendResult, TaskRecord, TaskStore } from '../server/store/task-store.ts'
import { eachWithBackend, type OpenBackend } from './each-with-backend.ts'
import { ALICE, BOB, chunkEvent, sampleTask, seen, seenAppend, statusEvent } from './samples.ts'

/**
 * What a store of tasks has to do.
 *
 * @example
 * ```ts
 * import { type Backend, describeTaskStore } from 'a2a-parley/testing'
 *
 * declare function openMine(): Promise<Backend>
 * describeTaskStore('mine', openMine)
 * ```
 */
export function describeTaskStore(name: string, open: OpenBackend): void {
  describe(`task store contract: ${name}`, () => {
    let store: TaskStore
    eachWithBackend(open, async (backend) => {
      store = await backend.openTasks()
      return [store]
    })

    const working = (id: string, ms?: number) => statusEvent(id, 'TASK_STATE_WORKING', ms)
    const completed = (id: string, ms?: number) => statusEvent(id, 'TASK_STATE_COMPLETED', ms)

    async function seqOf(id: string): Promise<number | undefined> {
      return (await store.get(ALICE, id))?.seq
    }

    describe('begin', () => {
      const chunk = chunkEvent('t', 'chunk')

      /** A store in which two writes cost no more than one need not have it. */
      async function begin(task: Task, events: readonly TaskEvent[]): Promise<AppendResult | 'exists'> {
        if (store.begin !== undefined) return store.begin(ALICE, task, events)
        const created = await store.create(ALICE, task)
        return created === 'exists' ? created : store.append(ALICE, task.id, created.seq, events)
      }

      test.each([
        ['goes on', [working('t'), chunk], 0],
        ['has ended', [working('t'), chunk, completed('t')], 1],
        ['has none', [], 0],
      ] as const)('a task is there with its first events: it %s', async (_, events, completedCount) => {
        const task = sampleTask('t')
        const begun = await begin(task, events)
        const expected = { task: applyEvents(task, events), seq: await seqOf('t') }
        expect(seenAppend(begun as AppendResult)).toEqual({ ok: true, record: expected })
        expect(seen(await store.get(ALICE, 't'))).toEqual(expected)
        expect((await store.readEvents(ALICE, 't', 0, 10))?.map(({ event }) => event)).toEqual(events)
        expect((await store.list(ALICE, { pageSize: 10 })).total).toBe(1)
        const { total } = await store.list(ALICE, { pageSize: 10, state: 'TASK_STATE_COMPLETED' })
        expect(total).toBe(completedCount)
      })

      test('events go on after the first ones', async () => {
        await begin(sampleTask('t'), [working('t')])
        const seq = (await seqOf('t')) ?? 0
        await store.append(ALICE, 't', seq, [chunk, completed('t')])
        expect(await seqOf('t')).toBe(seq + 2)
        expect(await store.readEvents(ALICE, 't', 0, 10)).toHaveLength(3)
      })

      test('an id that is taken changes nothing', async () => {
        await store.create(ALICE, sampleTask('t'))
        expect(await begin(sampleTask('t'), [working('t')])).toBe('exists')
        expect(await seqOf('t')).toBe(0)
      })

      test('an event after the end is refused', async () => {
        expect(await begin(sampleTask('t'), [completed('t'), chunk])).toEqual({ ok: false, reason: 'terminal' })
        expect((await store.readEvents(ALICE, 't', 0, 10)) ?? []).toEqual([])
      })

      test('of many that begin together, those with the same id are one', async () => {
        const tries = Array.from({ length: 40 }, (_, n) => begin(sampleTask(`t${n % 20}`), [working(`t${n % 20}`)]))
        expect((await Promise.all(tries)).filter((each) => each === 'exists')).toHaveLength(20)
        expect((await store.list(ALICE, { pageSize: 50 })).total).toBe(20)
      })
    })

    test('every write is told of once, with those it shared a commit with', async () => {
      const told: number[] = []
      store.onCommit?.((writes) => told.push(writes))
      await Promise.all(['a', 'b', 'c'].map(async (id) => store.create(ALICE, sampleTask(id))))
      await store.append(ALICE, 'a', 0, [working('a')])
      // Told at the end of the turn, at the latest.
      await new Promise<void>((resolve) => void setImmediate(resolve))
      const writes = told.reduce((sum, count) => sum + count, 0)
      expect(writes).toBe(store.onCommit === undefined ? 0 : 4)
    })

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
  })
}
