// The database that is this process.

import { openMemoryBus } from '../../bus/local-bus.ts'
import type { Backend, BackendOptions } from '../backend.ts'
import { openMemoryLinks } from './links.ts'
import { openMemoryPushStore } from './push.ts'
import { openMemoryStore } from './tasks.ts'

export async function openMemoryBackend({ memory, now }: BackendOptions = {}): Promise<Backend> {
  const tasks = openMemoryStore(now === undefined ? memory : { ...memory, now })
  return {
    openTasks: async () => tasks,
    openPush: async (push = {}) => openMemoryPushStore(tasks, push.now ?? push.clock),
    openBus: async () => openMemoryBus(),
    openLinks: async () => openMemoryLinks(tasks),
    close: () => tasks.close(),
  }
}
