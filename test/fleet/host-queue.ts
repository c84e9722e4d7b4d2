// What a queue of hosts must do, whatever engine is behind it: one lease for a host at a time, in turn, and never before
// its time; and what was leased to somebody who fell silent comes back.

import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { HostLease, HostQueue } from '../../src/fleet/host-queue.ts'

/** What a suite gets to test: two workers on one queue. */
export interface OpenedQueues {
  readonly first: HostQueue
  readonly second: HostQueue
  close(): Promise<void>
}

const SOON_MS = 1
const LATER_MS = 3_600_000

/** The suite of a queue of hosts; each test gets an empty one from `open`. */
export function describeHostQueue(name: string, open: () => Promise<OpenedQueues>): void {
  describe(`the queue of hosts: ${name}`, () => {
    let opened: OpenedQueues
    beforeEach(async () => {
      opened = await open()
    })
    afterEach(() => opened.close())

    const offer = (hosts: readonly string[], afterMs = 0) =>
      opened.first.offer(hosts.map((host) => ({ host, afterMs })))
    const hosts = (leases: readonly HostLease[]) => leases.map(({ host }) => host).sort()

    test('a host that is offered twice is leased once', async () => {
      await offer(['a', 'b'])
      await offer(['b', 'a'])
      expect(hosts(await opened.first.take(10))).toEqual(['a', 'b'])
      await offer(['a', 'b'])
      expect(await opened.second.take(10)).toEqual([])
    })

    test('two workers never have the same host', async () => {
      await offer(Array.from({ length: 40 }, (_, n) => `host-${n}`))
      const rounds = await Promise.all(
        Array.from({ length: 8 }, (_, n) => (n % 2 ? opened.first : opened.second).take(5)),
      )
      const taken = rounds.flat()
      expect(new Set(hosts(taken)).size).toBe(taken.length)
      expect(new Set(taken.map(({ token }) => token)).size).toBe(taken.length)
    })

    test('no more than asked for, and nothing of nothing', async () => {
      await offer(['a', 'b', 'c'])
      expect(await opened.first.take(0)).toEqual([])
      expect(await opened.first.take(2)).toHaveLength(2)
    })

    test('a host is not leased before its time, unless it is hurried', async () => {
      await offer(['later'], LATER_MS)
      expect(await opened.first.take(10)).toEqual([])
      await opened.second.hurry(['later', 'unknown'])
      expect(hosts(await taken(opened.first, 1))).toEqual(['later'])
    })

    test('given back, it is in line again after its pause, behind those that waited', async () => {
      await offer(['a'])
      const [lease] = await opened.first.take(1)
      await offer(['b'])
      expect(await opened.first.release(lease as HostLease, SOON_MS)).toBe(true)
      expect(hosts(await taken(opened.second, 1))).toEqual(['b'])
      expect(hosts(await taken(opened.second, 1))).toEqual(['a'])
    })

    test('given back for good, it comes only when offered', async () => {
      await offer(['a'])
      const [lease] = await opened.first.take(1)
      expect(await opened.first.release(lease as HostLease, undefined)).toBe(true)
      expect(await opened.second.take(1)).toEqual([])
      await offer(['a'])
      expect(hosts(await opened.second.take(1))).toEqual(['a'])
    })

    test('a lease is given back once', async () => {
      await offer(['a'])
      const [lease] = await opened.first.take(1)
      expect(await opened.first.release(lease as HostLease, LATER_MS)).toBe(true)
      expect(await opened.first.release(lease as HostLease, 0)).toBe(false)
      expect(await opened.second.take(1)).toEqual([])
    })

    test('a beat says which leases are still good', async () => {
      await offer(['a', 'b'])
      const [one, two] = await opened.first.take(2)
      await opened.first.release(two as HostLease, undefined)
      const good = await opened.first.beat([one as HostLease, two as HostLease])
      expect([...good]).toEqual([one?.token])
    })
  })
}

/** What is due comes within moments; a database rounds times. */
async function taken(queue: HostQueue, count: number): Promise<HostLease[]> {
  const leases: HostLease[] = []
  for (let tries = 0; leases.length < count && tries < 200; tries++) {
    leases.push(...(await queue.take(count - leases.length)))
    if (leases.length < count) await sleep(10)
  }
  return leases
}
