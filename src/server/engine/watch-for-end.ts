// In a store that several processes share, another process may end a task that runs here: a cancellation that arrived at
// another replica. The wake bus says that something happened; the store says what.

import { isTerminal } from '../../model/state-machine.ts'
import type { EngineDeps } from './engine-deps.ts'
import type { TaskRun } from './task-run.ts'
import { TaskEnded } from './turn.ts'

/** Our own events wake us too; looking at most this often keeps that cheap. */
const LOOK_EVERY_MS = 100

export function watchForEnd({ store, bus, clock }: EngineDeps, run: TaskRun): () => void {
  let stopTimer: (() => void) | undefined
  const look = async () => {
    stopTimer = undefined
    const record = await store.get(run.caller, run.taskId)
    if (record !== undefined && isTerminal(record.task.status.state) && !run.isOver)
      run.end(new TaskEnded(`Task ${run.taskId} was ended elsewhere.`), record)
  }
  const unsubscribe = bus.onWake(run.taskId, () => {
    // A store that is away now will be asked again with the next wake, or by the run's own next write.
    stopTimer ??= clock.after(LOOK_EVERY_MS, () => void look().catch(() => {}))
  })
  return () => {
    unsubscribe()
    stopTimer?.()
  }
}
