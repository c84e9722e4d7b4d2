// What durability costs: the same work on the SQLite store and on the memory store, taking turns.

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { BenchServer, type Load, taskIdIn } from './bench-servers.ts'
import { CHUNKS, getTask, sendTask, streamChunks, type Work } from './work.ts'

const ROUNDS = 3
const ROUND_MS = 700

export interface StoreComparison {
  work: string
  memory: number
  sqlite: number
}

export async function compareStores(load: Load): Promise<StoreComparison[]> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-bench-'))
  const memory = await BenchServer.start('parley', 'memory')
  const sqlite = await BenchServer.start('parley', `sqlite:${join(folder, 'tasks.db')}`)
  const idIn = async (server: BenchServer) => taskIdIn((await load.ask(server, sendTask())).body)
  const [inMemory, inSqlite] = [await idIn(memory), await idIn(sqlite)]
  const works: readonly [Work, Work][] = [
    [sendTask(), sendTask()],
    [getTask(inMemory), getTask(inSqlite)],
    [streamChunks(CHUNKS[0]), streamChunks(CHUNKS[0])],
  ]
  try {
    const results: StoreComparison[] = []
    for (const [onMemory, onSqlite] of works) {
      const best = { memory: 0, sqlite: 0 }
      for (let round = 0; round <= ROUNDS; round++) {
        const a = await load.run(memory, onMemory, { durationMs: ROUND_MS })
        const b = await load.run(sqlite, onSqlite, { durationMs: ROUND_MS })
        best.memory = Math.max(best.memory, a.perSecond)
        best.sqlite = Math.max(best.sqlite, b.perSecond)
      }
      results.push({ work: onMemory.name, ...best })
    }
    return results
  } finally {
    await Promise.all([memory.stop(), sqlite.stop()])
    await rm(folder, { recursive: true })
  }
}
