// A suite that needs a program we do not bring: a database server, OpenSSL 3, or another runtime. Where
// PARLEY_REQUIRE_SERVERS=1 (continuous integration) a missing one fails the suite, unless its platform may not have it;
// elsewhere its tests are counted as skipped under a title that says why and what to do.

import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'vitest'
import { postgresPrograms } from './start-postgres.ts'
import { redisProgram } from './start-redis.ts'

const SCRIPT = 'scripts/install-test-servers.sh'
const TOOLS = 'npm install --prefix tools'

interface Needed {
  isThere(): boolean
  /** What installs it. */
  readonly install: string
  /** There are platforms without it. */
  readonly isOptional?: boolean
}

const NEEDED = {
  PostgreSQL: { isThere: () => postgresPrograms() !== undefined, install: SCRIPT },
  Redis: { isThere: () => redisProgram() !== undefined, install: SCRIPT },
  'OpenSSL 3': {
    isThere: () => /^OpenSSL [3-9]/.test(spawnSync('openssl', ['version'], { encoding: 'utf8' }).stdout ?? ''),
    install: SCRIPT,
  },
  Bun: { isThere: () => runs('bun'), install: TOOLS, isOptional: true },
  Deno: { isThere: () => runs('deno'), install: TOOLS, isOptional: true },
} satisfies { readonly [program: string]: Needed }

/** The path of a program that `tools/package.json` brings. */
export function toolPath(name: string): string {
  return join(import.meta.dirname, '..', '..', 'tools', 'node_modules', '.bin', name)
}

function runs(name: string): boolean {
  return existsSync(toolPath(name)) && spawnSync(toolPath(name), ['--version']).status === 0
}

export function describeWithServer(program: keyof typeof NEEDED, title: string, body: () => void): void {
  const { isThere, install, isOptional = false }: Needed = NEEDED[program]
  if (isThere()) {
    describe(title, body)
    return
  }
  const reason = `${program} is not installed; run ${install}`
  if (process.env.PARLEY_REQUIRE_SERVERS === '1' && !isOptional) {
    describe(title, () => {
      test(`needs ${program}`, () => {
        throw new Error(reason)
      })
    })
    return
  }
  console.warn(`NOT RUN: ${title}: ${reason}`)
  describe.skip(`${title} (NOT RUN: ${reason})`, body)
}
