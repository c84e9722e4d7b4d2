// What the command line adds to Node's loader before it imports a user's module: `a2a-parley/…` means the Parley that runs
// (so that a file needs no installation, and an A2AError of the module is one of ours), and the files that were loaded are
// noted, for --watch and to say which of them is wrong.

import { existsSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { packageExports } from '../base/package-version.ts'

const OWN = 'a2a-parley'
/** Where the rooms are: src/ from source, dist/ as published. */
const ROOMS = new URL('../', import.meta.url)

/** `onFile` hears of every file below the folders of the project, in the order of loading. */
export function hookImports(onFile: (path: string) => void): void {
  const rooms = ownRooms()
  registerHooks({
    resolve(specifier, context, next) {
      const url = specifier.startsWith(OWN) ? rooms.get(specifier) : undefined
      const resolved = url === undefined ? next(specifier, context) : { url, shortCircuit: true }
      if (isOfProject(resolved.url)) onFile(fileURLToPath(resolved.url))
      return resolved
    },
  })
}

function isOfProject(url: string): boolean {
  return url.startsWith('file:') && !url.includes('/node_modules/') && !url.startsWith(ROOMS.href)
}

/** `a2a-parley/server` and its siblings, as package.json exports them, in the tree that runs. */
function ownRooms(): Map<string, string> {
  const extension = extname(import.meta.url)
  const rooms = new Map<string, string>()
  for (const [name, target] of Object.entries(packageExports())) {
    if (typeof target === 'string') continue
    const url = new URL(target.default.replace('./dist/', '').replace(/\.js$/, extension), ROOMS)
    if (existsSync(url)) rooms.set(OWN + name.slice('.'.length), url.href)
  }
  return rooms
}
