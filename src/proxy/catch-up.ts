// An agent that is asked tells its task whole; readers of ours want what is new. The difference, as events.

import type { TaskEvent } from '../model/event.ts'
import { sameJson } from '../model/json.ts'
import type { Artifact, Message, Task, TaskStatus } from '../model/task.ts'

/** What happened to the task since we last heard of it, as events. */
export function catchUp(task: Task, theirs: Task, joined: readonly TaskEvent[]): TaskEvent[] {
  const ids = { taskId: task.id, contextId: task.contextId ?? '' }
  const events: TaskEvent[] = [...joined]
  if (theirs.metadata !== undefined && !sameJson(theirs.metadata, task.metadata))
    events.push({ taskMetadata: theirs.metadata })
  const known = [...(task.history ?? []), ...(task.status.message === undefined ? [] : [task.status.message])]
  for (const said of theirs.history ?? [])
    if (!known.some((each) => isSameMessage(each, said)) && !isSameMessage(theirs.status.message, said))
      events.push({ historyMessage: said })
  for (const artifact of theirs.artifacts ?? []) {
    const before = task.artifacts?.find(({ artifactId }) => artifactId === artifact.artifactId)
    if (!isSameArtifact(before, artifact)) events.push({ artifactUpdate: { ...ids, artifact } })
  }
  const { status } = theirs
  const isNews =
    status.state !== task.status.state ||
    (status.timestamp !== undefined && status.timestamp !== task.status.timestamp) ||
    (status.message !== undefined && !isSameMessage(task.status.message, status.message))
  if (isNews) events.push({ statusUpdate: { ...ids, status: stamped(status) } })
  return events
}

/** Stores order tasks by the time of their status, which agents need not tell. */
export function stamped(status: TaskStatus): TaskStatus {
  return status.timestamp === undefined ? { ...status, timestamp: new Date().toISOString() } : status
}

/** By content: the `tasks/send` generation has no message ids, and what we read from it is numbered anew each time. */
function isSameMessage(a: Message | undefined, b: Message): boolean {
  return a !== undefined && a.role === b.role && sameJson(a.parts, b.parts)
}

function isSameArtifact(a: Artifact | undefined, b: Artifact): boolean {
  return a !== undefined && sameJson(a.parts, b.parts) && a.name === b.name && a.description === b.description
}
