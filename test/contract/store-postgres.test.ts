import { afterAll, beforeAll } from 'vitest'
import { openPostgresStore } from '../../src/server/store/postgres/store.ts'
import type { ChildServer } from '../servers/child-server.ts'
import { describeWithServer } from '../servers/describe-with-server.ts'
import { startPostgres } from '../servers/start-postgres.ts'
import { describeTaskStore } from './task-store.ts'

describeWithServer('PostgreSQL', 'the PostgreSQL store', () => {
  let server: ChildServer
  beforeAll(async () => {
    server = await startPostgres()
  })
  afterAll(() => server.stop())

  let schemas = 0
  describeTaskStore('postgres', () => openPostgresStore(server.url, { schema: `contract_${schemas++}` }))
})
