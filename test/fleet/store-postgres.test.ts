import { beforeAll } from 'vitest'
import { describeWithServer } from '../servers/describe-with-server.ts'
import { ownPostgres } from '../servers/own-database.ts'
import { testBooks } from './books.ts'
import { postgresStore, type TestStore } from './fleet-stores.ts'
import { describeHostQueue } from './host-queue.ts'

describeWithServer('PostgreSQL', 'a fleet in PostgreSQL', () => {
  let opened: TestStore
  let other: Awaited<ReturnType<TestStore['again']>>
  beforeAll(async () => {
    opened = await postgresStore(await ownPostgres())
    other = await opened.again()
    return () => opened.remove()
  })

  describeHostQueue('PostgreSQL', async () => ({
    first: opened.store.queue,
    second: other.queue,
    close: () => opened.store.db.rows('DELETE FROM parley_fleet_queue.job').then(() => {}),
  }))

  testBooks(() => opened)
})
