// The snapshot of a task is the fold of its events. Pure: every step returns a new task that shares what did
// not change, so a snapshot handed out never changes under its reader.

import type { TaskArtifactUpdate, TaskEvent } from './event.ts'
import type { Artifact, Message, Task } from './task.ts'

export function applyEvent(task: Task, event: TaskEvent): Task {
  if ('statusUpdate' in event) {
    const next: Task = { ...task, status: event.statusUpdate.status }
    const history = withStatusMessage(task)
    if (history !== undefined) next.history = history
    return next
  }
  if ('artifactUpdate' in event) return { ...task, artifacts: withArtifact(task.artifacts, event.artifactUpdate) }
  // The agent asked before the client answered, so its question goes first.
  if ('historyMessage' in event) return { ...task, history: [...(withStatusMessage(task) ?? []), event.historyMessage] }
  return { ...task, metadata: { ...task.metadata, ...event.taskMetadata } }
}

/** The history with what the status says, so that nothing the agent said is lost (1.0 §3.7), and nothing is told twice. */
function withStatusMessage({ history, status: { message } }: Task): Message[] | undefined {
  if (message === undefined) return history
  // A question answered is followed by the answer: it is one of the last two.
  const isTold = history?.slice(-2).some(({ messageId }) => messageId === message.messageId)
  return isTold ? history : [...(history ?? []), message]
}

export function applyEvents(task: Task, events: readonly TaskEvent[]): Task {
  return joinChunks(events).reduce(applyEvent, task)
}

/** Chunks of one artifact in a row become one update: copying the artifact for each would cost their square. */
function joinChunks(events: readonly TaskEvent[]): readonly TaskEvent[] {
  if (events.length < 2) return events
  const joined: TaskEvent[] = []
  let open: TaskArtifactUpdate | undefined
  for (const event of events) {
    const update = 'artifactUpdate' in event ? event.artifactUpdate : undefined
    if (open !== undefined && update?.append && update.artifact.artifactId === open.artifact.artifactId) {
      const { parts } = open.artifact
      parts.push(...update.artifact.parts)
      Object.assign(open.artifact, update.artifact, { parts })
    } else {
      open = update && { ...update, artifact: { ...update.artifact, parts: [...update.artifact.parts] } }
      joined.push(open === undefined ? event : { artifactUpdate: open })
    }
  }
  return joined
}

/** `append` adds parts to the artifact of that id; without it the artifact is replaced (1.0 §4.2.2). */
function withArtifact(artifacts: readonly Artifact[] = [], update: TaskArtifactUpdate): Artifact[] {
  const at = artifacts.findIndex((known) => known.artifactId === update.artifact.artifactId)
  const known = artifacts[at]
  if (known === undefined) return [...artifacts, update.artifact]
  const merged: Artifact = update.append
    ? { ...known, ...update.artifact, parts: known.parts.concat(update.artifact.parts) }
    : update.artifact
  const next = artifacts.slice()
  next[at] = merged
  return next
}
