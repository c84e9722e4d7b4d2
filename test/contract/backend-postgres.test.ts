import { beforeAll } from 'vitest'
import { openPostgresBackend } from '../../src/server/backend/postgres/backend.ts'
import { type BackendOptions, describeBackend, describeFollowClaims } from '../../src/testing/index.ts'
import { describeWithServer } from '../servers/describe-with-server.ts'
import { ownPostgres } from '../servers/own-database.ts'

describeWithServer('PostgreSQL', 'the PostgreSQL backend', () => {
  let url: string
  beforeAll(async () => {
    url = await ownPostgres()
  })

  let databases = 0
  const open = (options: BackendOptions) => openPostgresBackend(url, { ...options, schema: `contract_${databases++}` })
  describeBackend('postgres', open)
  describeFollowClaims('postgres', open)
})
