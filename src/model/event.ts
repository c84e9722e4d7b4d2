// What happens to a task. A TaskEvent is one entry of a task's append-only log; a StreamEvent is what a client
// sees on a stream (1.0 §3.2.3). The two share their shapes, so a logged update is already a stream event.

import type { JsonObject } from './json.ts'
import type { Artifact, Message, Task, TaskStatus } from './task.ts'

export interface TaskStatusUpdate {
  taskId: string
  contextId: string
  status: TaskStatus
  metadata?: JsonObject
}

export interface TaskArtifactUpdate {
  taskId: string
  contextId: string
  artifact: Artifact
  append?: boolean
  lastChunk?: boolean
  metadata?: JsonObject
}

export type StatusUpdateEvent = { statusUpdate: TaskStatusUpdate }
export type ArtifactUpdateEvent = { artifactUpdate: TaskArtifactUpdate }

export type StreamEvent = { task: Task } | { message: Message } | StatusUpdateEvent | ArtifactUpdateEvent

/** Log entries no client sees: a follow-up message joins the history; request metadata joins the task's. */
export type HistoryEvent = { historyMessage: Message }
export type MetadataEvent = { taskMetadata: JsonObject }

export type TaskEvent = StatusUpdateEvent | ArtifactUpdateEvent | HistoryEvent | MetadataEvent

export function isStreamed(event: TaskEvent): event is StatusUpdateEvent | ArtifactUpdateEvent {
  return 'statusUpdate' in event || 'artifactUpdate' in event
}
