// Events as stores hand them out: one face is given, the other is made on first use and kept, so that a thousand
// subscribers of one task share a single serialization.

import type { ArtifactUpdateEvent, TaskArtifactUpdate, TaskEvent } from '../../model/event.ts'
import type { Seq, StoredEvent } from './task-store.ts'

/** An update whose JSON is known already. A copy of it has no text: what is copied is changed. */
class WrittenUpdate implements ArtifactUpdateEvent {
  readonly artifactUpdate: TaskArtifactUpdate
  readonly #text: string

  constructor(artifactUpdate: TaskArtifactUpdate, text: string) {
    this.artifactUpdate = artifactUpdate
    this.#text = text
  }

  static textOf(event: TaskEvent): string | undefined {
    return #text in event ? event.#text : undefined
  }
}

/** `text` is its JSON: whoever stores or sends it need not write it anew. */
export function writtenUpdate(update: TaskArtifactUpdate, text: string): ArtifactUpdateEvent {
  return new WrittenUpdate(update, text)
}

/** The JSON of an event. */
export function textOfEvent(event: TaskEvent): string {
  return WrittenUpdate.textOf(event) ?? JSON.stringify(event)
}

class StoredFromEvent implements StoredEvent {
  readonly seq: Seq
  readonly event: TaskEvent
  #text: string | undefined = undefined

  constructor(seq: Seq, event: TaskEvent) {
    this.seq = seq
    this.event = event
  }

  get text(): string {
    this.#text ??= textOfEvent(this.event)
    return this.#text
  }

  get hasText(): boolean {
    return this.#text !== undefined
  }
}

class StoredFromText implements StoredEvent {
  readonly seq: Seq
  readonly text: string
  #event: TaskEvent | undefined = undefined

  constructor(seq: Seq, text: string) {
    this.seq = seq
    this.text = text
  }

  get event(): TaskEvent {
    this.#event ??= JSON.parse(this.text) as TaskEvent
    return this.#event
  }
}

class StoredWhole implements StoredEvent {
  readonly seq: Seq
  readonly event: TaskEvent
  readonly text: string

  constructor(seq: Seq, event: TaskEvent, text: string) {
    this.seq = seq
    this.event = event
    this.text = text
  }
}

/** Both faces are there: what was just written. */
export function storedWhole(seq: Seq, event: TaskEvent, text: string): StoredEvent {
  return new StoredWhole(seq, event, text)
}

export function storedFromEvent(seq: Seq, event: TaskEvent): StoredEvent {
  return new StoredFromEvent(seq, event)
}

/** Whether its text is there already, or would have to be made. */
export function hasText(stored: StoredEvent): boolean {
  return !(stored instanceof StoredFromEvent) || stored.hasText
}

/** `text` is what a store wrote itself, so its shape is trusted. */
export function storedFromText(seq: Seq, text: string): StoredEvent {
  return new StoredFromText(seq, text)
}
