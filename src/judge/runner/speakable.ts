// The generations the judge can speak.

import type { Dialect, DialectId } from '../../dialects/dialect.ts'
import { DIALECTS } from '../../dialects/index.ts'

export function dialectOf(id: DialectId): Dialect | undefined {
  return DIALECTS.find((dialect) => dialect.id === id)
}
