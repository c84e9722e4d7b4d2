// The snapshot of a task is the fold of its events. Pure: it returns a new task that shares what did not change, so a
// snapshot handed out never changes under its reader. Many events cost their sum, whatever they are and in whatever
// order: each list is copied once, at its first change, and then grows in place.

import type { TaskArtifactUpdate, TaskEvent } from './event.ts'
import type { JsonObject } from './json.ts'
import type { Artifact, Message, Task } from './task.ts'

export function applyEvent(task: Task, event: TaskEvent): Task {
  const fold = new Fold(task)
  fold.apply(event)
  return fold.task
}

export function applyEvents(task: Task, events: readonly TaskEvent[]): Task {
  if (events.length === 0) return task
  const fold = new Fold(task)
  for (const event of events) fold.apply(event)
  return fold.task
}

/** Up to so many artifacts are looked through; beyond, they are looked up. */
const FEW_ARTIFACTS = 16

class Fold {
  readonly task: Task
  /** The lists of the task that are its own, so that they may be changed. */
  #history: Message[] | undefined
  #artifacts: Artifact[] | undefined
  #metadata: JsonObject | undefined
  /** The artifacts that are its own, with their parts. */
  readonly #ownArtifacts = new Set<Artifact>()
  #positions: Map<string, number> | undefined

  constructor(task: Task) {
    this.task = { ...task }
  }

  apply(event: TaskEvent): void {
    const { task } = this
    if ('statusUpdate' in event) {
      this.#keepStatusMessage()
      task.status = event.statusUpdate.status
    } else if ('artifactUpdate' in event) this.#update(event.artifactUpdate)
    else if ('historyMessage' in event) {
      // The agent asked before the client answered, so its question goes first.
      this.#keepStatusMessage()
      this.#ownHistory().push(event.historyMessage)
    } else {
      this.#metadata ??= task.metadata = { ...task.metadata }
      addMembers(this.#metadata, event.taskMetadata)
    }
  }

  /** What the status says joins the history, so that nothing the agent said is lost (1.0 §3.7), and nothing is told twice. */
  #keepStatusMessage(): void {
    const { history = [], status } = this.task
    const { message } = status
    if (message === undefined) return
    // A question answered is followed by the answer: it is one of the last two.
    const isKept = history.slice(-2).some(({ messageId }) => messageId === message.messageId)
    if (!isKept) this.#ownHistory().push(message)
  }

  #ownHistory(): Message[] {
    this.#history ??= this.task.history = this.task.history?.slice() ?? []
    return this.#history
  }

  /** `append` adds parts to the artifact of that id; without it the artifact is replaced (1.0 §4.2.2). */
  #update({ artifact, append }: TaskArtifactUpdate): void {
    this.#artifacts ??= this.task.artifacts = this.task.artifacts?.slice() ?? []
    const artifacts = this.#artifacts
    const at = this.#positionOf(artifact.artifactId, artifacts)
    const known = artifacts[at]
    if (known === undefined) {
      this.#positions?.set(artifact.artifactId, artifacts.length)
      artifacts.push(artifact)
    } else if (!append) artifacts[at] = artifact
    else if (this.#ownArtifacts.has(known)) {
      const { parts } = known
      for (const part of artifact.parts) parts.push(part)
      Object.assign(known, artifact, { parts })
    } else {
      const own = { ...known, ...artifact, parts: known.parts.concat(artifact.parts) }
      artifacts[at] = own
      this.#ownArtifacts.add(own)
    }
  }

  /** The first artifact of that id; -1 when there is none. */
  #positionOf(artifactId: string, artifacts: readonly Artifact[]): number {
    if (artifacts.length <= FEW_ARTIFACTS) return artifacts.findIndex((known) => known.artifactId === artifactId)
    if (this.#positions === undefined) {
      this.#positions = new Map()
      for (let at = artifacts.length - 1; at >= 0; at--) this.#positions.set(artifacts[at]?.artifactId ?? '', at)
    }
    return this.#positions.get(artifactId) ?? -1
  }
}

/** Like a spread, which knows no setters, into an object that exists already. */
function addMembers(target: JsonObject, members: JsonObject): void {
  for (const [name, value] of Object.entries(members)) {
    if (name === '__proto__')
      Object.defineProperty(target, name, { value, enumerable: true, configurable: true, writable: true })
    else target[name] = value
  }
}
