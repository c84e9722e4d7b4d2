// What `parley explain` says of a check is what the check does: the operations that its title and the probes of its rows
// name are really called, by it or by another check of the same row.

import { AsyncLocalStorage } from 'node:async_hooks'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { allChecks } from '../../src/judge/checks/all.ts'
import { certify } from '../../src/judge/index.ts'
import { Probe } from '../../src/judge/probe/probe.ts'
import { registerOf } from '../../src/judge/register.ts'
import { OPERATIONS } from '../../src/model/operation.ts'
import { type BaseName, judgeOptions, startBases } from '../mutants/bases.ts'

/** Between them these show everything 1.0 has over HTTP. */
const SHOWN: readonly BaseName[] = ['spec', 'quiet', 'push', 'secured', 'extension']
const LONGEST_MS = 300_000

/** How the text of 1.0 calls them. */
const NAMES = {
  SendMessage: 'sendMessage',
  SendStreamingMessage: 'streamMessage',
  GetTask: 'getTask',
  ListTasks: 'listTasks',
  CancelTask: 'cancelTask',
  SubscribeToTask: 'subscribeTask',
  CreateTaskPushNotificationConfig: 'createPushConfig',
  GetTaskPushNotificationConfig: 'getPushConfig',
  ListTaskPushNotificationConfigs: 'listPushConfigs',
  DeleteTaskPushNotificationConfig: 'deletePushConfig',
  GetExtendedAgentCard: 'getExtendedCard',
} as const satisfies Record<string, (typeof OPERATIONS)[number]>

/** The operations the code under way has called. */
const under = new AsyncLocalStorage<Set<string>>()
const { standOn, shared } = Probe.prototype
const called = new Map<string, Set<string>>()

/** Every call passes `standOn`; what a shared preparation called counts for everybody who uses it. */
function eavesdrop(): void {
  const preparations = new Map<string, Set<string>>()
  Probe.prototype.standOn = function (ground) {
    under.getStore()?.add(ground)
    standOn.call(this, ground)
  }
  Probe.prototype.shared = async function (key, make) {
    const full = `${this.surface.url} ${this.generation}/${this.binding} ${key}`
    const inside = preparations.get(full) ?? new Set()
    preparations.set(full, inside)
    try {
      return (await under.run(inside, () => shared.call(this, key, make as never))) as never
    } finally {
      for (const op of inside) under.getStore()?.add(op)
    }
  }
}

const listening = allChecks().map((item) => {
  const { id, body } = item
  if (body === undefined) return item
  const ops = new Set<string>()
  called.set(id, ops)
  return { ...item, body: (t: Probe) => under.run(ops, () => body(t)) }
})

beforeAll(async () => {
  eavesdrop()
  const bases = await startBases()
  await Promise.all(SHOWN.map((base) => certify(`${bases.url}/${base}`, { ...judgeOptions(base), checks: listening })))
  await bases.close()
}, LONGEST_MS)

afterAll(() => {
  Object.assign(Probe.prototype, { standOn, shared })
})

function opsNamedIn(text: string): string[] {
  return Object.entries(NAMES).flatMap(([name, op]) => (new RegExp(`\\b${name}\\b`).test(text) ? [op] : []))
}

test('every operation is called by some check', () => {
  const all = new Set([...called.values()].flatMap((ops) => [...ops]))
  expect(OPERATIONS.filter((op) => op !== 'getCard' && !all.has(op))).toEqual([])
})

test('a check calls the operations its title names', () => {
  const silent = allChecks().flatMap(({ id, title }) =>
    opsNamedIn(title).flatMap((op) => (called.get(id)?.has(op) === false ? [`${id}: ${op}`] : [])),
  )
  expect(silent).toEqual([])
})

test('the checks of a row call the operations its probe names', () => {
  const rows = [...registerOf('1.0').rows.values()].filter(({ binding }) => binding !== 'grpc')
  const silent = rows.flatMap(({ id, probe }) => {
    const active = allChecks().filter(({ body, meta }) => body !== undefined && meta.proves.includes(id))
    const ops = new Set(active.flatMap((item) => [...(called.get(item.id) ?? [])]))
    return active.length === 0 ? [] : opsNamedIn(probe).flatMap((op) => (ops.has(op) ? [] : [`${id}: ${op}`]))
  })
  expect(silent).toEqual([])
})
