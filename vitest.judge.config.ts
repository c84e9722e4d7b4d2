// The judge against every mutant and every fault that `npm test` leaves out: minutes.

import { defineConfig } from 'vitest/config'
import { PROJECT, RUN } from './test/support/vitest-shared.ts'

export default defineConfig({
  test: { ...RUN, ...PROJECT, include: ['test/{judge,mutants}/large/**/*.test.ts'], pool: 'forks' },
})
