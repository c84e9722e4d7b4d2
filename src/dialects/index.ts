// All generations Parley speaks, newest first.

import type { Dialect, DialectId } from './dialect.ts'
import { v0_1 } from './v0_1/dialect.ts'
import { v0_3 } from './v0_3/dialect.ts'
import { v1_0 } from './v1_0/dialect.ts'

const BY_ID: Readonly<Record<DialectId, Dialect>> = { '1.0': v1_0, '0.3': v0_3, '0.1': v0_1 }

export const DIALECTS: readonly Dialect[] = [v1_0, v0_3, v0_1]

export function dialectById(id: DialectId): Dialect {
  return BY_ID[id]
}
