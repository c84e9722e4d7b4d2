// Judges an agent several times and compares the verdicts: node test/judge/same-verdicts.ts [runs]
// Prints how long the runs took; ends with 1 when two runs disagree.

import { startParley } from '../support/parley-process.ts'
import { compareRuns } from './compare-runs.ts'

const runs = Number(process.argv[2] ?? 10)
const server = await startParley(['serve'])
const { differences, durationsMs, verdicts } = await compareRuns(`${server.url}/spec`, runs)
await server.stop()
console.log(`${runs} runs of ${verdicts} results: ${durationsMs.map((ms) => `${(ms / 1000).toFixed(1)} s`).join(', ')}`)
for (const difference of differences) console.log(difference)
process.exitCode = differences.length === 0 ? 0 : 1
