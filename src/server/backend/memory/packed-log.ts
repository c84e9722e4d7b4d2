// A log as short JSON values: without the ids, which its entry knows and all updates repeat, and with a status that says
// nothing but a state and a time as one string. Half of what a short task takes otherwise.

import type { TaskArtifactUpdate, TaskEvent } from '../../../model/event.ts'
import type { JsonObject } from '../../../model/json.ts'
import type { Task, TaskState, TaskStatus } from '../../../model/task.ts'

export interface TaskIds {
  readonly id: string
  readonly contextId: string | undefined
}

/** The state, and after a space the time. */
type PackedStatus = string | TaskStatus
type PackedTask = Omit<Task, 'id' | 'contextId' | 'status'> & { status: PackedStatus }
type PackedArtifact = Omit<TaskArtifactUpdate, 'taskId' | 'contextId'>
type PackedEvent = string | { status: TaskStatus; metadata?: JsonObject } | PackedArtifact | TaskEvent

export type PackedLog = [PackedTask, ...PackedEvent[]]

/** To be written as JSON at once, which leaves out what is undefined. */
export function packTask({ status, history, artifacts, metadata }: Task): object {
  return { status: packStatus(status), history, artifacts, metadata }
}

/** An event about something else than the task stays as it is. */
export function packEvent(event: TaskEvent, { id, contextId }: TaskIds): object | string {
  if ('statusUpdate' in event) {
    const update = event.statusUpdate
    if (update.taskId !== id || update.contextId !== contextId) return event
    if (update.metadata === undefined) {
      const packed = packStatus(update.status)
      if (typeof packed === 'string') return packed
    }
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

export function unpackTask({ status, ...rest }: PackedTask, { id, contextId }: TaskIds): Task {
  const named = contextId === undefined ? { id } : { id, contextId }
  return { ...named, status: unpackStatus(status), ...rest }
}

export function unpackEvent(packed: PackedEvent, { id: taskId, contextId = '' }: TaskIds): TaskEvent {
  if (typeof packed === 'string') return { statusUpdate: { taskId, contextId, status: unpackStatus(packed) } }
  if ('status' in packed) return { statusUpdate: { taskId, contextId, ...packed } }
  if ('artifact' in packed) return { artifactUpdate: { taskId, contextId, ...packed } }
  return packed
}

function packStatus(status: TaskStatus): PackedStatus {
  const { state, timestamp, message } = status
  return message === undefined && timestamp !== undefined ? `${state} ${timestamp}` : status
}

function unpackStatus(packed: PackedStatus): TaskStatus {
  if (typeof packed !== 'string') return packed
  const space = packed.indexOf(' ')
  return { state: packed.slice(0, space) as TaskState, timestamp: packed.slice(space + 1) }
}
