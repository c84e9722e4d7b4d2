// One process for all scenarios:   parley grade --harness ndjson -- node examples/clients/harness.mjs
// A request on each line of stdin, the outcome of one on each line of stdout; everything else belongs on stderr.

import { createInterface } from 'node:readline'
import { outcomeOf } from './small-client.mjs'

createInterface({ input: process.stdin }).on('line', async (line) => {
  const { id, url, intent } = JSON.parse(line)
  console.log(JSON.stringify({ id, ...(await outcomeOf(url, intent)) }))
})
