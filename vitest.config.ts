// Three projects. Unit tests stand beside their file, share one module graph and open no database. What crosses rooms stands
// in test/ (test/README.md is its map), with one PostgreSQL and one Redis per run: files that run one after the other share a
// process, so that the sources are loaded once and not a hundred and fifty times. Those in a browser have processes of their own.

import { defineConfig } from 'vitest/config'
import { PROJECT, RUN } from './test/support/vitest-shared.ts'

const SERVED = { ...PROJECT, pool: 'forks', globalSetup: 'test/servers/run-servers.ts' } as const

export default defineConfig({
  test: {
    ...RUN,
    projects: [
      { test: { ...PROJECT, name: 'unit', include: ['src/**/*.test.ts'], pool: 'threads', isolate: false } },
      {
        test: {
          ...SERVED,
          name: 'integration',
          include: ['test/**/*.test.ts', 'interop/runner/*.test.ts'],
          exclude: ['test/*/large/**', 'test/browser/**'],
          isolate: false,
        },
      },
      { test: { ...SERVED, name: 'browser', include: ['test/browser/**/*.test.ts'] } },
    ],
  },
})
