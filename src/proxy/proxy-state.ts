// What a proxy knows: tasks, which of them is which of the agents', and webhooks. In memory, in one SQLite file that one
// proxy at a time uses, or in a PostgreSQL or Redis that several share.

import type { GuardOptions } from '../net/guard/guarded-url.ts'
import type { Backend, BackendOptions } from '../server/backend/backend.ts'
import { openBackend } from '../server/backend/open.ts'
import type { WakeBus } from '../server/bus/wake-bus.ts'
import { systemClock } from '../server/engine/clock.ts'
import type { Log } from '../server/log.ts'
import { Push } from '../server/push/push.ts'
import { LEASE_MS, leaseTimes } from '../server/store/lease.ts'
import type { LinkStore } from '../server/store/link-store.ts'
import type { TaskStore } from '../server/store/task-store.ts'

export interface ProxyState {
  readonly tasks: TaskStore
  readonly bus: WakeBus
  /** Undefined where nothing survives the process. */
  readonly links: LinkStore | undefined
  readonly push: Push
  /** In a shared store: how often to look for what a dead proxy left. */
  readonly lookMs: number
  close(): Promise<void>
}

export interface StateOptions extends Pick<BackendOptions, 'leaseMs' | 'allowVolatile' | 'sync'> {
  /** What `--store` takes. */
  readonly store: string
  /** Which addresses webhooks of callers may have. */
  readonly guard: GuardOptions
  readonly log: Log
}

export async function openProxyState({ store, guard, log, ...options }: StateOptions): Promise<ProxyState> {
  const onWaiting = (message: string) => log('warn', 'waiting-for-store', { message })
  const backend = await openBackend(store, { ...options, onWaiting })
  try {
    return await openParts(backend, { store, guard, log, ...options })
  } catch (error) {
    await backend.close()
    throw error
  }
}

async function openParts(backend: Backend, { store, guard, log, leaseMs }: StateOptions): Promise<ProxyState> {
  const tasks = await backend.openTasks()
  await tasks.hold?.({ onWaiting: (message) => log('warn', 'waiting-for-store', { message }) })
  const bus = await backend.openBus()
  const links = store === 'memory' ? undefined : await backend.openLinks()
  const push = await Push.open({ tasks, bus, clock: systemClock(), backend, options: {}, guard, log })
  push.start()
  return {
    ...{ tasks, bus, links, push, lookMs: leaseTimes(leaseMs ?? LEASE_MS).lookMs },
    async close() {
      await push.close(0)
      await links?.close()
      await bus.close()
      await tasks.close()
    },
  }
}
