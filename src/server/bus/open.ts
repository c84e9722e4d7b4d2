// The bus that fits a store: replicas that share a database wake each other through it.

import { openMemoryBus } from './memory/bus.ts'
import type { WakeBus } from './wake-bus.ts'

/** `storeSpec` as given to openStore, and already known to be good. */
export async function openBus(storeSpec: string): Promise<WakeBus> {
  if (/^postgres(ql)?:\/\//.test(storeSpec)) return (await import('./postgres/bus.ts')).openPostgresBus(storeSpec)
  if (/^rediss?:\/\//.test(storeSpec)) return (await import('./redis/bus.ts')).openRedisBus(storeSpec)
  return openMemoryBus()
}
