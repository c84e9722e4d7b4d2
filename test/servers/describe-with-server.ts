// A suite that needs a program we do not bring: a database server, or OpenSSL 3. Where PARLEY_REQUIRE_SERVERS=1
// (continuous integration) a missing one fails the suite; elsewhere its tests are counted as skipped under a title that
// says why and what to do.

import { spawnSync } from 'node:child_process'
import { describe, test } from 'vitest'
import { postgresPrograms } from './start-postgres.ts'
import { redisProgram } from './start-redis.ts'

const INSTALLED = {
  PostgreSQL: () => postgresPrograms() !== undefined,
  Redis: () => redisProgram() !== undefined,
  'OpenSSL 3': () => /^OpenSSL [3-9]/.test(spawnSync('openssl', ['version'], { encoding: 'utf8' }).stdout ?? ''),
}

export function describeWithServer(server: keyof typeof INSTALLED, title: string, body: () => void): void {
  if (INSTALLED[server]()) {
    describe(title, body)
    return
  }
  const reason = `${server} is not installed; run scripts/install-test-servers.sh`
  if (process.env.PARLEY_REQUIRE_SERVERS === '1') {
    describe(title, () => {
      test(`needs ${server}`, () => {
        throw new Error(reason)
      })
    })
    return
  }
  console.warn(`NOT RUN: ${title}: ${reason}`)
  describe.skip(`${title} (NOT RUN: ${reason})`, body)
}
