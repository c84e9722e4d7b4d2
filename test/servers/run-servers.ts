// What a whole test run shares: one PostgreSQL, one Redis, one Chromium, and the command, built. Each is made when the first file asks for
// it: Vitest calls `setup` once per run; the test files, in processes of their own, ask a small loopback server where it is.

import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestProject } from 'vitest/node'
import { buildParley } from '../support/built-parley.ts'
import type { ChildServer } from './child-server.ts'
import { startChromium } from './start-chromium.ts'
import { startPostgres } from './start-postgres.ts'
import { startRedis } from './start-redis.ts'

declare module 'vitest' {
  interface ProvidedContext {
    runServersUrl: string
  }
}

interface Shared {
  /** An address or a folder. */
  place: string
  stop(): Promise<unknown>
}

// Test files run side by side, each with pools of its own, and each in a database of its own.
const START: Readonly<Record<string, () => Promise<Shared>>> = {
  '/postgres': () => startPostgres({ max_connections: '300' }).then(sharedServer),
  '/redis': () => startRedis({ databases: '1024' }).then(sharedServer),
  '/chromium': () => startChromium().then(sharedServer),
  '/command': () => buildParley().then(({ folder, remove }) => ({ place: folder, stop: remove })),
}

function sharedServer(server: ChildServer): Shared {
  return { place: server.url, stop: () => server.stop() }
}

export default async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  const known = process.env.PARLEY_RUN_SHARED
  if (known !== undefined) {
    // Another project of this run was first.
    project.provide('runServersUrl', known)
    return undefined
  }
  const started = new Map<string, Promise<Shared>>()
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
      ({ place }) => response.end(place),
      (error: unknown) => response.writeHead(500).end(String(error)),
    )
  })
  broker.listen(0, '127.0.0.1')
  await once(broker, 'listening')
  const url = `http://127.0.0.1:${(broker.address() as AddressInfo).port}`
  project.provide('runServersUrl', url)
  // Also for modules that scripts import, which have no Vitest to ask.
  process.env.PARLEY_RUN_SHARED = url
  return async () => {
    delete process.env.PARLEY_RUN_SHARED
    broker.close()
    for (const server of await Promise.allSettled(started.values()))
      if (server.status === 'fulfilled') await server.value.stop()
  }
}
