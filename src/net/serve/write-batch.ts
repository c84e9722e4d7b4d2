// Write coalescing: answers leave at the end of the turn of the event loop in which they were ready, when everything the
// sockets had for us has been read. Writes that follow each other find their readers awake; a write between two requests
// wakes a reader that had gone to sleep, which the kernel makes the writer pay for, often with more than the whole answer
// cost (docs/decisions/0006).

import { runIsolated } from '../../base/run-isolated.ts'

let batch: (() => void)[] = []

/** Runs `write` together with what else is ready by then. */
export function flushAtTurnEnd(write: () => void): void {
  if (batch.push(write) === 1) setImmediate(flush)
}

function flush(): void {
  const writes = batch
  batch = []
  for (const write of writes) runIsolated(write)
}
