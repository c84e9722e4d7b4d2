// Two projects: unit tests stand beside their file, share one module graph and open no database; what crosses rooms
// stands in test/ (test/README.md is its map), one process per file, with one PostgreSQL and one Redis per run.

import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { LongestFirst } from './test/support/longest-first.ts'

// Every test file and every command a test starts is a process of its own: what one has compiled, the next ones read.
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, 'node_modules/.cache/compiled')

const shared = {
  testTimeout: 20_000,
  hookTimeout: 30_000,
  // Node runs the sources as they stand, in the tests as for the user; Vite's own loader takes several times as long.
  experimental: { viteModuleRunner: false, nodeLoader: false },
}

export default defineConfig({
  test: {
    // Vitest would leave one core free, which is half of a machine with two.
    maxWorkers: Math.max(2, availableParallelism()),
    sequence: { sequencer: LongestFirst },
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
