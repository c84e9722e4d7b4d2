// How long tasks are kept. What is too old, or too many, is deleted a little at a time, so that no request waits for it;
// running tasks never are. Age counts from the last change.

import { defined } from '../base/defined.ts'
import { EXIT, ParleyError } from '../model/errors.ts'
import type { Clock } from './engine/clock.ts'
import { errorFields, type Log } from './log.ts'
import type { TaskStore } from './store/task-store.ts'

export interface RetentionPolicy {
  /** Tasks that have ended, or wait for their client, are deleted so long after their last change. */
  readonly retainMs?: number | undefined
  /** Of them only so many are kept, those that changed last. */
  readonly maxTasks?: number | undefined
}

export interface RetentionDeps {
  readonly store: TaskStore
  readonly clock: Clock
  readonly log: Log
}

/** Tasks deleted in one step. */
const STEP = 50
const LONGEST_PAUSE_MS = 10_000
const SHORTEST_PAUSE_MS = 100

/** Deletes what the policy does not keep, now and from time to time. Returns how to stop. */
export function startRetention({ store, clock, log }: RetentionDeps, policy: RetentionPolicy): () => void {
  const { retainMs, maxTasks } = policy
  if (retainMs === undefined && maxTasks === undefined) return () => {}
  const expire = store.expire?.bind(store)
  if (expire === undefined)
    throw new ParleyError('no-retention', 'This store cannot delete tasks, so it cannot be told how many to keep.', {
      exitCode: EXIT.usage,
      hint: 'Leave out --retain and --max-tasks-kept, or use memory, sqlite:<file>, postgres://… or redis://….',
    })
  const pauseMs = Math.max(SHORTEST_PAUSE_MS, Math.min(LONGEST_PAUSE_MS, (retainMs ?? Number.POSITIVE_INFINITY) / 10))
  let isStopped = false
  let cancel = () => {}
  const sweep = async () => {
    try {
      for (let deleted = STEP; deleted > 0 && !isStopped; ) {
        deleted = await expire({
          ...(retainMs === undefined ? {} : { before: clock.now() - retainMs }),
          ...defined({ keep: maxTasks }),
          limit: STEP,
        })
        // Others first.
        await new Promise<void>((resolve) => void setImmediate(resolve))
      }
    } catch (error) {
      log('warn', 'retention-postponed', errorFields(error))
    }
    if (!isStopped) cancel = clock.after(pauseMs, () => void sweep())
  }
  void sweep()
  return () => {
    isStopped = true
    cancel()
  }
}
