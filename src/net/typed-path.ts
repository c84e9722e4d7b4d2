// Where an address is asked for and a card file would do as well: a path that leads to no file is a slip of the finger. Taken
// for a host it would be looked up in the DNS, piece by piece.

import { statSync } from 'node:fs'
import { EXIT, ParleyError } from '../model/errors.ts'

/** What is written as a path and is no card file is a mistyped path, never the name of a host. */
export function refusePath(text: string): void {
  if (!/^(?:[/~]|\.{1,2}[/\\]|[a-z]:[\\/])/i.test(text)) return
  const isFolder = statSync(text, { throwIfNoEntry: false })?.isDirectory() ?? false
  throw new ParleyError('bad-target', isFolder ? `${text} is a folder.` : `There is no card file ${text}.`, {
    exitCode: EXIT.usage,
    hint: 'Give the path of a card file, a host (localhost:9999) or a URL (https://agent.example.com).',
  })
}
