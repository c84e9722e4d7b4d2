// The reliability tests at their full size: minutes, much memory, and better on a machine of their own.

import { defineConfig } from 'vitest/config'
import { PROJECT } from './test/support/vitest-shared.ts'

export default defineConfig({
  test: {
    ...PROJECT,
    include: ['test/reliability/large/**/*.test.ts'],
    testTimeout: 900_000,
    hookTimeout: 900_000,
    pool: 'forks',
    fileParallelism: false,
  },
})
