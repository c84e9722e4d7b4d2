// One database behind one address, opened once: tasks, push configurations, wake-ups and the proxy's links share its
// connections. Each is opened on first use; the connections close with the last of them. A database is a
// folder with these answers, and a row in open.ts.

import type { WakeBus } from '../bus/wake-bus.ts'
import type { LinkStore } from '../store/link-store.ts'
import type { PushStore } from '../store/push-store.ts'
import type { TaskStore } from '../store/task-store.ts'
import type { StartOptions } from '../store/wait-for-start.ts'

/** How surely a written task is on the disk: 'full' waits for it. */
export type StoreSync = 'normal' | 'full'

/** How a database is opened. */
export interface BackendOptions extends StartOptions {
  /** Of the memory store: so many tasks are held, and so many bytes. */
  readonly memory?: {
    /**
     * Tasks held.
     * @default 100_000
     */
    readonly maxTasks?: number
    /**
     * Bytes held, about.
     * @default a quarter of the memory this process may have, at most 256 MiB
     */
    readonly maxBytes?: number
  }
  /** When tasks changed, for retention; Date.now unless given. */
  readonly now?: () => number
  /** Accept a Redis that may forget. */
  readonly allowVolatile?: boolean
  /**
   * `full`: what was answered survives a power failure too. SQLite then waits for the disk at every commit; PostgreSQL and Redis
   * are refused unless they are set to do so. `normal`, unless given: it survives the end of any process.
   */
  readonly sync?: StoreSync
  /** In shared stores: how long after the death of a process its running tasks have ended; see ../store/lease.ts. */
  readonly leaseMs?: number
}

/** How webhooks are stored. */
export interface PushStoreOptions {
  /** The clock of this process, where the database has none that all its processes share. */
  readonly clock?: () => number
  /** Replaces whatever clock it has. */
  readonly now?: () => number
  /** False for an operator beside a server: no lease is taken from it. */
  readonly isServing?: boolean
}

/** All that lives in one database: tasks, webhooks, wake-ups and links. */
export interface Backend {
  /** The tasks and their events. */
  openTasks(): Promise<TaskStore>
  /** The webhooks. */
  openPush(options?: PushStoreOptions): Promise<PushStore>
  /** The wake-ups of those who follow tasks. */
  openBus(): Promise<WakeBus>
  /** What a proxy knows about ids of the agents behind it. */
  openLinks(): Promise<LinkStore>
  /** Closes the connections at once, whoever still uses them. */
  close(): Promise<void>
}

/** One part of a database, used without the rest: it closes the connections when it is closed. */
export async function openOnly<T>(opening: Promise<Backend>, open: (backend: Backend) => Promise<T>): Promise<T> {
  const backend = await opening
  try {
    return await open(backend)
  } catch (error) {
    await backend.close()
    throw error
  }
}

/** How many use one connection. Whoever leaves last closes it. */
export class SharedUse {
  readonly #close: () => void | Promise<void>
  #users = 0

  constructor(close: () => void | Promise<void>) {
    this.#close = close
  }

  /** Returns how to leave; leaving twice is leaving once. */
  enter(): () => Promise<void> {
    this.#users++
    let isInside = true
    return async () => {
      if (!isInside) return
      isInside = false
      if (--this.#users === 0) await this.#close()
    }
  }
}
