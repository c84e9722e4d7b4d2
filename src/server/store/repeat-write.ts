// A conditional write over a connection that may break. When it breaks it is unknown whether the write was applied, so
// it is repeated: its condition keeps it from being applied twice, and `isOurs` tells our own first try from
// the write of another process.

import { setTimeout as sleep } from 'node:timers/promises'
import { withinDeadline } from './deadline.ts'
import { unavailable } from './unavailable.ts'

export interface ConditionalWrite {
  /** False when the condition did not hold. `isLate` tells whether anybody still waits for it. */
  readonly write: (isLate: () => boolean) => Promise<boolean>
  readonly isOurs: () => Promise<boolean>
  readonly mayRepeat: (error: unknown) => boolean
}

const MAX_ATTEMPTS = 2
/** A driver needs a moment to notice that its connection is gone. */
export const REPEAT_PAUSE_MS = 20

export function repeatWrite({ write, isOurs, mayRepeat }: ConditionalWrite): Promise<boolean> {
  return withinDeadline(async (isLate) => {
    for (let attempt = 1; ; attempt++) {
      try {
        return (await write(isLate)) || (attempt > 1 && (await isOurs()))
      } catch (error) {
        // Its caller has given up: what was refused is not tried again.
        if (attempt === MAX_ATTEMPTS || !mayRepeat(error) || isLate()) throw unavailable(error)
        await sleep(REPEAT_PAUSE_MS)
      }
    }
  })
}
