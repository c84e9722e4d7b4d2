// The package built as `npm run build` builds it, into a folder of the test's own.

import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'

const ROOT = join(import.meta.dirname, '../..')
const run = promisify(execFile)

/** What can be started, without declarations. */
export async function buildCommand(dist: string): Promise<void> {
  await run(process.execPath, ['scripts/bundle.js', dist], { cwd: ROOT })
}
