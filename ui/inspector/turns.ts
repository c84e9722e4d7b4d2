// What the events of a turn come to: the task with its state, what it said on the way, and its artifacts. Folded as they
// arrive, so that ten thousand events cost what ten do to show.

import { type Signal, signal } from '@preact/signals'
import type { TurnView } from '../../src/inspector/views.ts'
import type { StreamEvent } from '../../src/model/event.ts'
import type { Artifact, Message, Part, TaskState, TaskStatus } from '../../src/model/task.ts'

/** Of a task that says very much, the last lines are shown; the wire has all. */
const MAX_SAID = 100
const MAX_PARTS = 400

export interface Said {
  number: number
  state: TaskState
  message: Message | undefined
}

export interface FoldedArtifact {
  artifact: Artifact
  chunks: number
  leftOut: number
}

export interface Folded {
  taskId: string | undefined
  contextId: string | undefined
  state: TaskState | undefined
  said: Said[]
  saidCount: number
  artifacts: Map<string, FoldedArtifact>
  message: Message | undefined
}

export interface Turn {
  view: Signal<TurnView>
  folded: Folded
  /** Counts up when something was folded. */
  version: Signal<number>
}

export function newTurn(view: TurnView): Turn {
  const turn: Turn = {
    view: signal({ ...view, events: [] }),
    folded: {
      ...{ taskId: undefined, contextId: undefined, state: undefined, message: undefined },
      ...{ said: [], saidCount: 0, artifacts: new Map() },
    },
    version: signal(0),
  }
  for (const event of view.events) fold(turn.folded, event)
  return turn
}

export function addEvents(turn: Turn, events: readonly StreamEvent[], count: number): void {
  for (const event of events) fold(turn.folded, event)
  turn.view.value = { ...turn.view.value, count }
  turn.version.value++
}

function fold(folded: Folded, event: StreamEvent): void {
  if ('message' in event) {
    folded.message = event.message
    folded.contextId = event.message.contextId ?? folded.contextId
    folded.taskId = event.message.taskId ?? folded.taskId
  } else if ('task' in event) {
    const { id, contextId, status, artifacts = [] } = event.task
    folded.taskId = id
    folded.contextId = contextId
    said(folded, status)
    for (const artifact of artifacts) folded.artifacts.set(artifact.artifactId, { artifact, chunks: 1, leftOut: 0 })
  } else if ('statusUpdate' in event) {
    const { taskId, contextId, status } = event.statusUpdate
    folded.taskId = taskId
    folded.contextId = contextId
    said(folded, status)
  } else {
    const { taskId, contextId, artifact, append } = event.artifactUpdate
    folded.taskId = taskId
    folded.contextId = contextId
    addArtifact(folded, artifact, append === true)
  }
}

function said(folded: Folded, { state, message }: TaskStatus): void {
  const last = folded.said.at(-1)
  folded.state = state
  if (last !== undefined && last.state === state && message === undefined) return
  folded.said.push({ number: folded.saidCount++, state, message })
  if (folded.said.length > MAX_SAID * 2) folded.said.splice(0, MAX_SAID)
}

/** The lines to show, and how many came before them. */
export function saidOf({ said: all, saidCount }: Folded): { lines: readonly Said[]; before: number } {
  const lines = all.slice(-MAX_SAID)
  return { lines, before: saidCount - lines.length }
}

function addArtifact(folded: Folded, artifact: Artifact, isMore: boolean): void {
  const known = folded.artifacts.get(artifact.artifactId)
  if (known === undefined || !isMore) {
    folded.artifacts.set(artifact.artifactId, { artifact, chunks: 1, leftOut: 0 })
    return
  }
  known.chunks++
  const parts = [...known.artifact.parts]
  for (const part of artifact.parts) addPart(parts, part, known)
  known.artifact = { ...known.artifact, parts }
}

function addPart(parts: Part[], part: Part, known: FoldedArtifact): void {
  const last = parts.at(-1)
  if (last !== undefined && 'text' in last && 'text' in part)
    parts[parts.length - 1] = { ...last, text: last.text + part.text }
  else if (parts.length < MAX_PARTS) parts.push(part)
  else known.leftOut++
}

/** A file that came in pieces is kept as several parts of one type and name; shown, it is one. */
export function joined(parts: readonly Part[]): Part[] {
  const whole: Part[] = []
  for (const part of parts) {
    const last = whole.at(-1)
    const isMore =
      last !== undefined &&
      'text' in last &&
      'text' in part &&
      last.mediaType !== undefined &&
      last.mediaType === part.mediaType &&
      last.filename === part.filename
    if (isMore) whole[whole.length - 1] = { ...last, text: last.text + part.text }
    else whole.push(part)
  }
  return whole
}
