import { openMemoryStore } from '../../src/server/store/memory/store.ts'
import { describeTaskStore } from './task-store.ts'

describeTaskStore('memory', async () => openMemoryStore())
