import { beforeAll } from 'vitest'
import { openPostgresStore } from '../../src/server/store/postgres/store.ts'
import { describeWithServer } from '../servers/describe-with-server.ts'
import { ownPostgres } from '../servers/own-database.ts'
import { describeTaskStore } from './task-store.ts'

describeWithServer('PostgreSQL', 'the PostgreSQL store', () => {
  let url: string
  beforeAll(async () => {
    url = await ownPostgres()
  })

  let schemas = 0
  describeTaskStore('postgres', () => openPostgresStore(url, { schema: `contract_${schemas++}` }))
})
