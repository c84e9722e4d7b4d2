// After a crash: tasks that were running have lost their agent. They are failed once, with the reason: at the next start
// in a store of one process, within the lease of the dead process in a shared one. Tasks that wait for the
// client are left alone.

import type { TaskEvent } from '../model/event.ts'
import type { Scope } from '../model/scope.ts'
import type { WakeBus } from './bus/wake-bus.ts'
import { type Clock, timestamp } from './engine/clock.ts'
import { toMessage } from './engine/content.ts'
import { SERVER_STOPPED } from './engine/task-engine.ts'
import { errorFields, type Log } from './log.ts'
import { leaseTimes } from './store/lease.ts'
import type { TaskRecord, TaskStore } from './store/task-store.ts'

const PAGE = 500
/** So many are ended at the same time: a client waits for each. */
const LANES = 8

type Orphan = { scope: Scope; record: TaskRecord }

export interface RecoveryDeps {
  store: TaskStore
  bus: WakeBus
  clock: Clock
  log: Log
  /** How long after its death a replica's tasks have ended at the latest. */
  leaseMs: number
}

/** Fails what a crash left behind, now and, in a shared store, whenever a replica dies. Returns how to stop. */
export async function recoverTasks(deps: RecoveryDeps): Promise<() => void> {
  const { store, clock, log, leaseMs } = deps
  if (store.orphaned === undefined) {
    await failAll(deps, (limit) => store.unfinished(limit))
    return () => {}
  }
  const orphaned = store.orphaned.bind(store)
  const { lookMs } = leaseTimes(leaseMs)
  let isStopped = false
  let cancel = () => {}
  const look = async () => {
    try {
      await failAll(deps, orphaned)
    } catch (error) {
      log('warn', 'recovery-postponed', errorFields(error))
    }
    if (!isStopped) cancel = clock.after(lookMs, () => void look())
  }
  await look()
  return () => {
    isStopped = true
    cancel()
  }
}

async function failAll(deps: RecoveryDeps, find: (limit: number) => Promise<readonly Orphan[]>): Promise<void> {
  for (;;) {
    let failed = 0
    const orphans = (await find(PAGE)).values()
    const lane = async () => {
      for (const orphan of orphans) if (await fail(deps, orphan)) failed += 1
    }
    await Promise.all(Array.from({ length: LANES }, lane))
    if (failed === 0) return
    deps.log('warn', 'tasks-failed-after-crash', { count: failed })
  }
}

/** False when another process was faster. */
async function fail({ store, bus, clock }: RecoveryDeps, { scope, record }: Orphan): Promise<boolean> {
  const { id, contextId = '' } = record.task
  const message = toMessage(SERVER_STOPPED, { taskId: id, contextId })
  const status = { state: 'TASK_STATE_FAILED' as const, timestamp: timestamp(clock), message }
  const event: TaskEvent = { statusUpdate: { taskId: id, contextId, status } }
  const { ok } = await store.append(scope, id, record.seq, [event])
  if (ok) bus.wake(id)
  return ok
}
