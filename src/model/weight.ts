// What a task, a message or an event weighs: about the characters of its JSON, and for every small value a little more,
// because that is what it takes in memory. For limits, so it is quick rather than exact. What JSON cannot express (a
// number that is not finite, a bigint, a value that contains itself) weighs NaN.

import type { TaskEvent } from './event.ts'
import type { JsonObject } from './json.ts'
import type { Artifact, Message, Part, Task, TaskStatus } from './task.ts'

/** Ids, names of members, times. */
const FRAME = 200
const VALUE = 16
/** Nothing honest is nested like this, and what contains itself is. */
const MAX_DEPTH = 500
/** Beyond any limit; what contains itself several times would never be weighed to the end. */
const HEAVIEST = 2 ** 28

export function weightOfEvent(event: TaskEvent): number {
  if ('statusUpdate' in event) {
    const { status, metadata } = event.statusUpdate
    return weightOfStatus(status) + weightOf(metadata)
  }
  if ('artifactUpdate' in event)
    return weightOfArtifact(event.artifactUpdate.artifact) + weightOf(event.artifactUpdate.metadata)
  if ('historyMessage' in event) return weightOfMessage(event.historyMessage)
  return FRAME + weightOf(event.taskMetadata)
}

export function weightOfEvents(events: readonly TaskEvent[]): number {
  let weight = 0
  for (const event of events) weight += weightOfEvent(event)
  return weight
}

export function weightOfTask({ status, history = [], artifacts = [], metadata }: Task): number {
  let weight = weightOfStatus(status) + weightOf(metadata)
  for (const message of history) weight += weightOfMessage(message)
  for (const artifact of artifacts) weight += weightOfArtifact(artifact)
  return weight
}

export function weightOfMessage({ parts, metadata, extensions, referenceTaskIds }: Message): number {
  return FRAME + weightOfParts(parts) + weightOf(metadata) + weightOf(extensions) + weightOf(referenceTaskIds)
}

function weightOfStatus({ message }: TaskStatus): number {
  return message === undefined ? FRAME : FRAME + weightOfMessage(message)
}

function weightOfArtifact({ parts, name = '', description = '', metadata, extensions }: Artifact): number {
  return FRAME + name.length + description.length + weightOfParts(parts) + weightOf(metadata) + weightOf(extensions)
}

function weightOfParts(parts: readonly Part[]): number {
  // Agents are written in JavaScript too, where nothing keeps an author from leaving them out.
  if (!Array.isArray(parts)) return weightOf(parts)
  let weight = 0
  for (const part of parts) {
    const isPlain = 'text' in part && part.metadata === undefined && part.filename === undefined
    weight += isPlain ? VALUE + part.text.length : weightOf(part)
  }
  return weight
}

/** Of any JSON value; 0 for what JSON leaves out. */
export function weightOf(value: unknown): number {
  return value === undefined ? 0 : add(value, 0, 0)
}

/** Adds the weight of a value to what was there; gives up where it is too much for anything. */
function add(value: unknown, weight: number, depth: number): number {
  if (typeof value === 'string') return weight + VALUE + value.length
  if (typeof value === 'number') return Number.isFinite(value) ? weight + VALUE : Number.NaN
  if (typeof value === 'bigint') return Number.NaN
  if (typeof value !== 'object' || value === null) return weight + VALUE
  if (depth === MAX_DEPTH) return Number.NaN
  if (!(weight <= HEAVIEST)) return weight
  let sum = weight + VALUE
  if (Array.isArray(value)) for (const item of value) sum = add(item, sum, depth + 1)
  else for (const name in value) sum = add((value as JsonObject)[name], sum + name.length, depth + 1)
  return sum
}
