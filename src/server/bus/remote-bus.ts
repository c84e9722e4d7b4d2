// The wake bus of several processes: a bus inside this one, and a channel that tells the others. A topic alone leaves at
// once; those that follow within a few milliseconds travel together, because a message costs every process that gets it. Whenever the channel may have missed something, everybody who listens is woken:
// after a reconnection, and again and again while our own messages do not come back.

import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { openMemoryBus } from './local-bus.ts'
import type { Unsubscribe, WakeBus } from './wake-bus.ts'

export interface Channel {
  /** Resolves when the text is on its way; rejects or is lost when the channel is down. */
  publish(text: string): Promise<unknown>
  close(): Promise<void>
}

export interface ChannelEvents {
  onText(text: string): void
  /** The channel is up again after it was down. */
  onReturn(): void
}

/** The smaller of the two payload limits is PostgreSQL's, 8,000 bytes. */
const MAX_PAYLOAD = 7_000
/** Between two messages: subscribers at another process wait that much longer, at most, while there is much to tell. */
const PAUSE_MS = 3
/** Two beats without an echo mean five seconds: the longest a subscriber sleeps on a dead channel. */
const BEAT_MS = 2_500

export class RemoteWakeBus implements WakeBus {
  readonly #id = randomUUID()
  readonly #local = openMemoryBus()
  readonly #listeners = new Map<string, number>()
  #pending = new Set<string>()
  #isSending = false
  #isBeatDue = false
  #hasEcho = true
  #channel: Channel | undefined
  #beat: NodeJS.Timeout | undefined

  static async open(connect: (events: ChannelEvents) => Promise<Channel>, beatMs: number = BEAT_MS): Promise<WakeBus> {
    const bus = new RemoteWakeBus()
    bus.#channel = await connect({ onText: (text) => bus.#receive(text), onReturn: () => bus.#wakeAll() })
    bus.#beat = setInterval(() => bus.#checkEcho(), beatMs).unref()
    return bus
  }

  wake(topic: string): void {
    this.#local.wake(topic)
    this.#pending.add(topic)
    if (!this.#isSending) void this.#send()
  }

  wakeHere(topic: string): void {
    this.#local.wake(topic)
  }

  onWake(topic: string, listener: () => void): Unsubscribe {
    const unsubscribe = this.#local.onWake(topic, listener)
    this.#listeners.set(topic, (this.#listeners.get(topic) ?? 0) + 1)
    let isLive = true
    return () => {
      if (!isLive) return
      isLive = false
      unsubscribe()
      const left = (this.#listeners.get(topic) ?? 1) - 1
      if (left === 0) this.#listeners.delete(topic)
      else this.#listeners.set(topic, left)
    }
  }

  async close(): Promise<void> {
    clearInterval(this.#beat)
    const channel = this.#channel
    this.#channel = undefined
    this.#listeners.clear()
    await Promise.all([this.#local.close(), channel?.close()])
  }

  async #send(): Promise<void> {
    this.#isSending = true
    await Promise.resolve()
    while (this.#pending.size > 0 || this.#isBeatDue) {
      const topics = this.#pending
      this.#pending = new Set()
      if (this.#isBeatDue && topics.size === 0) await this.#publish([])
      this.#isBeatDue = false
      for (const batch of batches(topics)) await this.#publish(batch)
      await sleep(PAUSE_MS, undefined, { ref: false })
    }
    this.#isSending = false
  }

  async #publish(topics: readonly string[]): Promise<void> {
    try {
      await this.#channel?.publish(JSON.stringify([this.#id, ...topics]))
    } catch {
      // Lost, like any hint may be: the others find out by the missing echo of their own beats.
    }
  }

  #receive(text: string): void {
    const [sender, ...topics] = stringsIn(text)
    if (sender === this.#id) this.#hasEcho = true
    else for (const topic of topics) this.#local.wake(topic)
  }

  #checkEcho(): void {
    if (!this.#hasEcho) this.#wakeAll()
    this.#hasEcho = false
    this.#isBeatDue = true
    if (!this.#isSending) void this.#send()
  }

  #wakeAll(): void {
    for (const topic of this.#listeners.keys()) this.#local.wake(topic)
  }
}

/** Others may write to the channel too; what is not ours is nothing. */
function stringsIn(text: string): string[] {
  try {
    const value: unknown = JSON.parse(text)
    return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : []
  } catch {
    return []
  }
}

function* batches(topics: Iterable<string>): Generator<string[]> {
  let batch: string[] = []
  let size = 0
  for (const topic of topics) {
    // Escapes make at most six characters of one.
    const weight = topic.length * 6
    if (weight > MAX_PAYLOAD) continue
    if (size + weight > MAX_PAYLOAD) {
      yield batch
      batch = []
      size = 0
    }
    batch.push(topic)
    size += weight
  }
  if (batch.length > 0) yield batch
}
