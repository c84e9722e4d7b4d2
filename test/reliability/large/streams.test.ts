// Subscribers, stalled readers and overload at full size.

import { describeStreamOrder } from '../stream-order.ts'
import { describeStreams } from '../streams.ts'

describeStreams({
  idle: 5_000,
  sharers: 1_000,
  stopped: 1_000,
  stalled: { readers: 50, events: 3_000 },
  overload: { clients: 400, seconds: 30 },
})

describeStreamOrder({ tasks: 100, eventsEach: 200, longStream: 50_000, disconnects: 200 })
