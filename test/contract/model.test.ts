// FUZZ-6: random commands on every store and on a naive model of a few lines; all must agree after every command.
// The seed is printed; repeat one with PARLEY_SEED=… .

import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { TaskEvent } from '../../src/model/event.ts'
import { applyEvents } from '../../src/model/fold.ts'
import { type Scope, scopeKey } from '../../src/model/scope.ts'
import { isSettled, isTerminal } from '../../src/model/state-machine.ts'
import { TASK_STATES, type Task, type TaskState } from '../../src/model/task.ts'
import { openMemoryStore } from '../../src/server/backend/memory/tasks.ts'
import { openSqliteStore } from '../../src/server/backend/sqlite/backend.ts'
import type { ListQuery, TaskStore } from '../../src/server/store/task-store.ts'
import { ALICE, atMs, BOB, chunkEvent, sampleTask, seen, seenAppend, statusEvent } from '../../src/testing/samples.ts'

/** The only stores there must be no doubt about: a list, searched from one end to the other. */
class Model {
  readonly tasks: { scope: string; task: Task; events: TaskEvent[] }[] = []

  find(scope: Scope, id: string) {
    return this.tasks.find((known) => known.task.id === id && known.scope === scopeKey(scope))
  }

  list(
    scope: Scope,
    { contextId, state, statusAfterMs = Number.NEGATIVE_INFINITY }: Omit<ListQuery, 'pageSize'>,
  ): Task[] {
    const ms = (task: Task) => Date.parse(task.status.timestamp ?? '')
    return this.tasks
      .filter((known) => known.scope === scopeKey(scope))
      .map(({ task }) => task)
      .filter((task) => contextId === undefined || task.contextId === contextId)
      .filter((task) => state === undefined || task.status.state === state)
      .filter((task) => ms(task) >= statusAfterMs)
      .reverse()
      .toSorted((a, b) => ms(b) - ms(a))
  }
}

type Filter = { contextId: string | undefined; state: TaskState | undefined; statusAfterMs: number | undefined }
type Command =
  | { do: 'create'; scope: Scope; id: string; contextId: string; ms: number }
  | {
      do: 'append'
      scope: Scope
      id: string
      off: number
      events: ({ state: TaskState; ms: number } | { text: string })[]
    }
  | { do: 'read'; scope: Scope; id: string; after: number; limit: number }
  | { do: 'list'; scope: Scope; filter: Filter; pageSize: number }
  | { do: 'unfinished' }

const scope = fc.constantFrom(ALICE, ALICE, BOB)
const id = fc.nat(9).map((n) => `t${n}`)
const contextId = fc.constantFrom('c0', 'c1', 'c2')
/** Close together, minutes apart, days apart: stores count in spans of time. */
const ms = fc.tuple(fc.nat(20), fc.constantFrom(1, 2 ** 14, 2 ** 25)).map(([n, unit]) => n * unit)
const state = fc.constantFrom(...TASK_STATES)
const event = fc.oneof(fc.record({ state, ms }), fc.record({ text: fc.string({ maxLength: 20 }) }))
/** Mostly the right expectation, so that tasks grow; sometimes a wrong one. */
const off = fc.constantFrom(0, 0, 0, 0, 1, -1)
const filter: fc.Arbitrary<Filter> = fc.record({
  contextId: fc.option(contextId, { nil: undefined }),
  state: fc.option(state, { nil: undefined }),
  statusAfterMs: fc.option(ms.map(atMs), { nil: undefined }),
})
const command: fc.Arbitrary<Command> = fc.oneof(
  fc.record({ do: fc.constant('create' as const), scope, id, contextId, ms }),
  fc.record({ do: fc.constant('append' as const), scope, id, off, events: fc.array(event, { maxLength: 3 }) }),
  fc.record({ do: fc.constant('append' as const), scope, id, off, events: fc.array(event, { maxLength: 3 }) }),
  fc.record({ do: fc.constant('read' as const), scope, id, after: fc.nat(6), limit: fc.nat(6) }),
  fc.record({ do: fc.constant('list' as const), scope, filter, pageSize: fc.integer({ min: 1, max: 4 }) }),
  fc.record({ do: fc.constant('unfinished' as const) }),
)

function toEvents(taskId: string, events: Extract<Command, { do: 'append' }>['events']): TaskEvent[] {
  return events.map((each) =>
    'state' in each ? statusEvent(taskId, each.state, each.ms) : chunkEvent(taskId, each.text),
  )
}

/** What the command must answer, by the model; applies it. */
function expected(model: Model, command: Command): unknown {
  if (command.do === 'create') {
    if (model.find(command.scope, command.id) !== undefined) return 'exists'
    const task = sampleTask(command.id, command)
    model.tasks.push({ scope: scopeKey(command.scope), task, events: [] })
    return { task, seq: 0 }
  }
  if (command.do === 'append') {
    const known = model.find(command.scope, command.id)
    if (known === undefined) return { ok: false, reason: 'gone' }
    if (isTerminal(known.task.status.state)) return { ok: false, reason: 'terminal' }
    if (command.off !== 0) return { ok: false, reason: 'conflict' }
    const ends = command.events.findIndex((each) => 'state' in each && isTerminal(each.state))
    if (ends !== -1 && ends < command.events.length - 1) return { ok: false, reason: 'terminal' }
    const events = toEvents(command.id, command.events)
    known.task = applyEvents(known.task, events)
    known.events.push(...events)
    return { ok: true, record: { task: known.task, seq: known.events.length } }
  }
  if (command.do === 'read') {
    const known = model.find(command.scope, command.id)
    return known?.events.slice(command.after, command.after + command.limit)
  }
  if (command.do === 'list') {
    const tasks = model.list(command.scope, command.filter)
    return { tasks, total: tasks.length }
  }
  const isRunning = (of: TaskState) => !isSettled(of)
  const running = model.tasks.filter(({ task }) => isRunning(task.status.state))
  return running.map(({ task }) => task.id).toSorted()
}

async function actual(store: TaskStore, command: Command, seqBefore: number): Promise<unknown> {
  if (command.do === 'create') return seen(await store.create(command.scope, sampleTask(command.id, command)))
  if (command.do === 'append') {
    const expectedSeq = seqBefore + command.off
    return seenAppend(await store.append(command.scope, command.id, expectedSeq, toEvents(command.id, command.events)))
  }
  if (command.do === 'read') {
    const stored = await store.readEvents(command.scope, command.id, command.after, command.limit)
    return stored?.map((each) => each.event)
  }
  if (command.do === 'list') {
    const query = { ...present(command.filter), pageSize: command.pageSize }
    const tasks: Task[] = []
    let page = await store.list(command.scope, query)
    tasks.push(...page.items.map(({ task }) => task))
    while (page.next !== '') {
      page = await store.list(command.scope, { ...query, pageToken: page.next })
      tasks.push(...page.items.map(({ task }) => task))
    }
    return { tasks, total: page.total }
  }
  return (await store.unfinished(1000)).map(({ record }) => record.task.id).toSorted()
}

function present({ contextId, state, statusAfterMs }: Filter): Omit<ListQuery, 'pageSize'> {
  return {
    ...(contextId === undefined ? {} : { contextId }),
    ...(state === undefined ? {} : { state }),
    ...(statusAfterMs === undefined ? {} : { statusAfterMs }),
  }
}

const STORES: [string, () => Promise<TaskStore>][] = [
  ['memory', async () => openMemoryStore()],
  ['sqlite', () => openSqliteStore(':memory:')],
]

test('FUZZ-6: all stores agree with the model on any commands', async () => {
  const seed = Number(process.env.PARLEY_SEED ?? Math.trunc(Math.random() * 2 ** 31))
  console.log(`model test: PARLEY_SEED=${seed}`)
  const check = fc.asyncProperty(fc.array(command, { minLength: 20, maxLength: 80 }), async (commands) => {
    const stores = await Promise.all(STORES.map(async ([name, open]) => ({ name, store: await open() })))
    const model = new Model()
    try {
      for (const each of commands) {
        const seqBefore = each.do === 'append' ? (model.find(each.scope, each.id)?.events.length ?? 0) : 0
        const answer = expected(model, each)
        for (const { name, store } of stores) expect(await actual(store, each, seqBefore), name).toEqual(answer)
      }
    } finally {
      await Promise.all(stores.map(({ store }) => store.close()))
    }
  })
  await fc.assert(check, { seed, numRuns: 60 })
})
