// The judge against every mutant and every fault that `npm test` leaves out: minutes. These files compute rather than wait, and
// the judge gives an agent seconds to answer, so fewer of them run at once.

import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { PROJECT, RUN } from './test/support/vitest-shared.ts'

export default defineConfig({
  test: {
    ...RUN,
    ...PROJECT,
    maxWorkers: Math.ceil(1.5 * availableParallelism()),
    include: ['test/{judge,mutants}/large/**/*.test.ts'],
    pool: 'forks',
  },
})
