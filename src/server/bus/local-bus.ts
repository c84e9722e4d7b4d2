// The wake bus inside one process. Waking is delivered when the writer and everything it set off have run, once per
// topic: a writer never runs its readers' code, and a burst of appends wakes each reader once. A topic exists only
// while it has a listener.

import { CompactingMap } from '../../base/compacting.ts'
import { runIsolated } from '../../base/run-isolated.ts'
import type { Unsubscribe, WakeBus } from './wake-bus.ts'

export function openMemoryBus(): WakeBus {
  return new MemoryWakeBus()
}

interface Subscription {
  readonly listener: () => void
  isLive: boolean
}

class MemoryWakeBus implements WakeBus {
  /** Nearly every topic has one listener, so only the second one costs a list. Lists are replaced, never changed. */
  readonly #topics = new CompactingMap<string, Subscription | readonly Subscription[]>()
  #woken = new Set<string>()

  wake(topic: string): void {
    if (!this.#topics.has(topic)) return
    if (this.#woken.size === 0) process.nextTick(() => this.#deliver())
    this.#woken.add(topic)
  }

  onWake(topic: string, listener: () => void): Unsubscribe {
    const subscription: Subscription = { listener, isLive: true }
    const known = this.#topics.get(topic)
    if (known === undefined) this.#topics.set(topic, subscription)
    else this.#topics.set(topic, [...asList(known), subscription])
    return () => {
      if (!subscription.isLive) return
      subscription.isLive = false
      this.#remove(topic, subscription)
    }
  }

  async close(): Promise<void> {
    for (const known of this.#topics.values()) for (const each of asList(known)) each.isLive = false
    this.#topics.clear()
  }

  #remove(topic: string, subscription: Subscription): void {
    const known = this.#topics.get(topic)
    if (known === undefined) return
    const rest = asList(known).filter((each) => each !== subscription)
    const [first] = rest
    if (first === undefined) this.#topics.delete(topic)
    else this.#topics.set(topic, rest.length === 1 ? first : rest)
  }

  #deliver(): void {
    const woken = this.#woken
    this.#woken = new Set()
    for (const topic of woken) {
      const known = this.#topics.get(topic)
      if (known === undefined) continue
      for (const subscription of asList(known)) if (subscription.isLive) runIsolated(subscription.listener)
    }
  }
}

function asList(known: Subscription | readonly Subscription[]): readonly Subscription[] {
  return 'listener' in known ? [known] : known
}
