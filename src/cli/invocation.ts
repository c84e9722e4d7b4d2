// How this process was started, as a person would type it again. `npx parley` is another package, so hints that
// are meant to be pasted name the command that really ran.

import { realpathSync } from 'node:fs'
import { basename, delimiter, join, relative } from 'node:path'

export interface Invocation {
  /** The script Node was given: argv[1]. */
  script: string
  env: NodeJS.ProcessEnv
  cwd: string
}

const PACKAGE = 'a2a-parley'

/** `npx a2a-parley`, `parley`, or `node path/to/parley.js`. */
export function commandOf({ script, env, cwd }: Invocation): string {
  // npm sets it for npx and npm exec; scripts of a package find the command the same way.
  if (env.npm_command !== undefined) return `npx ${PACKAGE}`
  const name = basename(script).replace(/\.js$/, '')
  if (isOnPath(name, script, env)) return name
  if (script.startsWith(join(cwd, 'node_modules'))) return `npx ${PACKAGE}`
  const shown = relative(cwd, script)
  return `node ${shown === '' || shown.startsWith('..') ? script : shown}`
}

/** Whether the shell would find this very script under that name. */
function isOnPath(name: string, script: string, env: NodeJS.ProcessEnv): boolean {
  const real = realPath(script)
  return (env.PATH ?? '').split(delimiter).some((folder) => folder !== '' && realPath(join(folder, name)) === real)
}

function realPath(path: string): string | undefined {
  try {
    return realpathSync(path)
  } catch {
    return undefined
  }
}

let known: string | undefined

/** The command of this process. */
export function ownCommand(): string {
  known ??= commandOf({ script: process.argv[1] ?? '', env: process.env, cwd: process.cwd() })
  return known
}
