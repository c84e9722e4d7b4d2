// Messages, artifacts, tasks and events of 0.3: the same members as 1.0 plus `kind`, lower-case states and `final`.

import type { StreamEvent } from '../../model/event.ts'
import { isSettled } from '../../model/state-machine.ts'
import type { Artifact, Message, Task, TaskStatus } from '../../model/task.ts'
import { utcInstant } from '../instant.ts'
import type { Losses } from '../losses.ts'
import { decodeRole, encodeRole } from '../older-shapes.ts'
import { decodePart, encodePart } from './parts.ts'
import { decodeState, encodeState } from './states.ts'
import type { WireArtifact, WireEvent, WireMessage, WireStatus, WireTask } from './wire.ts'

export function decodeMessage(wire: WireMessage): Message {
  const { kind: _, ...rest } = wire
  return { ...rest, role: decodeRole(wire.role), parts: wire.parts.map(decodePart) }
}

export function encodeMessage(message: Message, pointer: string, lost: Losses): WireMessage {
  if (message.role === 'ROLE_UNSPECIFIED') lost.add(`${pointer}/role`, '0.3 has no unspecified role; sent as agent')
  return {
    kind: 'message',
    ...message,
    role: encodeRole(message.role),
    parts: message.parts.map((part, i) => encodePart(part, `${pointer}/parts/${i}`, lost)),
  }
}

function decodeArtifact(wire: WireArtifact): Artifact {
  return { ...wire, parts: wire.parts.map(decodePart) }
}

function encodeArtifact(artifact: Artifact, pointer: string, lost: Losses): WireArtifact {
  return { ...artifact, parts: artifact.parts.map((part, i) => encodePart(part, `${pointer}/parts/${i}`, lost)) }
}

function decodeStatus(wire: WireStatus): TaskStatus {
  const { state, message, timestamp, ...rest } = wire
  const status: TaskStatus = { ...rest, state: decodeState(state) }
  if (message !== undefined) status.message = decodeMessage(message)
  if (timestamp !== undefined) status.timestamp = utcInstant(timestamp)
  return status
}

function encodeStatus(status: TaskStatus, pointer: string, lost: Losses): WireStatus {
  const { message, ...rest } = status
  const wire: WireStatus = { ...rest, state: encodeState(status.state) }
  if (message !== undefined) wire.message = encodeMessage(message, `${pointer}/message`, lost)
  return wire
}

export function decodeTask(wire: WireTask): Task {
  const { kind: _, artifacts, history, ...rest } = wire
  const task: Task = { ...rest, status: decodeStatus(wire.status) }
  if (artifacts !== undefined) task.artifacts = artifacts.map(decodeArtifact)
  if (history !== undefined) task.history = history.map(decodeMessage)
  return task
}

export function encodeTask(task: Task, pointer: string, lost: Losses): WireTask {
  const { artifacts, history, ...rest } = task
  const wire: WireTask = {
    kind: 'task',
    ...rest,
    contextId: task.contextId ?? '',
    status: encodeStatus(task.status, `${pointer}/status`, lost),
  }
  if (artifacts !== undefined) {
    wire.artifacts = artifacts.map((artifact, i) => encodeArtifact(artifact, `${pointer}/artifacts/${i}`, lost))
  }
  if (history !== undefined) {
    wire.history = history.map((message, i) => encodeMessage(message, `${pointer}/history/${i}`, lost))
  }
  return wire
}

export function decodeEvent(wire: WireEvent): StreamEvent {
  if (wire.kind === 'task') return { task: decodeTask(wire) }
  if (wire.kind === 'message') return { message: decodeMessage(wire) }
  if (wire.kind === 'status-update') {
    const { kind: _, final: __, ...rest } = wire
    return { statusUpdate: { ...rest, status: decodeStatus(wire.status) } }
  }
  const { kind: _, ...rest } = wire
  return { artifactUpdate: { ...rest, artifact: decodeArtifact(wire.artifact) } }
}

export function encodeEvent(event: StreamEvent, lost: Losses): WireEvent {
  if ('task' in event) return encodeTask(event.task, '/task', lost)
  if ('message' in event) return encodeMessage(event.message, '/message', lost)
  if ('statusUpdate' in event) {
    const update = event.statusUpdate
    return {
      kind: 'status-update',
      ...update,
      status: encodeStatus(update.status, '/statusUpdate/status', lost),
      final: isSettled(update.status.state),
    }
  }
  const update = event.artifactUpdate
  return {
    kind: 'artifact-update',
    ...update,
    artifact: encodeArtifact(update.artifact, '/artifactUpdate/artifact', lost),
  }
}
