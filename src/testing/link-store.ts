// What every store of a proxy's links must do, as one suite.

import { describe, expect, test } from 'vitest'
import type { LinkStore } from '../server/store/link-store.ts'
import { eachWithBackend, type OpenBackend } from './each-with-backend.ts'
import { ALICE, BOB } from './samples.ts'

/**
 * What a store of links has to do.
 *
 * @example
 * ```ts
 * import { type Backend, describeLinkStore } from 'a2a-parley/testing'
 *
 * declare function openMine(): Promise<Backend>
 * describeLinkStore('mine', openMine)
 * ```
 */
export function describeLinkStore(name: string, open: OpenBackend): void {
  describe(`link store contract: ${name}`, () => {
    let links: LinkStore
    eachWithBackend(open, async (backend) => {
      links = await backend.openLinks()
      return [links]
    })

    const link = {
      ...{ scope: ALICE, taskId: 'ours', contextId: 'our context' },
      ...{ downstreamTaskId: 'theirs', downstreamContextId: 'their context' },
    }

    test('a task is found by either of its names, and only by its caller', async () => {
      await links.saveTask(link)
      expect(await links.task(ALICE, 'ours')).toEqual(link)
      expect(await links.taskOfAgent(ALICE, 'theirs')).toEqual(link)
      expect(await links.task(BOB, 'ours')).toBeUndefined()
      expect(await links.taskOfAgent(BOB, 'theirs')).toBeUndefined()
      expect(await links.task(ALICE, 'theirs')).toBeUndefined()
    })

    test('an agent that uses a name again means the last task of ours, also after the first was saved again', async () => {
      await links.saveTask(link)
      await links.saveTask({ ...link, taskId: 'second' })
      expect((await links.taskOfAgent(ALICE, 'theirs'))?.taskId).toBe('second')
      expect((await links.task(ALICE, 'ours'))?.downstreamTaskId).toBe('theirs')
    })

    test('a task without a context of the agent has none', async () => {
      await links.saveTask({ ...link, downstreamContextId: undefined })
      expect((await links.task(ALICE, 'ours'))?.downstreamContextId).toBeUndefined()
    })

    test.each([
      ['of half a character', '\ud800'],
      ['that end a text elsewhere', 'a\u0000b'],
      ['with quotes', '"a'],
    ])('names are kept as they are: %s', async (_, id) => {
      const odd = { scope: ALICE, taskId: id, contextId: id, downstreamTaskId: id, downstreamContextId: id }
      await links.saveTask(odd)
      await links.saveContext(ALICE, id, id)
      expect(await links.task(ALICE, id)).toEqual(odd)
      expect(await links.agentContext(ALICE, id)).toBe(id)
    })

    test('a context has one name of the agent, and keeps our first name for it', async () => {
      await links.saveContext(ALICE, 'a', 'x')
      await links.saveContext(ALICE, 'b', 'x')
      expect(await links.agentContext(ALICE, 'a')).toBe('x')
      expect(await links.agentContext(ALICE, 'b')).toBe('x')
      expect(await links.contextOfAgent(ALICE, 'x')).toBe('a')
      expect(await links.contextOfAgent(BOB, 'x')).toBeUndefined()
      await links.saveContext(ALICE, 'a', 'y')
      expect(await links.agentContext(ALICE, 'a')).toBe('y')
    })
  })
}
