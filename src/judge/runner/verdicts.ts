// Every verdict a result can have, as a list: what counts them and what describes a file of them need the same one.

import type { Verdict } from './result.ts'

export const VERDICTS = [
  'pass',
  'fail',
  'warn',
  'info',
  'spec-conflict',
  'not-applicable',
  'not-measured',
  'known',
  'harness-error',
] as const satisfies readonly Verdict[]
