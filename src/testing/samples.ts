// Tasks and events for tests of stores: small, valid, and with the ids and times the test names.

import type { TaskEvent } from '../model/event.ts'
import type { Scope } from '../model/scope.ts'
import type { Task, TaskState } from '../model/task.ts'
import type { AppendResult, TaskRecord } from '../server/store/task-store.ts'

export const ALICE: Scope = { agent: 'echo', tenant: '', subject: 'alice' }
export const BOB: Scope = { agent: 'echo', tenant: '', subject: 'bob' }

const EPOCH = Date.UTC(2026, 0, 1)

/** A moment so many milliseconds after the tests' epoch. */
export function at(ms: number): string {
  return new Date(EPOCH + ms).toISOString()
}

export function atMs(ms: number): number {
  return EPOCH + ms
}

export function sampleTask(id: string, options: { contextId?: string; ms?: number; state?: TaskState } = {}): Task {
  const contextId = options.contextId ?? 'context'
  return {
    id,
    contextId,
    status: { state: options.state ?? 'TASK_STATE_SUBMITTED', timestamp: at(options.ms ?? 0) },
    history: [{ messageId: `${id}-m`, contextId, taskId: id, role: 'ROLE_USER', parts: [{ text: 'hello' }] }],
  }
}

export function statusEvent(taskId: string, state: TaskState, ms = 0, text?: string): TaskEvent {
  const message =
    text === undefined
      ? {}
      : { message: { messageId: `${taskId}-${ms}`, role: 'ROLE_AGENT' as const, parts: [{ text }] } }
  return { statusUpdate: { taskId, contextId: 'context', status: { state, timestamp: at(ms), ...message } } }
}

export function chunkEvent(taskId: string, text: string, append = true): TaskEvent {
  return {
    artifactUpdate: { taskId, contextId: 'context', artifact: { artifactId: 'result', parts: [{ text }] }, append },
  }
}

/** A record as plain data, folded if it was not yet; other answers of a store as they are. */
export function seen<T extends TaskRecord | string | undefined>(record: T): T | { task: Task; seq: number } {
  return typeof record === 'object' ? { task: record.task, seq: record.seq } : record
}

export function seenAppend(result: AppendResult): AppendResult {
  return result.ok ? { ok: true, record: { task: result.record.task, seq: result.record.seq } } : result
}
