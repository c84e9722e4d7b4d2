// The command as tests start it: built once for the whole run (test/servers/run-servers.ts), which starts in a third of the
// time that the sources take. Outside such a run, in scripts and in `npm run test:judge`, it is the sources.

import { join } from 'node:path'

const folder = await builtFolder(process.env.PARLEY_RUN_SHARED)

/** The sources, for tests that look at single files of them. */
export const SOURCE_ENTRY = join(import.meta.dirname, 'parley.ts')

/** To be given to node. */
export const PARLEY_ENTRY = folder === undefined ? SOURCE_ENTRY : join(folder, 'bin', 'parley.js')

/** A folder with the command `parley`, to be put on the PATH. */
export function parleyFolder(): string {
  if (folder === undefined) throw new Error('The command is built by runs of vitest.config.ts only.')
  return folder
}

async function builtFolder(shared: string | undefined): Promise<string | undefined> {
  if (shared === undefined) return undefined
  const answer = await fetch(`${shared}/command`)
  const text = await answer.text()
  if (!answer.ok) throw new Error(text)
  return text
}
