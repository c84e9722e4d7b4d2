// A database that is there, but keeps the first write of a process waiting: it is waited for, as one that is away.

import pg from 'pg'
import { beforeAll, expect, test } from 'vitest'
import { openPostgresBackend } from '../../src/server/backend/postgres/backend.ts'
import { describeWithServer } from '../servers/describe-with-server.ts'
import { ownPostgres } from '../servers/own-database.ts'

describeWithServer('PostgreSQL', 'a busy PostgreSQL at the start', () => {
  let url: string
  beforeAll(async () => {
    url = await ownPostgres()
    const backend = await openPostgresBackend(url)
    await backend.close()
  })

  test.each(['openTasks', 'openLinks'] as const)('%s waits, says so, and goes on', async (open) => {
    const busy = new pg.Client({ connectionString: url })
    await busy.connect()
    const { rows } = await busy.query<{ schema: string }>(
      `SELECT table_schema AS schema FROM information_schema.tables WHERE table_name = 'replicas'`,
    )
    await busy.query('BEGIN')
    await busy.query(`LOCK TABLE ${busy.escapeIdentifier(rows[0]?.schema ?? '')}.replicas IN ACCESS EXCLUSIVE MODE`)
    const reasons: string[] = []
    const onWaiting = (reason: string) => {
      reasons.push(reason)
      void busy.end()
    }
    const backend = await openPostgresBackend(url, { onWaiting })
    const opened = await backend[open]()
    expect(reasons).toHaveLength(1)
    await opened.close()
    await backend.close()
  })
})
