import { beforeAll } from 'vitest'
import { openPostgresPushStore } from '../../src/server/push/store/postgres.ts'
import { openPostgresStore } from '../../src/server/store/postgres/store.ts'
import { describeWithServer } from '../servers/describe-with-server.ts'
import { ownPostgres } from '../servers/own-database.ts'
import { describePushStore } from './push-store.ts'

describeWithServer('PostgreSQL', 'push configurations in PostgreSQL', () => {
  let url: string
  beforeAll(async () => {
    url = await ownPostgres()
  })

  let schemas = 0
  describePushStore('postgres', async () => {
    const schema = `push_${schemas++}`
    return {
      tasks: await openPostgresStore(url, { schema }),
      open: (now) => openPostgresPushStore(url, { schema, now }),
    }
  })
})
