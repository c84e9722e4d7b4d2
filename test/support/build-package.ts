// The package built as `npm run build` builds it, into a folder of the test's own.

import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'

const ROOT = join(import.meta.dirname, '../..')
const run = promisify(execFile)

/** Code and declarations; the pages of ui/ are not needed by what is tested so. */
export async function buildPackage(dist: string): Promise<void> {
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc')
  await run(process.execPath, [tsc, '-p', 'tsconfig.build.json', '--outDir', dist], { cwd: ROOT })
  await buildCommand(dist)
}

/** What can be started, without declarations. */
export async function buildCommand(dist: string): Promise<void> {
  await run(process.execPath, ['scripts/bundle.js', dist], { cwd: ROOT })
}
