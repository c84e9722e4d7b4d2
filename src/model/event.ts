// What happens to a task. A TaskEvent is one entry of a task's append-only log; a StreamEvent is what a client
// sees on a stream (1.0 §3.2.3). The two share their shapes, so a logged update is already a stream event.

import type { JsonObject } from './json.ts'
import type { Artifact, Message, Task, TaskStatus } from './task.ts'

/** Which task, and its new state. */
export interface TaskStatusUpdate {
  /** The task that changed. */
  taskId: string
  /** The conversation of the task. */
  contextId: string
  /** Its new state. */
  status: TaskStatus
  /** Anything else about the change. */
  metadata?: JsonObject
}

/** Which artifact of which task, and whether it continues. */
export interface TaskArtifactUpdate {
  /** The task that produced it. */
  taskId: string
  /** The conversation of the task. */
  contextId: string
  /** The artifact, or with `append` the parts that are new. */
  artifact: Artifact
  /**
   * Whether the parts follow those already sent under the same `artifactId`, instead of replacing them.
   * @default false
   */
  append?: boolean
  /**
   * Whether nothing more comes for this artifact.
   * @default false
   */
  lastChunk?: boolean
  /** Anything else about the change. */
  metadata?: JsonObject
}

/** A task that changed its state. */
export type StatusUpdateEvent = {
  /** The task and its new state. */
  statusUpdate: TaskStatusUpdate
}
/** An artifact, or more of one. */
export type ArtifactUpdateEvent = {
  /** The task and what it produced. */
  artifactUpdate: TaskArtifactUpdate
}

/** One event of a stream. */
export type StreamEvent =
  | {
      /** The task as it is now; the first event of a task's stream. */
      task: Task
    }
  | {
      /** The reply of an agent that made no task; then the stream ends. */
      message: Message
    }
  | StatusUpdateEvent
  | ArtifactUpdateEvent

/** Log entries no client sees: a follow-up message joins the history; request metadata joins the task's. */
export type HistoryEvent = {
  /** The message that joined the history. */
  historyMessage: Message
}
/** What was merged into the metadata of a task. */
export type MetadataEvent = {
  /** Members that were set; others stay as they were. */
  taskMetadata: JsonObject
}

/** What can happen to a task, as it is stored. */
export type TaskEvent = StatusUpdateEvent | ArtifactUpdateEvent | HistoryEvent | MetadataEvent

export function isStreamed(event: TaskEvent): event is StatusUpdateEvent | ArtifactUpdateEvent {
  return 'statusUpdate' in event || 'artifactUpdate' in event
}
