// Everything a SQLite file holds, over one connection. Other processes may look into the file, but only one serves it,
// so readers are woken inside the process.

import { openMemoryBus } from '../../bus/local-bus.ts'
import type { TaskStore } from '../../store/task-store.ts'
import { type Backend, type BackendOptions, openOnly } from '../backend.ts'
import { SqliteFile, type SqliteOptions } from './database.ts'
import { SqliteLinks } from './links.ts'
import { openSqlitePush } from './push.ts'
import { SqliteTaskStore } from './tasks.ts'

export async function openSqliteBackend(path: string, options: SqliteOptions & BackendOptions = {}): Promise<Backend> {
  const file = new SqliteFile(path, options)
  return {
    openTasks: async () => new SqliteTaskStore(file, options.now),
    openPush: async (push) => openSqlitePush(file, push),
    openBus: async () => openMemoryBus(),
    openLinks: async () => new SqliteLinks(file),
    close: async () => file.close(),
  }
}

/** The tasks alone. */
export function openSqliteStore(path: string, options: SqliteOptions = {}): Promise<TaskStore> {
  return openOnly(openSqliteBackend(path, options), (backend) => backend.openTasks())
}
