// The wake buses that cross processes: two instances on one server, cut off and brought back.

import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { openPostgresBus } from '../../src/server/backend/postgres/bus.ts'
import { openRedisBus } from '../../src/server/backend/redis/bus.ts'
import type { WakeBus } from '../../src/server/bus/wake-bus.ts'
import { ChaosProxy } from '../reliability/chaos-proxy.ts'
import type { ChildServer } from '../servers/child-server.ts'
import { describeWithServer } from '../servers/describe-with-server.ts'
import { startPostgres } from '../servers/start-postgres.ts'
import { startRedis } from '../servers/start-redis.ts'

type OpenBus = (url: string, options?: { beatMs?: number }) => Promise<WakeBus>

describeWithServer('PostgreSQL', 'the PostgreSQL bus', () => describeRemoteBus(startPostgres, openPostgresBus))
describeWithServer('Redis', 'the Redis bus', () => describeRemoteBus(startRedis, openRedisBus))

function describeRemoteBus(start: () => Promise<ChildServer>, open: OpenBus): void {
  let server: ChildServer
  let proxy: ChaosProxy
  let proxied: string
  const opened: WakeBus[] = []

  beforeAll(async () => {
    server = await start()
    proxy = await ChaosProxy.start(server.port)
    proxied = server.url.replace(`:${server.port}`, `:${proxy.port}`)
  })
  afterEach(async () => {
    await proxy.set()
    await Promise.all(opened.splice(0).map((bus) => bus.close()))
  })
  afterAll(async () => {
    await proxy.close()
    await server.stop()
  })

  async function openOne(url: string, beatMs = 60_000): Promise<WakeBus> {
    const bus = await open(url, { beatMs })
    opened.push(bus)
    return bus
  }

  /** Resolves at the next wake of the topic. */
  function woken(bus: WakeBus, topic: string): Promise<void> {
    return new Promise((resolve) => {
      const stop = bus.onWake(topic, () => {
        stop()
        resolve()
      })
    })
  }

  describe('wakes', () => {
    test('its own listeners and those of another instance', async () => {
      const [a, b] = [await openOne(server.url), await openOne(server.url)]
      const both = Promise.all([woken(a, 'task-1'), woken(b, 'task-1')])
      a.wake('task-1')
      await both
    })

    test('only who listens to the topic, in bursts of any size and with odd names', async () => {
      const [a, b] = [await openOne(server.url), await openOne(server.url)]
      let others = 0
      b.onWake('nobody', () => others++)
      const names = ['é😀', "'; DROP", '\u0000', 'x'.repeat(900)]
      const all = Promise.all(names.map((name) => woken(b, name)))
      for (let n = 0; n < 2_000; n++) a.wake(`burst-${n}`)
      for (const name of names) a.wake(name)
      await all
      expect(others).toBe(0)
    })

    test('everybody after the connection was cut, because something may have been missed', async () => {
      const bus = await openOne(proxied)
      const again = woken(bus, 'sleeper')
      await proxy.set({ kind: 'down' })
      await proxy.set()
      await again
    })

    test('OUT-6 everybody again and again while the connection is a black hole', async () => {
      const bus = await openOne(proxied, 50)
      await proxy.set({ kind: 'timeout' })
      await woken(bus, 'sleeper')
      await woken(bus, 'sleeper')
    })
  })

  test('an unsubscribed listener stays asleep, and closing twice is harmless', async () => {
    const [a, b] = [await openOne(server.url), await openOne(server.url)]
    let calls = 0
    b.onWake('t', () => calls++)()
    const other = woken(b, 'other')
    a.wake('t')
    a.wake('other')
    await other
    expect(calls).toBe(0)
    await b.close()
    await b.close()
  })
}
