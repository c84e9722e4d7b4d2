// The two-replica example of the operator's guide works as pasted: its commands are taken from the page and run, with
// other ports, this database and the command line from source.

import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { freePort } from '../servers/child-server.ts'
import { describeWithServer } from '../servers/describe-with-server.ts'
import { startPostgres } from '../servers/start-postgres.ts'

const GUIDE = join(import.meta.dirname, '../../docs/operate-the-server.md')
const ENTRY = join(import.meta.dirname, '../support/parley.ts')

describeWithServer('PostgreSQL', "the operator's guide", () => {
  test('two replicas, as pasted', { timeout: 90_000 }, async () => {
    const server = await startPostgres()
    try {
      const block = /```sh\n(.*?PARLEY_STORE.*?)```/s.exec(readFileSync(GUIDE, 'utf8'))?.[1] ?? ''
      const script = block
        .replaceAll('npx a2a-parley', `"${process.execPath}" "${ENTRY}"`)
        .replaceAll('9001', String(await freePort()))
        .replaceAll('9002', String(await freePort()))
      // Job control by %1 is what an interactive shell has.
      const { stdout } = await promisify(execFile)('bash', ['-c', `set -m\n${script}`], {
        env: { ...process.env, PARLEY_STORE: server.url },
      })
      const states = [...stdout.matchAll(/"state":"(TASK_STATE_[A-Z_]+)"/g)].map(([, state]) => state)
      expect(states).toHaveLength(3)
      expect(states[0]).toMatch(/SUBMITTED|WORKING/)
      expect(states.slice(1)).toEqual(['TASK_STATE_CANCELED', 'TASK_STATE_CANCELED'])
    } finally {
      await server.stop()
    }
  })
})
