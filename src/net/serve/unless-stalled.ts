// Waits for a reader, but not for ever.

import type { Writable } from 'node:stream'

/** Calls `then` when the reader has taken what there is, or is gone, by itself or because it took too long. */
export function unlessStalled(reader: Writable, taken: 'drain' | 'finish', timeoutMs: number, then: () => void): void {
  const stalled = setTimeout(() => reader.destroy(), timeoutMs)
  const done = () => {
    clearTimeout(stalled)
    reader.off(taken, done)
    reader.off('close', done)
    then()
  }
  reader.once(taken, done)
  reader.once('close', done)
}
