// `a2a-parley/testing`: what a store has to do, as suites for vitest. Whoever writes a store of their own runs them from a
// test file of their own:
//
//   describeBackend('mine', () => openMyBackend('…'))

import type { Backend, BackendOptions } from '../server/backend/backend.ts'
import { describeLinkStore } from './link-store.ts'
import { describePushStore } from './push-store.ts'
import { describeRetention } from './retention.ts'
import { describeTaskLists } from './task-lists.ts'
import { describeTaskStore } from './task-store.ts'
import { describeWakeBus } from './wake-bus.ts'

export type { Backend, BackendOptions } from '../server/backend/backend.ts'
export {
  describeLinkStore,
  describePushStore,
  describeRetention,
  describeTaskLists,
  describeTaskStore,
  describeWakeBus,
}

/** All suites; each test gets a database of its own from `open`. */
export function describeBackend(name: string, open: (options: BackendOptions) => Promise<Backend>): void {
  describeTaskStore(name, open)
  describeTaskLists(name, open)
  describeRetention(name, open)
  describePushStore(name, open)
  describeLinkStore(name, open)
  describeWakeBus(name, open)
}
