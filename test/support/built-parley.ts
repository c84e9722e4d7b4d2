// Parley bundled into a folder of its own, beside what the package has at run time: what tests start many times.

import { chmod, cp, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildCommand } from './build-package.ts'

const ROOT = join(import.meta.dirname, '../..')

export interface BuiltParley {
  /** A folder with the command `parley`, to be put on the PATH. */
  folder: string
  remove(): Promise<void>
}

export async function buildParley(): Promise<BuiltParley> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-built-'))
  // Some tests start it as another user.
  await chmod(folder, 0o755)
  await buildCommand(join(folder, 'dist'))
  await cp(join(ROOT, 'package.json'), join(folder, 'package.json'))
  for (const name of ['examples', 'schemas', 'suites', 'skills', 'proto', 'node_modules'])
    await symlink(join(ROOT, name), join(folder, name))
  await symlink(join(ROOT, 'dist', 'ui'), join(folder, 'dist', 'ui'))
  await cp(join(ROOT, 'bin'), join(folder, 'bin'), { recursive: true })
  const command = join(folder, 'parley')
  await writeFile(command, `#!/bin/sh\nexec "${process.execPath}" "${join(folder, 'bin/parley.js')}" "$@"\n`)
  await chmod(command, 0o755)
  return { folder, remove: () => rm(folder, { recursive: true }) }
}
