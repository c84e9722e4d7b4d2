// What `npm test` judges of a long list of agents, and what it leaves to `npm run test:judge`.

import type { BaseName } from './bases.ts'

/** Every nth of them, and the first of every base. */
export function someOf<T extends { of: BaseName }>(all: readonly T[], every: number): { some: T[]; others: T[] } {
  const isChosen = (one: T, at: number) => at % every === 0 || all.findIndex(({ of }) => of === one.of) === at
  return { some: all.filter(isChosen), others: all.filter((one, at) => !isChosen(one, at)) }
}
