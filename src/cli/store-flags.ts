// How a command's database is opened, beside --store: the same flags wherever tasks are kept.

import { type Command, Option } from 'commander'
import { duration } from './flag-values.ts'

export interface StoreFlags {
  storeSync?: 'normal' | 'full'
  allowVolatile?: boolean
  lease?: number
}

/** `leaseHelp`: what the others do when a process dies. */
export function addStoreOptions(command: Command, leaseHelp: string): void {
  command
    .addOption(
      new Option('--store-sync <level>', 'full: what was answered survives a power failure, too').choices([
        'normal',
        'full',
      ]),
    )
    .option('--allow-volatile', 'accept a Redis store without persistence')
    .option('--lease <duration>', leaseHelp, duration('--lease', 100))
}
