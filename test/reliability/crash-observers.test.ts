// CRASH-7 on the durable stores; PARLEY_ROUNDS makes it longer.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { startPostgres } from '../servers/start-postgres.ts'
import { startRedis } from '../servers/start-redis.ts'
import { crashWhileWatched, stopWhileWatched } from './crash-observers.ts'
import { seed, seededRandom } from './seeded-random.ts'

const rounds = Number(process.env.PARLEY_ROUNDS ?? 3)

const STORES: readonly [string, () => Promise<{ spec: string; remove: () => Promise<void> | void }>][] = [
  [
    'SQLite',
    async () => {
      const directory = mkdtempSync(join(tmpdir(), 'parley-watched-'))
      return { spec: `sqlite:${join(directory, 'tasks.db')}`, remove: () => rmSync(directory, { recursive: true }) }
    },
  ],
  ['PostgreSQL', async () => servedBy(await startPostgres())],
  ['Redis', async () => servedBy(await startRedis())],
]

function servedBy(server: { url: string; stop(): Promise<void> }) {
  return { spec: server.url, remove: () => server.stop() }
}

describe.each(STORES)('CRASH-7 on %s', (name, open) => {
  let store: Awaited<ReturnType<typeof open>>
  beforeAll(async () => {
    store = await open()
  })
  afterAll(() => store.remove())

  test(`${rounds} kills: nobody was shown what is not stored`, async () => {
    const judged = await crashWhileWatched(store.spec, rounds, seededRandom())
    console.log(`CRASH-7 ${name}: ${judged} sightings in ${rounds} kills, PARLEY_SEED=${seed}`)
  })

  test('SIGTERM: what agents have said is stored, and why they were stopped', () => stopWhileWatched(store.spec))
})
