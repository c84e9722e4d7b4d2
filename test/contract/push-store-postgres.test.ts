import { afterAll, beforeAll } from 'vitest'
import { openPostgresPushStore } from '../../src/server/push/store/postgres.ts'
import { openPostgresStore } from '../../src/server/store/postgres/store.ts'
import type { ChildServer } from '../servers/child-server.ts'
import { describeWithServer } from '../servers/describe-with-server.ts'
import { startPostgres } from '../servers/start-postgres.ts'
import { describePushStore } from './push-store.ts'

describeWithServer('PostgreSQL', 'push configurations in PostgreSQL', () => {
  let server: ChildServer
  beforeAll(async () => {
    server = await startPostgres()
  })
  afterAll(() => server.stop())

  let schemas = 0
  describePushStore('postgres', async () => {
    const schema = `push_${schemas++}`
    return {
      tasks: await openPostgresStore(server.url, { schema }),
      open: (now) => openPostgresPushStore(server.url, { schema, now }),
    }
  })
})
