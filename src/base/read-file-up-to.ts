// A file that a person names, with a bound: a device or a pipe may never end.

import { closeSync, openSync, readSync } from 'node:fs'

const PIECE_BYTES = 1024 * 1024

/** Throws what the system says, or that it is larger. */
export function readFileUpTo(path: string, mostBytes: number): Buffer {
  const file = openSync(path, 'r')
  try {
    const pieces: Buffer[] = []
    for (let size = 0; ; ) {
      const piece = Buffer.allocUnsafe(PIECE_BYTES)
      const count = readSync(file, piece)
      if (count === 0) return Buffer.concat(pieces, size)
      size += count
      if (size > mostBytes) throw new Error(`it is larger than ${mostBytes / PIECE_BYTES} MiB`)
      pieces.push(piece.subarray(0, count))
    }
  } finally {
    closeSync(file)
  }
}
