// What happens when standard output is closed or full. `parley … | head` closes our output early: a reader that has seen enough,
// not a failure. A full disk is one, and gets a sentence on the stream that still works.

import { EXIT } from '../model/errors.ts'

const REASONS: { readonly [code: string]: string } = {
  ENOSPC: 'the disk is full; free some space, or write somewhere else',
  EDQUOT: 'your disk quota is used up; free some space, or write somewhere else',
  EIO: 'the device reports an error',
}

export function watchOutput(): void {
  for (const [stream, other, name] of [
    [process.stdout, process.stderr, 'standard output'],
    [process.stderr, undefined, 'standard error'],
  ] as const) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EPIPE') process.exit(process.exitCode ?? 0)
      const reason = REASONS[error.code ?? ''] ?? error.message
      const leave = () => process.exit(EXIT.failed)
      if (other === undefined) leave()
      else other.write(`parley: Writing to ${name} failed: ${reason}.\n`, leave)
    })
  }
}
