// The command line from source, for tests that need a real process: node test/support/parley.ts serve --port 0

import { main } from '../../src/cli/main.ts'

await main(process.argv.slice(2))
