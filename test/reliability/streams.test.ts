// The stream tests at the size that fits into every test run.

import { vi } from 'vitest'
import { describeStreams } from './streams.ts'

vi.setConfig({ testTimeout: 90_000 })

describeStreams({
  idle: 500,
  sharers: 1_000,
  stopped: 1_000,
  stalled: { readers: 20, events: 2_000 },
  overload: { clients: 80, seconds: 2 },
})
