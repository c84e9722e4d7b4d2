// What every wake bus must do, as one suite; test/contract/wake-bus-remote.test.ts cuts those off that cross processes.

import { describe, expect, test } from 'vitest'
import type { WakeBus } from '../server/bus/wake-bus.ts'
import { eachWithBackend, type OpenBackend } from './each-with-backend.ts'

/**
 * What wake-ups have to do.
 *
 * @example
 * ```ts
 * import { type Backend, describeWakeBus } from 'a2a-parley/testing'
 *
 * declare function openMine(): Promise<Backend>
 * describeWakeBus('mine', openMine)
 * ```
 */
export function describeWakeBus(name: string, open: OpenBackend): void {
  describe(`wake bus contract: ${name}`, () => {
    let bus: WakeBus
    eachWithBackend(open, async (backend) => {
      bus = await backend.openBus()
      return [bus]
    })

    const woken = (topic: string) => new Promise<void>((resolve) => void bus.onWake(topic, resolve))

    test('everybody who listens to a topic is woken, and nobody else', async () => {
      let others = 0
      bus.onWake('other', () => others++)
      const both = Promise.all([woken('t'), woken('t')])
      bus.wake('t')
      await both
      expect(others).toBe(0)
    })

    test('a writer never runs the code of its readers', async () => {
      let isAwake = false
      const awake = woken('t').then(() => {
        isAwake = true
      })
      bus.wake('t')
      expect(isAwake).toBe(false)
      await awake
    })

    test('who has left stays asleep', async () => {
      let calls = 0
      bus.onWake('t', () => calls++)()
      const other = woken('other')
      bus.wake('t')
      bus.wake('other')
      await other
      expect(calls).toBe(0)
    })
  })
}
