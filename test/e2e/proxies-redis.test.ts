import { afterAll, beforeAll, vi } from 'vitest'
import type { ChildServer } from '../servers/child-server.ts'
import { describeWithServer } from '../servers/describe-with-server.ts'
import { startRedis } from '../servers/start-redis.ts'
import { describeProxies } from './proxies.ts'

// Processes start slowly on a busy machine.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 })

describeWithServer('Redis', 'proxies on Redis', () => {
  let server: ChildServer
  beforeAll(async () => {
    server = await startRedis()
  })
  afterAll(() => server.stop())
  describeProxies('Redis', () => server)
})
