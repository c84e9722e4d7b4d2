// Start-up while the database is not there yet: waits with back-off, says so, and gives up in the end. Never
// continues without the database.

import { setTimeout as sleep } from 'node:timers/promises'
import { A2AError } from '../../model/errors.ts'

/** How long to wait for a database that starts. */
export interface StartOptions {
  /**
   * Do not wait for a database that is down.
   * @default false
   */
  readonly failFast?: boolean
  /**
   * How long to wait for it otherwise, in milliseconds.
   * @default 30_000
   */
  readonly startTimeoutMs?: number
  /** Told once, when waiting begins. */
  readonly onWaiting?: (reason: string) => void
}

/** The database is there, but did not answer in time: it may when it is asked again. */
export function isPassingRefusal(error: unknown): boolean {
  return error instanceof A2AError && error.kind === 'Unavailable'
}

const START_TIMEOUT_MS = 30_000
const FIRST_PAUSE_MS = 100
const LONGEST_PAUSE_MS = 2_000

/** Repeats `attempt` while `isPassing` says that its error may pass. */
export async function waitForStart<T>(
  attempt: () => Promise<T>,
  isPassing: (error: unknown) => boolean,
  { failFast = false, startTimeoutMs = START_TIMEOUT_MS, onWaiting }: StartOptions,
): Promise<T> {
  const deadline = performance.now() + startTimeoutMs
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
    try {
      return await attempt()
    } catch (error) {
      if (failFast || !isPassing(error) || performance.now() + pause > deadline) throw error
      if (pause === FIRST_PAUSE_MS) onWaiting?.(error instanceof Error ? error.message : String(error))
      await sleep(pause)
    }
  }
}
