import { beforeAll } from 'vitest'
import { openRedisStore } from '../../src/server/store/redis/store.ts'
import { describeWithServer } from '../servers/describe-with-server.ts'
import { ownRedis } from '../servers/own-database.ts'
import { describeTaskStore } from './task-store.ts'

describeWithServer('Redis', 'the Redis store', () => {
  let url: string
  beforeAll(async () => {
    url = await ownRedis()
  })

  let prefixes = 0
  describeTaskStore('redis', () => openRedisStore(url, { prefix: `contract-${prefixes++}:` }))
})
