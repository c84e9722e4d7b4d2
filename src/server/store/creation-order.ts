// Numbers that grow with every task created by this process, for shared stores where a common counter would make all
// writers wait for each other. Made of the clock, so replicas interleave; the store's unique index catches the rare
// collision. They tell nothing about other callers.

const STEPS_PER_MS = 4096

export function creationOrder(
  now: () => number = Date.now,
  salt = Math.floor(Math.random() * STEPS_PER_MS),
): () => number {
  let last = 0
  return () => {
    last = Math.max(last + 1, now() * STEPS_PER_MS + salt)
    return last
  }
}
