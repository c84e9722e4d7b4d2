// Answers leave at the end of the turn of the event loop in which they were ready: when everything the sockets had for
// us has been read. Writes that follow each other find their readers awake; a write between two requests wakes a reader
// that had gone to sleep, which the kernel makes the writer pay for, often with more than the whole answer cost.

import { callApart } from '../base/call-apart.ts'

let leaving: (() => void)[] = []

/** Runs `leave` together with what else is ready by then. */
export function atTurnEnd(leave: () => void): void {
  if (leaving.push(leave) === 1) setImmediate(leaveAll)
}

function leaveAll(): void {
  const now = leaving
  leaving = []
  for (const leave of now) callApart(leave)
}
