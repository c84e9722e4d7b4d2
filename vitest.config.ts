// Two projects: unit tests stand beside their file, share one module graph and open no database; what crosses rooms
// stands in test/ (test/README.md is its map), one process per file, with one PostgreSQL and one Redis per run.

import { defineConfig } from 'vitest/config'

const shared = { testTimeout: 20_000, hookTimeout: 30_000 }

export default defineConfig({
  test: {
    projects: [
      { test: { ...shared, name: 'unit', include: ['src/**/*.test.ts'], pool: 'threads', isolate: false } },
      {
        test: {
          ...shared,
          name: 'integration',
          include: ['test/**/*.test.ts', 'interop/runner/*.test.ts'],
          exclude: ['test/reliability/large/**'],
          pool: 'forks',
          globalSetup: 'test/servers/run-servers.ts',
        },
      },
    ],
  },
})
