// What a proxy knows: tasks, which of them is which of the agents', and webhooks. In memory, or in one SQLite file that
// one proxy at a time uses.

import { EXIT, ParleyError } from '../model/errors.ts'
import type { GuardOptions } from '../net/guard/guarded-url.ts'
import { openBackend } from '../server/backend/open.ts'
import { SqliteLinks } from '../server/backend/sqlite/links.ts'
import type { WakeBus } from '../server/bus/wake-bus.ts'
import { systemClock } from '../server/engine/clock.ts'
import type { Log } from '../server/log.ts'
import { Push } from '../server/push/push.ts'
import type { TaskStore } from '../server/store/task-store.ts'

export interface ProxyState {
  readonly tasks: TaskStore
  readonly bus: WakeBus
  /** Undefined where nothing survives the process. */
  readonly links: SqliteLinks | undefined
  readonly push: Push
  close(): Promise<void>
}

export interface StateOptions {
  /** 'memory', or 'sqlite:<file>'. */
  readonly store: string
  /** Which addresses webhooks of callers may have. */
  readonly guard: GuardOptions
  readonly log: Log
}

const FILE = /^sqlite:(?!:memory:$)(.+)$/s

export async function openProxyState({ store, guard, log }: StateOptions): Promise<ProxyState> {
  const file = FILE.exec(store)?.[1]
  if (store !== 'memory' && file === undefined)
    // Two proxies on one database would both follow a task and tell its events twice.
    throw new ParleyError(
      'unknown-store',
      'The proxy keeps its tasks in memory or in sqlite:<file>; give one of them.',
      {
        exitCode: EXIT.usage,
      },
    )
  const backend = await openBackend(store)
  const tasks = await backend.openTasks()
  try {
    await tasks.hold?.({ onWaiting: (message) => log('warn', 'waiting-for-store', { message }) })
  } catch (error) {
    await tasks.close()
    throw error
  }
  const bus = await backend.openBus()
  const kept = file === undefined ? undefined : await backend.openLinks()
  const links = kept instanceof SqliteLinks ? kept : undefined
  const push = await Push.open({ tasks, bus, clock: systemClock(), backend, options: {}, guard, log })
  push.start()
  return {
    ...{ tasks, bus, links, push },
    async close() {
      await push.close(0)
      await links?.close()
      await bus.close()
      await tasks.close()
    },
  }
}
