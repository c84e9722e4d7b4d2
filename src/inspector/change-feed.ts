// Changes on their way to the open pages. What comes within one tick leaves together, a row that changed twice leaves once,
// and a page that cannot keep up is sent the whole state anew instead of everything it missed.

import type { Feed } from '../net/serve/reply.ts'
import type { Change, StateView } from './views.ts'

const TICK_MS = 50
const MAX_WAITING = 5_000
/** Of events that wait for one page, whatever turn they belong to. */
const MAX_EVENTS = 20_000

export class ChangeFeed {
  readonly #readers = new Set<PageFeed>()
  readonly #state: () => StateView

  constructor(state: () => StateView) {
    this.#state = state
  }

  publish(change: Change): void {
    for (const reader of this.#readers) reader.add(change)
  }

  open(): Feed<string> {
    const reader = new PageFeed(this.#state, () => this.#readers.delete(reader))
    this.#readers.add(reader)
    return reader
  }

  close(): void {
    for (const reader of this.#readers) reader.end()
  }
}

class PageFeed implements Feed<string> {
  readonly #state: () => StateView
  readonly #onClose: () => void
  #waiting: Change[] = []
  #latest = new Map<string, Change>()
  #events = 0
  #mustResync = true
  #isOver = false
  #lastMs = 0
  #wake: (() => void) | undefined

  constructor(state: () => StateView, onClose: () => void) {
    this.#state = state
    this.#onClose = onClose
  }

  add(change: Change): void {
    if (this.#isOver || this.#mustResync) return
    const name = nameOf(change)
    const known = name === undefined ? undefined : this.#latest.get(name)
    if (known !== undefined) merge(known, change)
    else {
      const own = { ...change }
      if (own.kind === 'events') own.events = [...own.events]
      if (own.kind === 'run-lines') own.lines = [...own.lines]
      this.#waiting.push(own)
      if (name !== undefined) this.#latest.set(name, own)
    }
    if (change.kind === 'events') this.#events += change.events.length
    if (this.#waiting.length > MAX_WAITING || this.#events > MAX_EVENTS) this.#mustResync = true
    this.#wake?.()
  }

  async next(): Promise<string | undefined> {
    while (!this.#isOver && this.#waiting.length === 0 && !this.#mustResync)
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    const restMs = this.#lastMs + TICK_MS - performance.now()
    if (restMs > 0 && !this.#isOver) await new Promise((resolve) => setTimeout(resolve, restMs))
    if (this.#isOver) return undefined
    this.#lastMs = performance.now()
    const changes: Change[] = this.#mustResync ? [{ kind: 'state', state: this.#state() }] : this.#waiting
    this.#mustResync = false
    this.#waiting = []
    this.#events = 0
    this.#latest = new Map()
    return `data: ${JSON.stringify(changes)}\n\n`
  }

  end(): void {
    this.#isOver = true
    this.#wake?.()
  }

  close(): void {
    this.end()
    this.#onClose()
  }
}

/** Changes of one name replace each other while they wait. */
function nameOf(change: Change): string | undefined {
  switch (change.kind) {
    case 'agent':
      return `agent ${change.agent.id}`
    case 'wire':
      return `wire ${change.row.id}`
    case 'turn':
      return `turn ${change.turn.id}`
    case 'events':
      return `events ${change.turn}`
    case 'run':
      return `run ${change.run.id}`
    case 'run-lines':
      return `lines ${change.run}`
    case 'recordings':
    case 'saved':
      return change.kind
    case 'state':
    case 'agent-closed':
    case 'delivery':
    case 'mock':
    case 'mock-closed':
      return undefined
  }
}

function merge(known: Change, change: Change): void {
  if (known.kind === 'events' && change.kind === 'events') {
    known.events.push(...change.events)
    known.count = change.count
  } else if (known.kind === 'run-lines' && change.kind === 'run-lines') known.lines.push(...change.lines)
  else Object.assign(known, change)
}
