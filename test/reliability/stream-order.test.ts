// The order of streams at the size that fits into every test run.

import { describeStreamOrder } from './stream-order.ts'

describeStreamOrder({ tasks: 10, eventsEach: 200, longStream: 10_000, disconnects: 40 })
