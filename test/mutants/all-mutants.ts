// Every mutant there is.

import { callerMutants } from './caller-mutants.ts'
import { cardMutants } from './card-mutants.ts'
import { envelopeMutants } from './envelope-mutants.ts'
import { listMutants } from './list-mutants.ts'
import type { Mutant } from './mutant.ts'
import { olderMutants } from './older-mutants.ts'
import { pushMutants } from './push-mutants.ts'
import { allStreamMutants } from './stream-mutants.ts'
import { taskMutants } from './task-mutants.ts'

export const allMutants: readonly Mutant[] = [
  ...cardMutants,
  ...envelopeMutants,
  ...taskMutants,
  ...listMutants,
  ...allStreamMutants,
  ...pushMutants,
  ...callerMutants,
  ...olderMutants,
]
