// A database for each test of a suite: opened before it, closed after it, with whatever the test uses of it.

import { afterEach, beforeEach } from 'vitest'
import type { Backend, BackendOptions } from '../server/backend/backend.ts'

/** Opens a database that is empty; called before each test. */
export type OpenBackend = (options: BackendOptions) => Promise<Backend>

/** `start` returns what is to be closed before the database, in that order; more may be added during the test. */
export function eachWithBackend(
  open: OpenBackend,
  start: (backend: Backend) => Promise<readonly { close(): Promise<void> }[]>,
  options: () => BackendOptions = () => ({}),
): void {
  let backend: Backend
  let opened: readonly { close(): Promise<void> }[]
  beforeEach(async () => {
    backend = await open(options())
    opened = await start(backend)
  })
  afterEach(async () => {
    for (const each of opened) await each.close()
    await backend.close()
  })
}
