import { describe, expect, test } from 'vitest'
import { openMemoryBus } from './local-bus.ts'

const tick = () => new Promise<void>((resolve) => setImmediate(resolve))

describe('memory bus', () => {
  test('wakes every listener of the topic and nobody else', async () => {
    const bus = openMemoryBus()
    const woken: string[] = []
    bus.onWake('a', () => woken.push('a1'))
    bus.onWake('a', () => woken.push('a2'))
    bus.onWake('b', () => woken.push('b'))
    bus.wake('a')
    await tick()
    expect(woken).toEqual(['a1', 'a2'])
  })

  test('never runs a listener inside wake, and wakes once per tick however often it is called', async () => {
    const bus = openMemoryBus()
    let woken = 0
    bus.onWake('a', () => woken++)
    bus.wake('a')
    bus.wake('a')
    expect(woken).toBe(0)
    await tick()
    expect(woken).toBe(1)
  })

  test('a wake from inside a listener is delivered afterwards', async () => {
    const bus = openMemoryBus()
    const order: string[] = []
    bus.onWake('a', () => {
      order.push('a begins')
      if (order.length === 1) bus.wake('a')
      order.push('a ends')
    })
    bus.wake('a')
    await tick()
    expect(order).toEqual(['a begins', 'a ends', 'a begins', 'a ends'])
  })

  test('whoever unsubscribed before delivery is not called, and unsubscribing twice is harmless', async () => {
    const bus = openMemoryBus()
    const woken: string[] = []
    const twice = () => woken.push('same function')
    const stopFirst = bus.onWake('a', twice)
    const stopSecond = bus.onWake('a', twice)
    bus.wake('a')
    stopFirst()
    stopFirst()
    await tick()
    expect(woken).toEqual(['same function'])
    stopSecond()
    bus.wake('a')
    await tick()
    expect(woken).toHaveLength(1)
  })

  test('close silences what was already woken', async () => {
    const bus = openMemoryBus()
    let woken = 0
    bus.onWake('a', () => woken++)
    bus.wake('a')
    await bus.close()
    await tick()
    expect(woken).toBe(0)
  })
})
