// Messages, artifacts, tasks and events of the `tasks/send` generation. Messages have no ids there: those of answers
// are named after their place, so that reading the same task twice gives the same ids.

import type { StreamEvent, TaskArtifactUpdate } from '../../model/event.ts'
import { isSettled } from '../../model/state-machine.ts'
import type { Artifact, Message, Task, TaskStatus } from '../../model/task.ts'
import { utcInstant } from '../instant.ts'
import type { Losses } from '../losses.ts'
import { decodeRole, encodeRole } from '../older-shapes.ts'
import { artifactIdOf, indexOf, numberArtifacts } from './artifact-index.ts'
import { decodePart, encodePart } from './parts.ts'
import { decodeState, encodeState } from './states.ts'
import type { TaskWithStatusHistory } from './status-history.ts'
import type { WireArtifact, WireEvent, WireMessage, WireStatus, WireTask } from './wire.ts'

export function decodeMessage(wire: WireMessage, messageId: string): Message {
  return { ...wire, messageId, role: decodeRole(wire.role), parts: wire.parts.map(decodePart) }
}

export function encodeMessage(message: Message, pointer: string, lost: Losses): WireMessage {
  // The ids are dropped without a word: the task has them, and messages had none.
  const { messageId: _, contextId: __, taskId: ___, extensions, referenceTaskIds, ...rest } = message
  if (extensions?.length) lost.add(`${pointer}/extensions`, '0.1 knows no extensions')
  if (referenceTaskIds?.length) lost.add(`${pointer}/referenceTaskIds`, '0.1 cannot refer to other tasks')
  return {
    ...rest,
    role: encodeRole(message.role),
    parts: message.parts.map((part, i) => encodePart(part, `${pointer}/parts/${i}`, lost)),
  }
}

function decodeStatus(wire: WireStatus, messageId: string): TaskStatus {
  const { state, message, timestamp, ...rest } = wire
  const status: TaskStatus = { ...rest, state: decodeState(state) }
  if (message !== undefined) status.message = decodeMessage(message, messageId)
  if (timestamp !== undefined) status.timestamp = utcInstant(timestamp)
  return status
}

function encodeStatus(status: TaskStatus, pointer: string, lost: Losses): WireStatus {
  const { state, message, ...rest } = status
  if (state === 'TASK_STATE_REJECTED') lost.add(`${pointer}/state`, '0.1 has no rejection; sent as failed')
  if (state === 'TASK_STATE_AUTH_REQUIRED') {
    lost.add(`${pointer}/state`, '0.1 cannot ask for authorization; sent as input-required')
  }
  const wire: WireStatus = { ...rest, state: encodeState(state) }
  if (message !== undefined) wire.message = encodeMessage(message, `${pointer}/message`, lost)
  return wire
}

function decodeArtifact(wire: WireArtifact, artifactId: string): Artifact {
  const { index: _, append: __, lastChunk: ___, ...rest } = wire
  return { ...rest, artifactId, parts: wire.parts.map(decodePart) }
}

function encodeArtifact(artifact: Artifact, index: number, pointer: string, lost: Losses): WireArtifact {
  const { artifactId: _, extensions, ...rest } = artifact
  if (extensions?.length) lost.add(`${pointer}/extensions`, '0.1 knows no extensions')
  return {
    ...rest,
    parts: artifact.parts.map((part, i) => encodePart(part, `${pointer}/parts/${i}`, lost)),
    index,
  }
}

export function decodeTask(wire: WireTask): Task {
  const { sessionId, artifacts, history, ...rest } = wire
  const task: TaskWithStatusHistory = { ...rest, status: decodeStatus(wire.status, `${wire.id}-status`) }
  if (sessionId !== undefined) task.contextId = sessionId
  if (artifacts !== undefined) {
    const taken = new Set<string>()
    task.artifacts = artifacts.map((artifact) => {
      const id = artifactIdOf(artifact.index ?? 0, taken)
      taken.add(id)
      return decodeArtifact(artifact, id)
    })
  }
  if (history !== undefined) {
    const messages = history.filter((entry): entry is WireMessage => !('state' in entry))
    const statuses = history.filter((entry): entry is WireStatus => 'state' in entry)
    if (statuses.length > 0) {
      task.statusHistory = statuses.map((status, i) => decodeStatus(status, `${wire.id}-status-${i}`))
    }
    if (messages.length > 0 || statuses.length === 0) {
      task.history = messages.map((message, i) => decodeMessage(message, `${wire.id}-${i}`))
    }
  }
  return task
}

export function encodeTask(task: TaskWithStatusHistory, pointer: string, lost: Losses): WireTask {
  const { contextId, artifacts, history, statusHistory, ...rest } = task
  const wire: WireTask = { ...rest, status: encodeStatus(task.status, `${pointer}/status`, lost) }
  if (contextId !== undefined && contextId !== '') wire.sessionId = contextId
  if (artifacts !== undefined) {
    const numbers = numberArtifacts(task.id, artifacts)
    wire.artifacts = artifacts.map((artifact, i) =>
      encodeArtifact(artifact, numbers[i] ?? i, `${pointer}/artifacts/${i}`, lost),
    )
  }
  if (statusHistory !== undefined) {
    wire.history = statusHistory.map((status, i) => encodeStatus(status, `${pointer}/statusHistory/${i}`, lost))
  } else if (history !== undefined) {
    wire.history = history.map((message, i) => encodeMessage(message, `${pointer}/history/${i}`, lost))
  }
  return wire
}

export function decodeEvent(wire: WireEvent): StreamEvent {
  if ('status' in wire) {
    const { id, status, final: _, ...rest } = wire
    const statusUpdate = { ...rest, taskId: id, contextId: '', status: decodeStatus(status, `${id}-status`) }
    return { statusUpdate }
  }
  const { id, artifact, ...rest } = wire
  const update: TaskArtifactUpdate = {
    ...rest,
    taskId: id,
    contextId: '',
    artifact: decodeArtifact(artifact, artifactIdOf(artifact.index ?? 0)),
  }
  if (artifact.append !== undefined) update.append = artifact.append
  if (artifact.lastChunk !== undefined) update.lastChunk = artifact.lastChunk
  return { artifactUpdate: update }
}

export function encodeEvent(event: StreamEvent, lost: Losses): WireEvent {
  if ('artifactUpdate' in event) {
    const { taskId, contextId: _, artifact, append, lastChunk, ...rest } = event.artifactUpdate
    const wire = encodeArtifact(artifact, indexOf(taskId, artifact.artifactId), '/artifactUpdate/artifact', lost)
    if (append !== undefined) wire.append = append
    if (lastChunk !== undefined) wire.lastChunk = lastChunk
    return { ...rest, id: taskId, artifact: wire }
  }
  if ('statusUpdate' in event) {
    const { taskId, contextId: _, status, ...rest } = event.statusUpdate
    return {
      ...rest,
      id: taskId,
      status: encodeStatus(status, '/statusUpdate/status', lost),
      final: isSettled(status.state),
    }
  }
  if ('task' in event) {
    const { id, status, artifacts } = event.task
    if (artifacts?.length) lost.add('/task/artifacts', 'a stream of 0.1 carries no snapshots, only updates')
    return { id, status: encodeStatus(status, '/task/status', lost), final: isSettled(status.state) }
  }
  return { id: taskOf(event.message), status: repliedWith(event.message, lost), final: true }
}

/** A direct reply does not exist here: it becomes a task that is completed by saying so. */
export function taskFromReply(message: Message, lost: Losses): WireTask {
  const { contextId } = message
  return {
    id: taskOf(message),
    ...(contextId === undefined ? {} : { sessionId: contextId }),
    status: repliedWith(message, lost),
  }
}

function repliedWith(message: Message, lost: Losses): WireStatus {
  lost.add('/message', '0.1 has no replies without a task; sent as a completed task')
  return { state: 'completed', message: encodeMessage(message, '/message', lost) }
}

function taskOf(message: Message): string {
  return message.taskId ?? message.messageId
}
