// The mock against the plain server on the same work: what the script, the journal and the sessions cost.

import { BenchServer, type Load } from './bench-servers.ts'
import { CHUNKS, sendMessage, sendTask, streamChunks } from './work.ts'

const ROUNDS = 4

export interface MockComparison {
  work: string
  /** Answers per second of the server's own CPU time. */
  plain: number
  mock: number
}

export async function compareMock(load: Load): Promise<MockComparison[]> {
  const results: MockComparison[] = []
  for (const work of [sendMessage(), sendTask(), streamChunks(CHUNKS[0])]) {
    const plain = await BenchServer.start('parley')
    const mock = await BenchServer.start('mock')
    const requests = work.frames === undefined ? 12_000 : 2_500
    const best = { plain: 0, mock: 0 }
    // Both have to be compiled before they are compared, and the mock is more code.
    for (const server of [plain, mock]) await load.run(server, work, { requests: requests * 2 })
    for (let round = 1; round <= ROUNDS; round++) {
      const measured = {
        plain: await load.ratePerCpu(plain, work, requests),
        mock: await load.ratePerCpu(mock, work, requests),
      }
      best.plain = Math.max(best.plain, measured.plain)
      best.mock = Math.max(best.mock, measured.mock)
    }
    await Promise.all([plain.stop(), mock.stop()])
    results.push({ work: work.name, ...best })
  }
  return results
}
