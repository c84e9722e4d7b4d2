import { afterAll, beforeAll } from 'vitest'
import { openRedisPushStore } from '../../src/server/push/store/redis.ts'
import { openRedisStore } from '../../src/server/store/redis/store.ts'
import type { ChildServer } from '../servers/child-server.ts'
import { describeWithServer } from '../servers/describe-with-server.ts'
import { startRedis } from '../servers/start-redis.ts'
import { describePushStore } from './push-store.ts'

describeWithServer('Redis', 'push configurations in Redis', () => {
  let server: ChildServer
  beforeAll(async () => {
    server = await startRedis()
  })
  afterAll(() => server.stop())

  let prefixes = 0
  describePushStore('redis', async () => {
    const prefix = `push-${prefixes++}:`
    return {
      tasks: await openRedisStore(server.url, { prefix }),
      open: (now) => openRedisPushStore(server.url, { prefix, now }),
    }
  })
})
