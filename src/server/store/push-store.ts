// The contract of every store of push configurations. A configuration is also a cursor: the number of the last event its
// webhook has acknowledged. What is to be delivered is whatever the task's events hold after it, so there is no
// queue that could disagree with them. testing/push-store.ts proves each implementation.

import type { DialectId } from '../../dialects/dialect.ts'
import type { PushConfig } from '../../model/operation.ts'
import type { Scope } from '../../model/scope.ts'
import type { Seq, TaskRecord } from './task-store.ts'

/** What is known when a client registers, and does not change afterwards. */
export interface Registration {
  /** Whose task it is about. */
  readonly scope: Scope
  /** The task. */
  readonly taskId: string
  /** Names it within its task. */
  readonly id: string
  /** What the client asked for. */
  readonly config: PushConfig
  /** Decides the shape of the bodies. */
  readonly registeredIn: DialectId
  /** Content-Type of the bodies. */
  readonly mediaType: string
}

/** An id names a task only together with its scope, and a configuration only together with its task. */
export type PushKey = Pick<Registration, 'scope' | 'taskId' | 'id'>
/** Which task of whom. */
export type TaskKey = Pick<Registration, 'scope' | 'taskId'>

/** `done`: the end of the task was delivered. `dead`: given up until a replay is asked for. */
export type PushState = 'active' | 'dead' | 'done'

/** A webhook as it is stored. */
export interface PushRow extends Registration {
  /** The task as it was at registration, for bodies that speak of the whole task. */
  readonly start: TaskRecord | undefined
  /** Number of the last event the webhook acknowledged. */
  readonly deliveredSeq: Seq
  /** Failed attempts at the next event. */
  readonly attempts: number
  /** Whether it is delivered to, has ended, or was given up. */
  readonly state: PushState
  /** Why the last attempt failed; for the operator. */
  readonly error: string | undefined
}

/** A configuration that one process may deliver to until its time is over. */
export interface Lease {
  /** The configuration, as it was when it was claimed. */
  readonly row: PushRow
  /** Proves that the lease is this one. */
  readonly token: string
}

/** How far a webhook has got. */
export interface Progress extends Pick<PushRow, 'deliveredSeq' | 'attempts' | 'state' | 'error'> {
  /** Not before this time is over. */
  readonly retryInMs: number
  /** How much longer the lease is kept; 0 gives it back. */
  readonly leaseMs: number
}

/** A webhook with something to send. */
export interface ReadyRow extends PushKey {
  /** The webhook. */
  readonly url: string
}

/** What a new configuration is measured by; replacing one is never refused for want of room. */
export interface PutLimits {
  /** Configurations of one task. */
  readonly maxPerTask: number
  /** Counts those that are active: what waits for its end or its webhook. */
  readonly maxPerScope: number
}

/** Where a registration begins. */
export interface PutOptions extends PutLimits {
  /** The task as it is at registration. */
  readonly start: TaskRecord | undefined
  /** Deliveries begin after this event. */
  readonly deliveredSeq: Seq
}

/** `store-full`: of this caller or of others, there are too many. */
export type PutAnswer = 'stored' | 'task-full' | 'scope-full' | 'store-full'

/** Where webhooks live. */
export interface PushStore {
  /**
   * An id that is known gets the new configuration and keeps its position, so that nothing is lost by changing a token;
   * whoever was delivering loses the lease. The limits are exact, however many register at once.
   */
  put(registration: Registration, options: PutOptions): Promise<PutAnswer>
  /** By id. */
  list(task: TaskKey): Promise<readonly PushRow[]>
  /** Forgets a configuration; one that is unknown is no error. */
  remove(key: PushKey): Promise<void>
  /** Only beside tasks that can be forgotten: all configurations of one that was. */
  forget?(task: TaskKey): void
  /** Configurations that are active, due, not held, and behind their task; of one task or of all. */
  ready(query: { task?: TaskKey; limit: number }): Promise<readonly ReadyRow[]>
  /** Whether the task has an active configuration. */
  isLive(task: TaskKey): Promise<boolean>
  /** Undefined when another process holds it, or it is no longer active. */
  claim(key: PushKey, leaseMs: number): Promise<Lease | undefined>
  /** Writes what happened and answers whether the lease still held; nothing is written when it did not. */
  settle(lease: Lease, progress: Progress | 'remove'): Promise<boolean>
  /** Of any scope: for the operator. */
  dead(limit: number): Promise<readonly PushRow[]>
  /** Makes a dead configuration active and due; false when there is no such dead one. */
  revive(key: PushKey): Promise<boolean>
  /** Lets go of what it opened. */
  close(): Promise<void>
}
