// Sessions that came into being because a request named them, not because the test that uses them asked: which of them may
// go when there is no room for another. Looking at a card is no use of a session; sending something is, for a while.

const IDLE_MS = 10 * 60_000

export class PassingSessions {
  readonly #now: () => number
  /** The one used longest ago first. */
  readonly #used = new Map<string, { atMs: number; hasSent: boolean }>()

  constructor(now: () => number = () => performance.now()) {
    this.#now = now
  }

  /** A request for this session. Those that were asked for in another way are not known here. */
  note(name: string, method: string | undefined, isNew: boolean): void {
    const known = this.#used.get(name)
    if (known === undefined && !isNew) return
    const isReading = method === 'GET' || method === 'HEAD' || method === 'OPTIONS'
    this.#used.delete(name)
    this.#used.set(name, { atMs: this.#now(), hasSent: (known?.hasSent ?? false) || !isReading })
  }

  /** Whoever controls the mock takes it over. */
  keep(name: string): void {
    this.#used.delete(name)
  }

  /** One that is not in use; undefined when there is none. */
  dispensable(): string | undefined {
    for (const [name, { hasSent }] of this.#used) if (!hasSent) return name
    const [oldest] = this.#used
    return oldest !== undefined && this.#now() - oldest[1].atMs > IDLE_MS ? oldest[0] : undefined
  }
}
