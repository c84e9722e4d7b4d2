// After a crash: tasks that were running have lost their agent. They are failed once, with the reason, when the server
// starts again; tasks that wait for the client are left alone.

import type { TaskEvent } from '../model/event.ts'
import type { Clock } from './engine/clock.ts'
import { timestamp } from './engine/clock.ts'
import { toMessage } from './engine/content.ts'
import type { TaskStore } from './store/task-store.ts'

const PAGE = 500
const REASON = 'The server stopped while this task was running.'

/** Returns how many tasks were failed. */
export async function failInterruptedTasks(store: TaskStore, clock: Clock): Promise<number> {
  let failed = 0
  for (;;) {
    const orphans = await store.unfinished(PAGE)
    let progressed = 0
    for (const { scope, record } of orphans) {
      const { id, contextId = '' } = record.task
      const status = {
        state: 'TASK_STATE_FAILED' as const,
        timestamp: timestamp(clock),
        message: toMessage(REASON, { taskId: id, contextId }),
      }
      const event: TaskEvent = { statusUpdate: { taskId: id, contextId, status } }
      const result = await store.append(scope, id, record.seq, [event])
      if (result.ok) progressed += 1
    }
    failed += progressed
    if (progressed === 0) return failed
  }
}
