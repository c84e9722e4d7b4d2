// The mock against the plain server on the same work: what the script, the journal and the sessions cost.

import { BenchServer, type Load } from './bench-servers.ts'
import { middle } from './middle.ts'
import { CHUNKS, sendMessage, sendTask, streamChunks } from './work.ts'

const ROUNDS = 7

export interface MockComparison {
  work: string
  /** Answers per second of the server's own CPU time, in the middle round. */
  plain: number
  mock: number
  /** Of the two in the same round, in the middle round: a neighbour that disturbs one of them does not decide. */
  share: number
}

export async function compareMock(load: Load): Promise<MockComparison[]> {
  const results: MockComparison[] = []
  for (const work of [sendMessage(), sendTask(), streamChunks(CHUNKS[0])]) {
    const plain = await BenchServer.start('parley')
    const mock = await BenchServer.start('mock')
    const requests = work.frames === undefined ? 8_000 : 1_600
    // Both have to be compiled before they are compared, and the mock is more code.
    for (const server of [plain, mock]) await load.run(server, work, { requests: requests * 3 })
    const rounds: { plain: number; mock: number }[] = []
    for (let round = 1; round <= ROUNDS; round++) {
      rounds.push({
        plain: await load.ratePerCpu(plain, work, requests),
        mock: await load.ratePerCpu(mock, work, requests),
      })
    }
    await Promise.all([plain.stop(), mock.stop()])
    results.push({
      work: work.name,
      plain: middle(rounds.map((round) => round.plain)),
      mock: middle(rounds.map((round) => round.mock)),
      share: middle(rounds.map((round) => round.mock / round.plain)),
    })
  }
  return results
}
