// Loads agent modules as `parley serve` does and prints what became of each, one JSON line each: one process for many files.
// node test/support/load-agent-modules.ts file.ts …

import { loadAgentModule } from '../../src/cli/agent-module.ts'
import { ParleyError } from '../../src/model/errors.ts'

for (const file of process.argv.slice(2)) {
  const outcome = await loadAgentModule(file, { timeoutMs: file.startsWith('hangs') ? 50 : 60_000 }).then(
    ({ agents }) => ({ cards: agents.map(({ card }) => card.name) }),
    (error: unknown) =>
      error instanceof ParleyError ? { message: error.message, exitCode: error.exitCode } : { bug: String(error) },
  )
  console.log(JSON.stringify({ file, ...outcome }))
}
