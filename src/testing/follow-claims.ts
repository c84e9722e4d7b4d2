// What every shared store does about who follows which task, as one suite.

import { describe, expect, test } from 'vitest'
import type { Backend } from '../server/backend/backend.ts'
import type { FollowClaims, LinkStore } from '../server/store/link-store.ts'
import { eachWithBackend, type OpenBackend } from './each-with-backend.ts'
import { ALICE, BOB, sampleTask } from './samples.ts'

/**
 * What claims on tasks have to do, in databases that several processes share.
 *
 * @example
 * ```ts
 * import { type Backend, describeFollowClaims } from 'a2a-parley/testing'
 *
 * declare function openMine(): Promise<Backend>
 * describeFollowClaims('mine', openMine)
 * ```
 */
export function describeFollowClaims(name: string, open: OpenBackend): void {
  describe(`follow claims contract: ${name}`, () => {
    let backend: Backend
    let opened: LinkStore[]
    eachWithBackend(open, async (fresh) => {
      backend = fresh
      const tasks = await backend.openTasks()
      for (const scope of [ALICE, BOB]) await tasks.create(scope, sampleTask('t'))
      opened = []
      return opened
    })

    /** Another process. */
    async function process(): Promise<FollowClaims> {
      const links = await backend.openLinks()
      opened.push(links)
      if (links.follows === undefined) throw new Error('a store that is shared has claims')
      return links.follows
    }

    const abandoned = (claims: FollowClaims, agent = ALICE.agent) => claims.abandoned(agent, 10)

    test('one process has a task, until it lets go', async () => {
      const [a, b] = [await process(), await process()]
      expect(await a.claim(ALICE, 't')).toBe(true)
      expect(await a.claim(ALICE, 't'), 'once more').toBe(true)
      expect(await b.claim(ALICE, 't')).toBe(false)
      expect([await a.isOurs(ALICE, 't'), await b.isOurs(ALICE, 't')]).toEqual([true, false])
      expect([await a.isTaken(ALICE, 't'), await b.isTaken(ALICE, 't')]).toEqual([false, true])
      expect(await b.claim(BOB, 't'), 'a task of the same name of somebody else').toBe(true)
      await b.release(ALICE, 't')
      expect(await a.isOurs(ALICE, 't'), 'what is not mine I cannot give away').toBe(true)
      await a.release(ALICE, 't')
      expect([await a.isOurs(ALICE, 't'), await b.isTaken(ALICE, 't')]).toEqual([false, false])
      expect(await b.claim(ALICE, 't')).toBe(true)
    })

    test('of many that want it at once, one gets it', async () => {
      const all = await Promise.all(Array.from({ length: 5 }, process))
      const won = await Promise.all(all.map((claims) => claims.claim(ALICE, 't')))
      expect(won.filter(Boolean)).toHaveLength(1)
    })

    test('whoever speaks for a caller takes it from the living', async () => {
      const [a, b] = [await process(), await process()]
      await a.claim(ALICE, 't')
      expect(await b.claim(ALICE, 't', true)).toBe(true)
      expect([await a.isOurs(ALICE, 't'), await b.isOurs(ALICE, 't')]).toEqual([false, true])
      await a.release(ALICE, 't')
      expect(await b.isOurs(ALICE, 't')).toBe(true)
    })

    test('what a process has when it ends is left to the others, and found by the name of its agent', async () => {
      const [a, b] = [await process(), await process()]
      await a.claim(ALICE, 't')
      await b.claim(BOB, 't')
      expect(await abandoned(b)).toEqual([])
      await opened.shift()?.close()
      expect(await abandoned(b)).toEqual([{ scope: ALICE, taskId: 't' }])
      expect(await abandoned(b, 'another agent')).toEqual([])
      expect(await b.isTaken(ALICE, 't')).toBe(false)
      expect(await b.claim(ALICE, 't')).toBe(true)
      expect(await abandoned(b)).toEqual([])
    })
  })
}
