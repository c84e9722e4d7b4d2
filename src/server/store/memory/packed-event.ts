// Updates without the two ids they all repeat: a third of what a short task takes.

import type { TaskArtifactUpdate, TaskEvent, TaskStatusUpdate } from '../../../model/event.ts'
import type { Task } from '../../../model/task.ts'

type PackedStatus = Omit<TaskStatusUpdate, 'taskId' | 'contextId'>
type PackedArtifact = Omit<TaskArtifactUpdate, 'taskId' | 'contextId'>
export type PackedEvent = PackedStatus | PackedArtifact | TaskEvent

/** To be written as JSON at once, which leaves out what is undefined. An event about something else stays as it is. */
export function pack(event: TaskEvent, { id, contextId }: Task): object {
  if ('statusUpdate' in event) {
    const update = event.statusUpdate
    if (update.taskId !== id || update.contextId !== contextId) return event
    return { status: update.status, metadata: update.metadata }
  }
  if ('artifactUpdate' in event) {
    const update = event.artifactUpdate
    if (update.taskId !== id || update.contextId !== contextId) return event
    const { artifact, append, lastChunk, metadata } = update
    return { artifact, append, lastChunk, metadata }
  }
  return event
}

export function unpack(packed: PackedEvent, { id: taskId, contextId = '' }: Task): TaskEvent {
  if ('status' in packed) return { statusUpdate: { taskId, contextId, ...packed } }
  if ('artifact' in packed) return { artifactUpdate: { taskId, contextId, ...packed } }
  return packed
}
