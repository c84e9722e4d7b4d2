import { openMemoryBackend } from '../../src/server/backend/memory/backend.ts'
import { describeBackend } from '../../src/testing/index.ts'

describeBackend('memory', openMemoryBackend)
