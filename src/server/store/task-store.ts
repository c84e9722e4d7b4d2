// The contract of every task store. A task is an append-only list of events plus a snapshot that equals their fold,
// changed together in one transaction. The caller's scope comes first everywhere; a task of another scope does
// not exist. testing/task-store.ts proves each implementation.

import type { MaybePromise } from '../../base/maybe-promise.ts'
import type { TaskEvent } from '../../model/event.ts'
import type { Scope } from '../../model/scope.ts'
import type { Task, TaskState, TaskStatus } from '../../model/task.ts'

/** Position in a task's event list: 0 is "created, nothing appended", then 1, 2, 3 … without gaps. */
export type Seq = number

/** A task, and the number of its last event. */
export interface TaskRecord {
  /** The snapshot. */
  readonly task: Task
  /** The number of its last event; 0 when nothing has happened since it was created. */
  readonly seq: Seq
  /** The status of the task, where it is known before the task is put together. */
  readonly status?: TaskStatus
}

/** The status, without putting the task together where that can be avoided. */
export function statusIn(record: TaskRecord): TaskStatus {
  return record.status ?? record.task.status
}

/** One event with both its faces; each is made from the other at most once. */
export interface StoredEvent {
  /** Its position in the task's list. */
  readonly seq: Seq
  /** The event as a value. */
  readonly event: TaskEvent
  /** The event as JSON text in the model's (1.0) shape, ready to be spliced into a frame. */
  readonly text: string
}

/** Whether events were added, or why not. */
export type AppendResult =
  | {
      /** The events were added. */
      ok: true
      /** The task after them. */
      record: TaskRecord
    }
  | {
      /** Nothing was added. */
      ok: false
      /** `conflict`: another write came in between; `gone`: there is no such task; `terminal`: the task has ended. */
      reason: 'conflict' | 'gone' | 'terminal'
    }

/** Which tasks to list. */
export interface ListQuery {
  /** Only tasks of this conversation. */
  contextId?: string
  /** Only tasks in this state. */
  state?: TaskState
  /** Only tasks whose status timestamp is at or after this moment. */
  statusAfterMs?: number
  /** Tasks per page, at most. */
  pageSize: number
  /** The page ends before the task that would make it larger than this, as tasks are stored; it holds one at least. */
  pageBytes?: number
  /** As returned in Page.next; opaque, bound to scope and filters. */
  pageToken?: string
}

/** One page of a list. */
export interface Page<T> {
  /** What is on this page, in order. */
  items: readonly T[]
  /** '' on the last page. */
  next: string
  /** How many there are on all pages. */
  total: number
}

/** Tasks that were deleted. */
export type Forgotten = (scope: Scope, id: string) => void

/** What is no longer kept; tasks that are neither terminal nor interrupted always are. */
export interface Expiry {
  /** Tasks whose last change was before this moment, in milliseconds. */
  readonly before?: number
  /** All but so many of those that changed last. */
  readonly keep?: number
  /** Tasks deleted in this step, at most. */
  readonly limit: number
}

/** Where tasks are stored: append-only events and the snapshot they make. */
export interface TaskStore {
  /**
   * Fails with 'exists' when the scope has a task of that id. Another scope may have one too: where clients choose ids,
   * a refusal would tell that a task of another caller exists. `bytes` as in `append`.
   */
  create(scope: Scope, task: Task, bytes?: number): MaybePromise<TaskRecord | 'exists'>
  /**
   * `create` and `append` in one write, for stores in which two cost more than one: either the task is there with all these
   * events, or there is none. Answers the record after them; refuses events as `append` does.
   */
  begin?(scope: Scope, task: Task, events: readonly TaskEvent[], bytes?: number): MaybePromise<AppendResult | 'exists'>
  /** Undefined when there is no such task in the scope. */
  get(scope: Scope, id: string): MaybePromise<TaskRecord | undefined>
  /**
   * Compare-and-set: applies all events iff the task is at `expected` and not terminal, else none of them. A batch
   * with an event after a terminal status is refused as 'terminal' too: nothing ever follows the end. `bytes` is what
   * the events weigh (model/weight.ts), where the caller knows it: a store that bounds what it holds need not weigh again.
   */
  append(
    scope: Scope,
    id: string,
    expected: Seq,
    events: readonly TaskEvent[],
    bytes?: number,
  ): MaybePromise<AppendResult>
  /** Events with seq > after, oldest first, at most `limit`; undefined when there is no such task in the scope. */
  readEvents(scope: Scope, id: string, after: Seq, limit: number): MaybePromise<readonly StoredEvent[] | undefined>
  /**
   * Newest status first (1.0 §3.1.4); among equal timestamps, the task created later first. A bad page token throws
   * A2AError InvalidParams.
   */
  list(scope: Scope, query: ListQuery): Promise<Page<TaskRecord>>
  /** Tasks of any scope that are neither terminal nor interrupted: what a crash left running. */
  unfinished(limit: number): Promise<readonly { scope: Scope; record: TaskRecord }[]>
  /**
   * Only in stores that several processes share, and safe to ask at any time: the unfinished tasks whose last writer no
   * longer renews its lease.
   */
  orphaned?(limit: number): Promise<readonly { scope: Scope; record: TaskRecord }[]>
  /** Writes a probe that no query returns, as a task would be written; rejects when that is refused. Absent where it cannot be. */
  probe?(): Promise<void>
  /**
   * Only in stores that one process at a time may serve: resolves when this one is it, rejects with a ParleyError that
   * says who else is. Returns how to let go; closing the store does it too.
   */
  hold?(options?: HoldOptions): Promise<() => void>
  /**
   * Deletes tasks at rest with their push configurations and links, those that changed longest ago first; answers how much it
   * did, 0 when there is nothing left to do. One step is short, however large a task is. From then on the task is unknown.
   */
  expire?(expiry: Expiry): Promise<number>
  /** Only in stores that delete tasks: tells when one is gone. */
  onForgotten?(listener: Forgotten): void
  /** Told how many writes shared a commit, where they do. */
  onCommit?(listener: (writes: number) => void): void
  /** Writes what waits, and lets go of what it opened. */
  close(): Promise<void>
}

/** How long a server holds its tasks in a shared store. */
export interface HoldOptions {
  /** How long to wait for the process that serves the store now. */
  readonly waitMs?: number
  /** Told once, when waiting begins. */
  readonly onWaiting?: (reason: string) => void
  /** Told when another process has taken the place: nothing can be written any more. */
  readonly onLost?: () => void
}
