// Everything a PostgreSQL database holds, over one pool; only LISTEN has a connection of its own.

import type { TaskStore } from '../../store/task-store.ts'
import { isPassingRefusal, waitForStart } from '../../store/wait-for-start.ts'
import { type Backend, type BackendOptions, openOnly } from '../backend.ts'
import { openPostgresBus } from './bus.ts'
import { Database, type PostgresOptions } from './database.ts'
import { PostgresLinks } from './links.ts'
import { PostgresPushStore } from './push.ts'
import { openPostgresTasks } from './tasks.ts'

export async function openPostgresBackend(
  url: string,
  options: PostgresOptions & BackendOptions = {},
): Promise<Backend> {
  const db = await Database.open(url, options)
  const { schema } = options
  // The first claim of this process is a write, and the database may be busy with what its predecessor left.
  const started = <T>(open: () => Promise<T>) => waitForStart(open, isPassingRefusal, options)
  return {
    openTasks: () => started(() => openPostgresTasks(db, options.leaseMs, options.now)),
    openPush: async ({ now } = {}) => new PostgresPushStore(db, now),
    openBus: () => openPostgresBus(url, schema === undefined ? {} : { schema }),
    openLinks: () => started(() => PostgresLinks.open(db, options.leaseMs)),
    close: () => db.close(),
  }
}

/** The tasks alone. */
export function openPostgresStore(url: string, options: PostgresOptions = {}): Promise<TaskStore> {
  return openOnly(openPostgresBackend(url, options), (backend) => backend.openTasks())
}
