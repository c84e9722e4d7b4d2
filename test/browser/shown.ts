// What a page shows is drawn a moment after what caused it: whatever is read from it is read until it is as expected.

import { expect } from 'vitest'

/** As long as a locator waits. */
const PATIENCE = { timeout: 15_000, interval: 25 }

export function shown<T>(read: () => T | Promise<T>) {
  return expect.poll(read, PATIENCE)
}
