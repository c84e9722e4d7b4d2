// A real Redis for tests, with its append-only file on unless a test asks otherwise.

import { existsSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ChildServer, freePort } from './child-server.ts'

export function redisProgram(): string | undefined {
  const directories = ['/usr/bin', '/usr/local/bin', ...(process.env.PATH ?? '').split(':')]
  return directories.map((directory) => join(directory, 'redis-server')).find((path) => existsSync(path))
}

export async function startRedis(settings: Readonly<Record<string, string>> = {}): Promise<ChildServer> {
  const command = redisProgram()
  if (command === undefined) throw new Error('Redis is not installed: run scripts/install-test-servers.sh')
  const directory = mkdtempSync(join(tmpdir(), 'parley-redis-'))
  const port = await freePort()
  const given = { appendonly: 'yes', appendfsync: 'everysec', save: '', ...settings }
  const server = new ChildServer(
    {
      name: 'Redis',
      command,
      args: [
        ...['--port', String(port), '--bind', '127.0.0.1', '--dir', directory],
        ...Object.entries(given).flatMap(([key, value]) => [`--${key}`, value]),
      ],
      directory,
      readyText: 'Ready to accept connections',
    },
    port,
    `redis://127.0.0.1:${port}/0`,
  )
  await server.start()
  return server
}
