import { afterAll, beforeAll } from 'vitest'
import { openRedisStore } from '../../src/server/store/redis/store.ts'
import type { ChildServer } from '../servers/child-server.ts'
import { describeWithServer } from '../servers/describe-with-server.ts'
import { startRedis } from '../servers/start-redis.ts'
import { describeTaskStore } from './task-store.ts'

describeWithServer('Redis', 'the Redis store', () => {
  let server: ChildServer
  beforeAll(async () => {
    server = await startRedis()
  })
  afterAll(() => server.stop())

  let prefixes = 0
  describeTaskStore('redis', () => openRedisStore(server.url, { prefix: `contract-${prefixes++}:` }))
})
