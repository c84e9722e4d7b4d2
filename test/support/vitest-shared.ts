// What all suites have in common, whichever command runs them.

import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { LongestFirst } from './longest-first.ts'

// Every test file and every command a test starts is a process of its own: what one has compiled, the next ones read.
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, '../../node_modules/.cache/compiled')

/** Of a whole run. Twice as many files as cores: half of their time they wait for a browser, a database or a deadline. */
export const RUN = {
  maxWorkers: 2 * availableParallelism(),
  sequence: { sequencer: LongestFirst },
}

/** Of each project. */
export const PROJECT = {
  testTimeout: 20_000,
  hookTimeout: 30_000,
  // Node runs the sources as they stand, in the tests as for the user; Vite's own loader takes several times as long.
  experimental: { viteModuleRunner: false, nodeLoader: false },
}
