// Reads a task again and again until it fits, or the time is over. Which of the two is said, and
// whether being late is held against the agent is for the caller to know.

import type { Answer } from './answer.ts'
import { pause } from './pause.ts'
import type { RawTask } from './raw.ts'

const FIRST_MS = 25
const SLOWEST_MS = 2_000

export interface Polled {
  task: RawTask
  x: Answer
  /** Says that the time was over first. */
  late: string | undefined
}

export async function pollTask(
  look: () => Promise<{ task: RawTask; x: Answer }>,
  fits: (task: RawTask) => boolean,
  { timeoutMs, signal }: { timeoutMs: number; signal: AbortSignal },
): Promise<Polled> {
  const deadline = performance.now() + timeoutMs
  for (let pauseMs = FIRST_MS; ; pauseMs = Math.min(pauseMs * 2, SLOWEST_MS)) {
    const { task, x } = await look()
    if (fits(task)) return { task, x, late: undefined }
    if (performance.now() + pauseMs > deadline)
      return { task, x, late: `task ${task.id} was still ${task.stateText} after ${Math.round(timeoutMs / 1000)} s` }
    await pause(pauseMs, signal)
  }
}
