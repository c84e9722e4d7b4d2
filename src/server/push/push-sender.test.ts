// The sender under a clock the test moves, against a real webhook: retries, giving up, order, replay, deletion.

import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type ManualClock, manualClock } from '../../../test/support/manual-clock.ts'
import { answering, type Received, Webhook } from '../../../test/support/webhook.ts'
import type { DialectId } from '../../dialects/dialect.ts'
import type { TaskEvent } from '../../model/event.ts'
import { ALICE, chunkEvent, sampleTask, statusEvent } from '../../testing/samples.ts'
import { openMemoryPushStore } from '../backend/memory/push.ts'
import { openMemoryStore } from '../backend/memory/tasks.ts'
import { openMemoryBus } from '../bus/local-bus.ts'
import type { WakeBus } from '../bus/wake-bus.ts'
import type { PushStore } from '../store/push-store.ts'
import type { TaskStore } from '../store/task-store.ts'
import { Push } from './push.ts'
import type { PushService } from './push-service.ts'
import { RETRY_PAUSES_MS } from './retry-schedule.ts'

let tasks: TaskStore
let rows: PushStore
let bus: WakeBus
let clock: ManualClock
let push: Push
let service: PushService
let logged: { event: string; fields: Record<string, unknown> }[]
let settled: () => void
let nextSettle: Promise<void>

/** Tells when a result was written, so that tests can wait for it. */
function observed(store: PushStore): PushStore {
  return {
    put: (...args) => store.put(...args),
    list: (...args) => store.list(...args),
    remove: (...args) => store.remove(...args),
    ready: (...args) => store.ready(...args),
    isLive: (...args) => store.isLive(...args),
    claim: (...args) => store.claim(...args),
    dead: (...args) => store.dead(...args),
    revive: (...args) => store.revive(...args),
    close: () => store.close(),
    async settle(...args) {
      const isHeld = await store.settle(...args)
      settled()
      armSettle()
      return isHeld
    },
  }
}

function armSettle(): void {
  const { promise, resolve } = Promise.withResolvers<void>()
  nextSettle = promise
  settled = resolve
}

beforeEach(async () => {
  clock = manualClock()
  tasks = openMemoryStore()
  rows = observed(openMemoryPushStore(tasks, () => clock.now()))
  bus = openMemoryBus()
  logged = []
  armSettle()
  push = await Push.open({
    ...{ tasks, bus, clock, backend: undefined, guard: { allowPrivateNetworks: true } },
    options: { store: rows, random: () => 0.5 },
    log: (_, event, fields) => void logged.push({ event, fields }),
  })
  push.start()
  service = push.service('1.0.1')
})
afterEach(async () => {
  await push.close(0)
  await bus.close()
})

async function register(url: string, dialect: DialectId = '1.0', taskId = 't'): Promise<string> {
  const record = await tasks.create(ALICE, sampleTask(taskId))
  if (record === 'exists') throw new Error('exists')
  return (await service.register(ALICE, record, { url, token: 'tok' }, dialect)).id ?? ''
}

async function append(...events: TaskEvent[]): Promise<void> {
  const seq = (await tasks.get(ALICE, 't'))?.seq ?? 0
  await tasks.append(ALICE, 't', seq, events)
  bus.wake('t')
}

/** Lets everything happen that does not wait for the clock or the network. */
async function settleDown(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await new Promise<void>((resolve) => void setImmediate(resolve))
}

const WORKING = statusEvent('t', 'TASK_STATE_WORKING')
const COMPLETED = statusEvent('t', 'TASK_STATE_COMPLETED')

const idOf = ({ headers }: Received) => headers['x-parley-delivery-id']

describe('retries', () => {
  test('follow the schedule exactly, with the same id and body, until it is given up', async () => {
    await using webhook = await Webhook.open(answering(...Array<number>(8).fill(500)))
    const id = await register(webhook.url)
    let written = nextSettle
    await append(WORKING, COMPLETED)
    await written
    for (const [n, pause] of RETRY_PAUSES_MS.entries()) {
      // What was written also has to be heard before the clock moves.
      await settleDown()
      written = nextSettle
      clock.advance(pause - 1)
      await settleDown()
      expect(webhook.received).toHaveLength(n + 1)
      clock.advance(1)
      await written
      expect(webhook.received).toHaveLength(n + 2)
    }
    expect(new Set(webhook.received.map(idOf)).size).toBe(1)
    expect(new Set(webhook.received.map(({ text }) => text)).size).toBe(1)
    expect(webhook.received.map(({ headers }) => headers['x-parley-attempt'])).toEqual([
      ...['1', '2', '3', '4', '5', '6', '7', '8'],
    ])
    expect(await push.deadLetters()).toEqual([
      {
        ...{ scope: ALICE, taskId: 't', id, deliveredSeq: 0, attempts: 8, error: 'answered 500' },
        config: { taskId: 't', id, url: webhook.url },
      },
    ])
    clock.advance(48 * 3_600_000)
    await settleDown()
    expect(webhook.received).toHaveLength(8)
    expect((await tasks.get(ALICE, 't'))?.task.status.state).toBe('TASK_STATE_COMPLETED')
    expect(JSON.stringify(logged)).not.toContain('tok')
  })

  test('come when they are due, however many others are due before', async () => {
    await using early = await Webhook.open(answering(500, 500))
    await using late = await Webhook.open((_, res) => void res.writeHead(503, { 'Retry-After': '8' }).end())
    const deliver = async (url: string, taskId: string) => {
      const written = nextSettle
      await register(url, '1.0', taskId)
      await tasks.append(ALICE, taskId, 0, [statusEvent(taskId, 'TASK_STATE_WORKING')])
      bus.wake(taskId)
      await written
    }
    await deliver(late.url, 'late')
    await deliver(early.url, 'early')
    await settleDown()
    // Due after five seconds, and the look for it must not push the other one back.
    const written = nextSettle
    clock.advance(5_000)
    await written
    await settleDown()
    expect([early.received.length, late.received.length]).toEqual([2, 1])
    clock.advance(2_999)
    await settleDown()
    expect(late.received).toHaveLength(1)
    clock.advance(1)
    await late.until((all) => all.length === 2)
  })

  test('a dead letter is replayed with its id and the next attempt number, and the rest follows', async () => {
    await using webhook = await Webhook.open(answering(410))
    const id = await register(webhook.url)
    const written = nextSettle
    await append(WORKING)
    await written
    await append(COMPLETED)
    expect(logged.map(({ event }) => event)).toEqual(['push-given-up'])
    expect(await push.replay({ scope: ALICE, taskId: 't', id: 'other' })).toBe(false)
    expect(await push.replay({ scope: ALICE, taskId: 't', id })).toBe(true)
    const received = await webhook.until((all) => all.length === 3)
    expect(received.map(({ headers }) => headers['x-parley-attempt'])).toEqual(['1', '2', '1'])
    const [first, second, third] = received.map(idOf)
    expect(second).toBe(first)
    expect(third).not.toBe(first)
    expect(await push.deadLetters()).toEqual([])
  })

  test.each([
    [429, '120', 120_000],
    [503, new Date(Date.UTC(2026, 0, 1) + 60_000).toUTCString(), 60_000],
    [503, '9999999', 24 * 3_600_000],
    [500, '120', 5_000],
  ])('%i with Retry-After %s is tried again after %i ms', async (status, retryAfter, pause) => {
    await using webhook = await Webhook.open(answering([status, { 'Retry-After': retryAfter }]))
    await register(webhook.url)
    const written = nextSettle
    await append(WORKING)
    await written
    clock.advance(pause - 1)
    await settleDown()
    expect(webhook.received).toHaveLength(1)
    clock.advance(1)
    await webhook.until((all) => all.length === 2)
  })

  test('a redirect is a failure and nobody follows it', async () => {
    await using target = await Webhook.open()
    await using webhook = await Webhook.open(answering([307, { Location: target.url }]))
    await register(webhook.url)
    const written = nextSettle
    await append(WORKING)
    await written
    expect(logged).toMatchObject([{ event: 'push-failed', fields: { error: 'answered 307' } }])
    expect(target.received).toEqual([])
  })

  test('a connection that breaks is a failure', async () => {
    await using webhook = await Webhook.open((_, res) => void res.destroy())
    await register(webhook.url)
    const written = nextSettle
    await append(WORKING)
    await written
    expect(logged).toMatchObject([{ event: 'push-failed', fields: { error: 'ECONNRESET' } }])
  })

  test('the first generation retries three times, then its subscription is gone and the task is as it was', async () => {
    await using webhook = await Webhook.open(answering(500, 500, 500, 500))
    await register(webhook.url, '0.1')
    let written = nextSettle
    await append(WORKING)
    await written
    for (const pause of [1_000, 2_000, 4_000]) {
      written = nextSettle
      clock.advance(pause)
      await written
    }
    expect(webhook.received).toHaveLength(4)
    expect(await service.list(ALICE, { taskId: 't' })).toEqual({ configs: [] })
    expect(await push.deadLetters()).toEqual([])
    expect((await tasks.get(ALICE, 't'))?.task.status.state).toBe('TASK_STATE_WORKING')
  })
})

describe('order', () => {
  test('later events wait for one that fails', async () => {
    await using webhook = await Webhook.open(answering(200, 500))
    await register(webhook.url)
    let written = nextSettle
    await append(WORKING)
    await written
    written = nextSettle
    await append(chunkEvent('t', 'one', false), chunkEvent('t', 'two'))
    await written
    await append(COMPLETED)
    await settleDown()
    expect(webhook.received).toHaveLength(2)
    clock.advance(5_000)
    const received = await webhook.until((all) => all.length === 5)
    expect(
      received.map(({ body }) => JSON.stringify(body).replace(/.*"text":"(\w+)".*|.*"state":"(\w+)".*/, '$1$2')),
    ).toEqual(['TASK_STATE_WORKING', 'one', 'one', 'two', 'TASK_STATE_COMPLETED'])
  })

  test('an endpoint that hangs delays nobody else, and gets four requests at once', async () => {
    const held: (() => void)[] = []
    await using hanging = await Webhook.open((_, res) => void held.push(() => res.writeHead(200).end()))
    await using healthy = await Webhook.open()
    for (let n = 0; n < 6; n++) {
      await register(hanging.url, '1.0', `h${n}`)
      await tasks.append(ALICE, `h${n}`, 0, [statusEvent(`h${n}`, 'TASK_STATE_COMPLETED')])
      bus.wake(`h${n}`)
    }
    await hanging.until((all) => all.length === 4)
    await register(healthy.url)
    await append(COMPLETED)
    await healthy.until((all) => all.length === 1)
    expect(hanging.received).toHaveLength(4)
    for (const answer of held.splice(0)) answer()
    await hanging.until((all) => all.length === 6)
    for (const answer of held.splice(0)) answer()
  })
})

describe('the end', () => {
  test('once deleted nothing more is delivered, also when a retry is due', async () => {
    await using webhook = await Webhook.open(answering(500))
    const id = await register(webhook.url)
    const written = nextSettle
    await append(WORKING)
    await written
    await service.delete(ALICE, { taskId: 't', id })
    clock.advance(3_600_000)
    await append(COMPLETED)
    await settleDown()
    expect(webhook.received).toHaveLength(1)
  })

  test('a configuration deleted while a delivery is under way gets only that one', async () => {
    let answer = () => {}
    await using webhook = await Webhook.open((_, res) => {
      answer = () => res.writeHead(200).end()
    })
    const id = await register(webhook.url)
    await append(WORKING, COMPLETED)
    await webhook.until((all) => all.length === 1)
    await service.delete(ALICE, { taskId: 't', id })
    const written = nextSettle
    answer()
    await written
    await settleDown()
    expect(webhook.received).toHaveLength(1)
  })

  test('a replaced configuration gets what the old one did not take', async () => {
    await using old = await Webhook.open(answering(200, 500))
    await using fresh = await Webhook.open()
    const id = await register(old.url)
    let written = nextSettle
    await append(WORKING)
    await written
    written = nextSettle
    await append(COMPLETED)
    await written
    await service.create(ALICE, { taskId: 't', id, url: fresh.url }, '1.0')
    const [first] = await fresh.until((all) => all.length === 1)
    expect(first?.body).toMatchObject({ statusUpdate: { status: { state: 'TASK_STATE_COMPLETED' } } })
  })

  test('closing gives back what is held, so that the next process need not wait', async () => {
    await using webhook = await Webhook.open(() => {})
    await register(webhook.url)
    await append(WORKING)
    await webhook.until((all) => all.length === 1)
    await push.close(0)
    expect(await rows.ready({ limit: 10 })).toHaveLength(1)
    expect(await rows.list({ scope: ALICE, taskId: 't' })).toMatchObject([{ attempts: 0, state: 'active' }])
  })

  test('nobody is watched any more once everything is told', async () => {
    const listeners = new Set<string>()
    const counting: WakeBus = {
      wake: (topic) => bus.wake(topic),
      onWake(topic, listener) {
        listeners.add(topic)
        const stop = bus.onWake(topic, listener)
        return () => {
          listeners.delete(topic)
          stop()
        }
      },
      close: () => bus.close(),
    }
    const other = await Push.open({
      ...{ tasks, bus: counting, clock, backend: undefined, guard: { allowPrivateNetworks: true } },
      options: { store: rows },
      log() {},
    })
    await using webhook = await Webhook.open()
    const record = await tasks.create(ALICE, sampleTask('t'))
    if (record === 'exists') throw new Error('exists')
    await other.service('1.0.1').register(ALICE, record, { url: webhook.url }, '1.0')
    expect(listeners.has('t')).toBe(true)
    const written = nextSettle
    await append(COMPLETED)
    await written
    await settleDown()
    expect(listeners.size).toBe(0)
    await other.close(0)
  })
})
