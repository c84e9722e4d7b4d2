// The mock against the plain server on the same work: what the script, the journal and the sessions cost.

import { BenchServer, type Load } from './bench-servers.ts'
import { CHUNKS, sendMessage, sendTask, streamChunks } from './work.ts'

const ROUNDS = 4
const ROUND_MS = 700

export interface MockComparison {
  work: string
  plain: number
  mock: number
}

export async function compareMock(load: Load): Promise<MockComparison[]> {
  const results: MockComparison[] = []
  for (const work of [sendMessage(), sendTask(), streamChunks(CHUNKS[0])]) {
    const plain = await BenchServer.start('parley')
    const mock = await BenchServer.start('mock')
    const best = { plain: 0, mock: 0 }
    // The first round only warms up.
    for (let round = 0; round <= ROUNDS; round++) {
      const measured = {
        plain: (await load.run(plain, work, { durationMs: ROUND_MS })).perSecond,
        mock: (await load.run(mock, work, { durationMs: ROUND_MS })).perSecond,
      }
      if (round === 0) continue
      best.plain = Math.max(best.plain, measured.plain)
      best.mock = Math.max(best.mock, measured.mock)
    }
    await Promise.all([plain.stop(), mock.stop()])
    results.push({ work: work.name, ...best })
  }
  return results
}
