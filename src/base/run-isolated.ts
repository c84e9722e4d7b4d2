/**
 * Calls one of several that have nothing to do with each other: what it throws is a bug to be seen, but not one that
 * keeps the others from their turn.
 */
export function runIsolated(call: () => void): void {
  try {
    call()
  } catch (error) {
    queueMicrotask(() => {
      throw error
    })
  }
}
