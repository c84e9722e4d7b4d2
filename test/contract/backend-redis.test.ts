import { beforeAll } from 'vitest'
import { openRedisBackend } from '../../src/server/backend/redis/backend.ts'
import { type BackendOptions, describeBackend, describeFollowClaims } from '../../src/testing/index.ts'
import { describeWithServer } from '../servers/describe-with-server.ts'
import { ownRedis } from '../servers/own-database.ts'

describeWithServer('Redis', 'the Redis backend', () => {
  let url: string
  beforeAll(async () => {
    url = await ownRedis()
  })

  let databases = 0
  const open = (options: BackendOptions) => openRedisBackend(url, { ...options, prefix: `contract-${databases++}:` })
  describeBackend('redis', open)
  describeFollowClaims('redis', open)
})
