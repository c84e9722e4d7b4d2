// One PostgreSQL, one Redis and one Chromium for a whole test run, started when the first file asks for one. Vitest calls `setup`
// once per run; the test files, in processes of their own, ask a small loopback server for the address, so that nothing is
// started for runs that need no database.

import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestProject } from 'vitest/node'
import type { ChildServer } from './child-server.ts'
import { startChromium } from './start-chromium.ts'
import { startPostgres } from './start-postgres.ts'
import { startRedis } from './start-redis.ts'

declare module 'vitest' {
  interface ProvidedContext {
    runServersUrl: string
  }
}

// Test files run side by side, each with pools of its own, and each in a database of its own.
const START: Readonly<Record<string, () => Promise<ChildServer>>> = {
  '/postgres': () => startPostgres({ max_connections: '300' }),
  '/redis': () => startRedis({ databases: '1024' }),
  '/chromium': startChromium,
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const started = new Map<string, Promise<ChildServer>>()
  const broker = createServer((request, response) => {
    const path = request.url ?? ''
    const start = START[path]
    if (start === undefined) {
      response.writeHead(404).end()
      return
    }
    const server = started.get(path) ?? start()
    started.set(path, server)
    server.then(
      ({ url }) => response.end(url),
      (error: unknown) => response.writeHead(500).end(String(error)),
    )
  })
  broker.listen(0, '127.0.0.1')
  await once(broker, 'listening')
  project.provide('runServersUrl', `http://127.0.0.1:${(broker.address() as AddressInfo).port}`)
  return async () => {
    broker.close()
    for (const server of await Promise.allSettled(started.values()))
      if (server.status === 'fulfilled') await server.value.stop()
  }
}
