// Waiting for a task by asking for it, with growing pauses: the only way every generation and binding has.

import { setTimeout as wait } from 'node:timers/promises'
import type { CallOptions } from '../bindings/endpoint-client.ts'
import { EXIT, ParleyError } from '../model/errors.ts'
import { isSettled } from '../model/state-machine.ts'
import type { Task } from '../model/task.ts'

/** How long and how often to ask for a task. */
export interface WaitOptions extends CallOptions {
  /** How long to wait altogether; 30 s unless given. */
  deadlineMs?: number
  /** The first pause; each is half as long again as the one before, up to 2 s. 50 ms unless given. */
  pauseMs?: number
}

const LONGEST_PAUSE_MS = 2_000

export async function waitForTask(ask: () => Promise<Task>, options: WaitOptions = {}): Promise<Task> {
  const { deadlineMs = 30_000, signal } = options
  const startedAt = performance.now()
  let pauseMs = options.pauseMs ?? 50
  for (;;) {
    const task = await ask()
    if (isSettled(task.status.state)) return task
    const left = deadlineMs - (performance.now() - startedAt)
    if (left <= 0) {
      throw new ParleyError('timeout', `The task ${task.id} is still working after ${deadlineMs} ms.`, {
        exitCode: EXIT.timeout,
        hint: 'Give it longer with --timeout 5m, or do not wait with --no-wait.',
      })
    }
    await wait(Math.min(pauseMs, left), undefined, signal === undefined ? {} : { signal })
    pauseMs = Math.min(pauseMs * 1.5, LONGEST_PAUSE_MS)
  }
}
