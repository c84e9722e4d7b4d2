// The reliability tests at their full size: minutes, much memory, and better on a machine of their own.

import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/reliability/large/**/*.test.ts'],
    testTimeout: 900_000,
    hookTimeout: 900_000,
    pool: 'forks',
    fileParallelism: false,
  },
})
