// The mock with a script that does what the agent of the benchmark does.

import { parseScript } from '../../src/mock/script/load-script.ts'
import { MockServer } from '../../src/mock/server.ts'
import { CHUNKS } from '../work.ts'
import { answerBenchmark } from './bench-server.ts'

const streams = CHUNKS.map((chunks) => {
  const steps = Array.from({ length: chunks }, (_, i) => {
    const more = `append: ${i > 0}, lastChunk: ${i + 1 === chunks}`
    return `{ artifact: { id: result, text: "chunk ${i + 1}", ${more} } }`
  })
  return `- { match: { text: { equals: "stream ${chunks}" } }, turns: [[{ status: working }, ${steps.join(', ')}, { complete: }]] }`
})

const SCRIPT = `
rules:
  - { match: { text: { equals: hello } }, turns: [[{ message: "Echo: hello" }]] }
  - match: { text: { regex: "^task (?<word>\\\\w+)$" } }
    turns: [[{ status: working }, { artifact: { id: result, text: "{{captures.word}}", lastChunk: true } }, { complete: }]]
  ${streams.join('\n  ')}
`

const server = new MockServer({ script: parseScript(SCRIPT) })
await server.start()
answerBenchmark(Number(new URL(server.url).port))
