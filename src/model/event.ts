// What happens to a task. A TaskEvent is one entry of a task's append-only log; a StreamEvent is what a client
// sees on a stream (1.0 §3.2.3). The two share their shapes, so a logged update is already a stream event.

import type { JsonObject } from './json.ts'
import type { Artifact, Message, Task, TaskStatus } from './task.ts'

/** Which task, and its new state. */
export interface TaskStatusUpdate {
  taskId: string
  contextId: string
  status: TaskStatus
  metadata?: JsonObject
}

/** Which artifact of which task, and whether it continues. */
export interface TaskArtifactUpdate {
  taskId: string
  contextId: string
  artifact: Artifact
  append?: boolean
  lastChunk?: boolean
  metadata?: JsonObject
}

/** A task that changed its state. */
export type StatusUpdateEvent = { statusUpdate: TaskStatusUpdate }
/** An artifact, or more of one. */
export type ArtifactUpdateEvent = { artifactUpdate: TaskArtifactUpdate }

/** One event of a stream. */
export type StreamEvent = { task: Task } | { message: Message } | StatusUpdateEvent | ArtifactUpdateEvent

/** Log entries no client sees: a follow-up message joins the history; request metadata joins the task's. */
export type HistoryEvent = { historyMessage: Message }
/** What was merged into the metadata of a task. */
export type MetadataEvent = { taskMetadata: JsonObject }

/** What can happen to a task, as it is stored. */
export type TaskEvent = StatusUpdateEvent | ArtifactUpdateEvent | HistoryEvent | MetadataEvent

export function isStreamed(event: TaskEvent): event is StatusUpdateEvent | ArtifactUpdateEvent {
  return 'statusUpdate' in event || 'artifactUpdate' in event
}
