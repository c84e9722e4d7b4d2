import { beforeAll } from 'vitest'
import { openRedisPushStore } from '../../src/server/push/store/redis.ts'
import { openRedisStore } from '../../src/server/store/redis/store.ts'
import { describeWithServer } from '../servers/describe-with-server.ts'
import { ownRedis } from '../servers/own-database.ts'
import { describePushStore } from './push-store.ts'

describeWithServer('Redis', 'push configurations in Redis', () => {
  let url: string
  beforeAll(async () => {
    url = await ownRedis()
  })

  let prefixes = 0
  describePushStore('redis', async () => {
    const prefix = `push-${prefixes++}:`
    return {
      tasks: await openRedisStore(url, { prefix }),
      open: (now) => openRedisPushStore(url, { prefix, now }),
    }
  })
})
