// Two projects. Unit tests stand beside their file, share one module graph and open no database. What crosses rooms stands
// in test/ (test/README.md is its map), with one PostgreSQL, one Redis and one Chromium per run: files that run one after the other
// share a process, so that the sources are loaded once and not a hundred and fifty times.

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
          isolate: false,
          globalSetup: 'test/servers/run-servers.ts',
        },
      },
    ],
  },
})
