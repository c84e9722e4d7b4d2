import { openMemoryPushStore } from '../../src/server/push/store/memory.ts'
import { openMemoryStore } from '../../src/server/store/memory/store.ts'
import { describePushStore } from './push-store.ts'

describePushStore('memory', async () => {
  const tasks = openMemoryStore()
  return { tasks, open: async (now) => openMemoryPushStore(tasks, now) }
})
