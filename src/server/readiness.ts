// Whether the server can do its work: the store answers and takes writes. Asked by anybody at any rate, so the answer is
// kept for a second, one look at a time is under way, and a look that takes too long is a no.

import type { TaskStore } from './store/task-store.ts'

const DEADLINE_MS = 1_800
const KEPT_MS = 1_000
const NO_SCOPE = { agent: '', tenant: '', subject: '' }

export class Readiness {
  readonly #store: Pick<TaskStore, 'get' | 'probe'>
  readonly #now: () => number
  #known: { atMs: number; trouble: string | undefined } | undefined
  #looking: Promise<string | undefined> | undefined

  constructor(store: Pick<TaskStore, 'get' | 'probe'>, now: () => number = () => performance.now()) {
    this.#store = store
    this.#now = now
  }

  /** Why not, or undefined. */
  async trouble(): Promise<string | undefined> {
    const known = this.#known
    if (known !== undefined && this.#now() - known.atMs < KEPT_MS) return known.trouble
    this.#looking ??= this.#look().finally(() => {
      this.#looking = undefined
    })
    return this.#looking
  }

  async #look(): Promise<string | undefined> {
    const store = this.#store
    const isAnswering = await succeeds(async () => store.get(NO_SCOPE, 'readiness'))
    const takesWrites = isAnswering && (await succeeds(async () => store.probe?.()))
    const trouble = !isAnswering
      ? 'the task store does not answer'
      : takesWrites
        ? undefined
        : 'the task store takes no writes'
    this.#known = { atMs: this.#now(), trouble }
    return trouble
  }
}

async function succeeds(work: () => Promise<unknown>): Promise<boolean> {
  const { promise: deadline, resolve } = Promise.withResolvers<boolean>()
  const timer = setTimeout(() => resolve(false), DEADLINE_MS)
  try {
    return await Promise.race([work().then(() => true), deadline])
  } catch {
    return false
  } finally {
    clearTimeout(timer)
  }
}
