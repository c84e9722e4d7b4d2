// A real PostgreSQL for tests, from the distribution's binaries. It refuses to run as root, so under root it runs as
// the `postgres` user that the package creates.

import { execFileSync } from 'node:child_process'
import { chownSync, existsSync, mkdtempSync, readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ChildServer, freePort } from './child-server.ts'

const PACKAGED = '/usr/lib/postgresql'

/** The directory of the newest installed PostgreSQL's programs; undefined when there is none. */
export function postgresPrograms(): string | undefined {
  const versions = existsSync(PACKAGED) ? readdirSync(PACKAGED).map(Number).filter(Number.isFinite) : []
  const packaged = versions.toSorted((a, b) => b - a).map((version) => join(PACKAGED, String(version), 'bin'))
  const onPath = (process.env.PATH ?? '').split(':')
  return [...packaged, ...onPath].find((dir) => existsSync(join(dir, 'initdb')) && existsSync(join(dir, 'postgres')))
}

export async function startPostgres(settings: Readonly<Record<string, string>> = {}): Promise<ChildServer> {
  const programs = postgresPrograms()
  if (programs === undefined) throw new Error('PostgreSQL is not installed: run scripts/install-test-servers.sh')
  const directory = mkdtempSync(join(tmpdir(), 'parley-postgres-'))
  const owner = process.getuid?.() === 0 ? postgresUser() : undefined
  if (owner !== undefined) chownSync(directory, owner.uid, owner.gid)
  const data = join(directory, 'data')
  const init = ['-D', data, '-U', 'parley', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync']
  execFileSync(join(programs, 'initdb'), init, { stdio: 'pipe', cwd: directory, ...owner })
  const port = await freePort()
  const given = Object.entries({ max_connections: '60', ...settings }).flatMap(([key, value]) => [
    '-c',
    `${key}=${value}`,
  ])
  const server = new ChildServer(
    {
      name: 'PostgreSQL',
      command: join(programs, 'postgres'),
      args: ['-D', data, '-p', String(port), '-h', '127.0.0.1', '-k', directory, ...given],
      directory,
      readyText: 'database system is ready to accept connections',
      // After kill -9 the old backends need a moment to notice.
      transientText: 'shared memory block',
      ...owner,
    },
    port,
    `postgres://parley@127.0.0.1:${port}/postgres`,
  )
  await server.start()
  return server
}

function postgresUser(): { uid: number; gid: number } {
  const idOf = (flag: string): number => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }))
  return { uid: idOf('-u'), gid: idOf('-g') }
}
