// Opens the store it is given and says what happened, for tests that need another user to try.

import { openStore } from '../../src/server/backend/open.ts'

const [spec = ''] = process.argv.slice(2)
try {
  await (await openStore(spec)).close()
  process.stdout.write('opened\n')
} catch (error) {
  process.stdout.write(`${String(error)}\n`)
}
