// What the books of a fleet must do, on either database: rounds that go on, one result for an agent and a run, turns that
// count, and nobody else's work.

import { expect, test, vi } from 'vitest'
import type { AgentEntry } from '../../src/fleet/agent-entry.ts'
import { entryOf } from '../../src/fleet/agent-entry.ts'
import { HostHolds } from '../../src/fleet/host-holds.ts'
import { unasked } from '../../src/fleet/judge-agent.ts'
import { addAgents, beginRun, endListing } from '../../src/fleet/listing.ts'
import { openFleet } from '../../src/fleet/open-fleet.ts'
import { ResultBook } from '../../src/fleet/result-book.ts'
import { DEFAULT_SETTINGS } from '../../src/fleet/settings.ts'
import { type Attempt, WorkBook } from '../../src/fleet/work-book.ts'
import type { TestStore } from './fleet-stores.ts'

const settings = { ...DEFAULT_SETTINGS, turnsPerDay: 20 }
const dead = { afterMs: 86_400_000, silent: 1, isScheduled: false }
const alive = { afterMs: 0, silent: 0, isScheduled: false }

function entries(...texts: string[]): AgentEntry[] {
  return texts.map((text) => entryOf(text, { mayNameCredentials: true })) as AgentEntry[]
}

export function testBooks(opened: () => TestStore): void {
  let fleets = 0
  const list = async (name: string, agents: readonly string[], { asksAll = false, source = 'here' } = {}) => {
    const { db } = opened().store
    const begun = await beginRun(db, { name, source, settings, mayReplace: false })
    const added = await addAgents(db, begun, settings, { entries: entries(...agents), asksAll })
    await endListing(db, begun)
    return { ...begun, added }
  }
  const work = () => new WorkBook(opened().store.db, 'test')
  const results = () => new ResultBook(opened().store.db)
  const begin = async (host: string): Promise<Attempt> => {
    const attempt = await work().begin(host)
    if (attempt === undefined) throw new Error(`nobody waits at ${host}`)
    return attempt
  }
  const fresh = () => {
    const name = `fleet-${fleets++}`
    return { name, host: `https://${name}.example`, at: (path: string) => `https://${name}.example/${path}` }
  }

  test('an agent that is listed twice is asked once', async () => {
    const { name, host, at } = fresh()
    expect((await list(name, [at('a'), `${at('a')}/`, at('b')])).added).toBe(2)
    for (const _ of [1, 2]) await work().finish(await begin(host), unasked('error', ''), alive)
    expect(await work().begin(host)).toBeUndefined()
  })

  test('one result for an agent and a run, whoever brings it first', async () => {
    const { name, host, at } = fresh()
    const { run } = await list(name, [at('a')])
    const [first, second] = [await begin(host), await begin(host)]
    expect([first.attempt, second.attempt]).toEqual([1, 2])
    expect(await work().finish(second, unasked('error', 'second'), alive)).toBe(true)
    expect(await work().finish(first, unasked('error', 'first'), alive)).toBe(false)
    expect(await results().progress(name, run)).toEqual({ done: 1, waiting: 0 })
    expect(await results().history(name, first.id)).toMatchObject([{ message: 'second', attempts: 2 }])
  })

  test('a run that was not through goes on; one that was is followed by another', async () => {
    const { name, host, at } = fresh()
    const first = await list(name, [at('a'), at('b')])
    await work().finish(await begin(host), unasked('error', ''), alive)
    const again = await list(name, [at('a'), at('b'), at('c')])
    expect(again).toMatchObject({ run: first.run, isContinued: true })
    expect(await results().progress(name, first.run)).toEqual({ done: 1, waiting: 2 })
    for (const _ of [1, 2]) await work().finish(await begin(host), unasked('error', ''), alive)
    const next = await list(name, [at('a')])
    expect(next.isContinued).toBe(false)
    expect(await results().progress(name, next.run)).toEqual({ done: 0, waiting: 1 })
  })

  test('an agent that did not answer rests, unless all are asked', async () => {
    const { name, host, at } = fresh()
    await list(name, [at('a')])
    await work().finish(await begin(host), unasked('dead', ''), dead)
    await list(name, [at('a')])
    expect(await work().begin(host)).toBeUndefined()
    await list(name, [at('a')], { asksAll: true })
    expect((await begin(host)).silent).toBe(1)
  })

  test('turns of an attempt nobody heard of again count against the day', async () => {
    const { name, host, at } = fresh()
    await list(name, [at('a')])
    const turns = [(await begin(host)).turns, (await begin(host)).turns, (await begin(host)).turns]
    expect(turns).toEqual([12, 8, 0])
  })

  test('turns that were not taken are free again', async () => {
    const { name, host, at } = fresh()
    await list(name, [at('a')])
    const attempt = await begin(host)
    await work().postpone(attempt, { afterMs: 0, turns: 2, counts: true })
    expect((await begin(host)).turns).toBe(12)
  })

  test('a scheduled agent waits for its next time under another run', async () => {
    const { name, host, at } = fresh()
    const { run } = await list(name, [at('a')])
    await work().finish(await begin(host), unasked('error', ''), { afterMs: 3_600_000, silent: 0, isScheduled: true })
    expect(await results().progress(name, run)).toEqual({ done: 1, waiting: 0 })
    expect(await work().begin(host)).toBeUndefined()
    expect(await work().nextDue(host)).toBeGreaterThan(3_500_000)
  })

  test('two fleets of one name are told apart by where their lists came from', async () => {
    const { name, at } = fresh()
    await list(name, [at('a')])
    await expect(list(name, [at('b')], { source: 'elsewhere' })).rejects.toThrow(
      /already, from here; give this one another name/,
    )
  })

  test('work that this version does not understand is left alone', async () => {
    const { name, host, at } = fresh()
    const { db } = opened().store
    await list(name, [at('a')])
    await db.rows(`UPDATE fleets SET format = 99, parley = '9.9.9' WHERE name = $1`, [name])
    expect(await work().begin(host)).toBeUndefined()
    await expect(list(name, [at('a')])).rejects.toThrow(/written by Parley 9\.9\.9, which asks for work this Parley/)
  })

  test('what was found can be asked for as of a time', async () => {
    const { name, host, at } = fresh()
    await list(name, [at('a')])
    const before = await results().now()
    await work().finish(await begin(host), unasked('error', ''), alive)
    const outcomes: (string | undefined)[] = []
    for await (const { result } of results().agents(name, before - 1)) outcomes.push(result?.outcome)
    for await (const { result } of results().agents(name)) outcomes.push(result?.outcome)
    expect(outcomes).toEqual([undefined, 'error'])
  })

  test('a host is held by one at a time, until it is given back and has rested, or its holder fell silent', async () => {
    const { host } = fresh()
    const holds = new HostHolds(opened().store.db, 60_000)
    expect(await holds.take(host, 'first')).toBeUndefined()
    expect(await holds.take(host, 'first')).toBeUndefined()
    expect(await holds.take(host, 'second')).toBeGreaterThan(0)
    await holds.release('first', 3_600_000)
    expect(await holds.take(host, 'second')).toBeGreaterThan(3_500_000)
    const another = `${host}:1`
    expect(await new HostHolds(opened().store.db, -1).take(another, 'first')).toBeUndefined()
    await holds.beat(['first'])
    expect(await holds.take(another, 'second')).toBeUndefined()
  })

  test('the clock of a worker does not matter', async () => {
    const { name, host, at } = fresh()
    await list(name, [at('a')])
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 400 * 86_400_000 })
    try {
      await work().finish(await begin(host), unasked('error', ''), { afterMs: 3_600_000, silent: 0, isScheduled: true })
    } finally {
      vi.useRealTimers()
    }
    const due = await work().nextDue(host)
    expect(due).toBeGreaterThan(3_500_000)
    expect(due).toBeLessThanOrEqual(3_600_000)
  })

  test('a store of a newer Parley is refused', async () => {
    const { db } = opened().store
    await db.rows('UPDATE fleet_schema SET version = version + 1')
    await expect(openFleet(opened().spec)).rejects.toThrow(/newer Parley \(schema 2, this one knows 1\); update Parley/)
    await db.rows('UPDATE fleet_schema SET version = version - 1')
  })
}
