// One process for each scenario:   parley grade -- node examples/clients/command.mjs {url}
// Exit code 0 means that what the user wanted was done; the last line of the output says what was understood.

import { outcomeOf } from './small-client.mjs'

const outcome = await outcomeOf(
  process.argv[2],
  JSON.parse(process.env.PARLEY_INTENT ?? '{"do":"send","text":"hello"}'),
)
console.log(JSON.stringify(outcome))
process.exitCode = outcome.fulfilled ? 0 : 1
