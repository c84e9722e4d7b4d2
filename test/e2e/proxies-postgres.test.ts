import { afterAll, beforeAll, vi } from 'vitest'
import type { ChildServer } from '../servers/child-server.ts'
import { describeWithServer } from '../servers/describe-with-server.ts'
import { startPostgres } from '../servers/start-postgres.ts'
import { describeProxies } from './proxies.ts'

// Processes start slowly on a busy machine.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 })

describeWithServer('PostgreSQL', 'proxies on PostgreSQL', () => {
  let server: ChildServer
  beforeAll(async () => {
    server = await startPostgres()
  })
  afterAll(() => server.stop())
  describeProxies('PostgreSQL', () => server)
})
