// What one turn of an agent begins with and may end with.

import { A2AError } from '../../model/errors.ts'
import type { JsonObject } from '../../model/json.ts'
import type { Scope } from '../../model/scope.ts'
import type { Message } from '../../model/task.ts'
import type { TraceContext } from '../../telemetry/trace-context.ts'
import type { TaskRecord } from '../store/task-store.ts'

export interface TurnRequest {
  scope: Scope
  message: Message
  taskId: string
  contextId: string
  /** What the message and the task it continues take. */
  bytes: number
  /** Present when the message continues a task. */
  record?: TaskRecord
  requestMetadata?: JsonObject
  acceptedOutputModes?: readonly string[]
  extensions: readonly string[]
  trace?: TraceContext
  /** Called once when the task exists, before any of its events: push registration, leases. */
  onTask?: (record: TaskRecord) => Promise<void>
}

export type TurnOutcome = { record: TaskRecord } | { message: Message }

/** Why an emission no longer counts; agents see it as the reason of their abort signal. */
export class TaskEnded extends Error {
  override readonly name = 'TaskEnded'
}

/** Before a task exists, nothing but the end of the server ends a turn from outside. */
export function serverStops(): A2AError {
  return new A2AError('Unavailable', 'The server is stopping.', { retryAfterSeconds: 5 })
}
