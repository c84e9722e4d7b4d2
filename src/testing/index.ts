// `a2a-parley/testing`: what a store has to do, as suites for vitest. Whoever writes a store of their own runs them from a
// test file of their own:
//
//   describeBackend('mine', () => openMyBackend('…'))

import type { OpenBackend } from './each-with-backend.ts'
import { describeFollowClaims } from './follow-claims.ts'
import { describeLinkStore } from './link-store.ts'
import { describePushStore } from './push-store.ts'
import { describeRetention } from './retention.ts'
import { describeTaskLists } from './task-lists.ts'
import { describeTaskStore } from './task-store.ts'
import { describeWakeBus } from './wake-bus.ts'

export type { MaybePromise } from '../base/maybe-promise.ts'
export type { DialectId } from '../dialects/dialect.ts'
export type {
  ArtifactUpdateEvent,
  HistoryEvent,
  MetadataEvent,
  StatusUpdateEvent,
  TaskArtifactUpdate,
  TaskEvent,
  TaskStatusUpdate,
} from '../model/event.ts'
export type { JsonObject, JsonValue } from '../model/json.ts'
export type { PushAuthentication, PushConfig } from '../model/operation.ts'
export type { Scope } from '../model/scope.ts'
export type {
  Artifact,
  DataPart,
  Message,
  Part,
  PartCommon,
  RawPart,
  Role,
  Task,
  TaskState,
  TaskStatus,
  TextPart,
  UrlPart,
} from '../model/task.ts'
export type { Backend, BackendOptions, PushStoreOptions, StoreSync } from '../server/backend/backend.ts'
export type { Unsubscribe, WakeBus } from '../server/bus/wake-bus.ts'
export type { FollowClaims, LinkedIds, LinkStore } from '../server/store/link-store.ts'
export type {
  Lease,
  Progress,
  PushKey,
  PushRow,
  PushState,
  PushStore,
  PutAnswer,
  PutLimits,
  PutOptions,
  ReadyRow,
  Registration,
  TaskKey,
} from '../server/store/push-store.ts'
export type {
  AppendResult,
  Expiry,
  Forgotten,
  HoldOptions,
  ListQuery,
  Page,
  Seq,
  StoredEvent,
  TaskRecord,
  TaskStore,
} from '../server/store/task-store.ts'
export type { StartOptions } from '../server/store/wait-for-start.ts'
export type { OpenBackend } from './each-with-backend.ts'
export {
  describeFollowClaims,
  describeLinkStore,
  describePushStore,
  describeRetention,
  describeTaskLists,
  describeTaskStore,
  describeWakeBus,
}

/**
 * All suites of a database; each test gets one of its own from `open`. Where several processes share it,
 * `describeFollowClaims`, too.
 *
 * @example
 * ```ts
 * import { type Backend, describeBackend } from 'a2a-parley/testing'
 *
 * declare function openMine(): Promise<Backend>
 * describeBackend('mine', openMine)
 * ```
 */
export function describeBackend(name: string, open: OpenBackend): void {
  describeTaskStore(name, open)
  describeTaskLists(name, open)
  describeRetention(name, open)
  describePushStore(name, open)
  describeLinkStore(name, open)
  describeWakeBus(name, open)
}
