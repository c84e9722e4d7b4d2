// Two projects: unit tests stand beside their file, share one module graph and open no database; what crosses rooms
// stands in test/ (test/README.md is its map), one process per file, with one PostgreSQL and one Redis per run.

import { defineConfig } from 'vitest/config'
import { PROJECT, RUN } from './test/support/vitest-shared.ts'

export default defineConfig({
  test: {
    ...RUN,
    projects: [
      { test: { ...PROJECT, name: 'unit', include: ['src/**/*.test.ts'], pool: 'threads', isolate: false } },
      {
        test: {
          ...PROJECT,
          name: 'integration',
          include: ['test/**/*.test.ts', 'interop/runner/*.test.ts'],
          exclude: ['test/*/large/**'],
          pool: 'forks',
          globalSetup: 'test/servers/run-servers.ts',
        },
      },
    ],
  },
})
