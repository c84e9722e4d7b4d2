// A judge who changes his mind is none: the same agent gets the same verdicts. Ten runs: same-verdicts.ts.

import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Serving, startParley } from '../support/parley-process.ts'
import { compareRuns } from './compare-runs.ts'

let server: Serving

beforeAll(async () => {
  server = await startParley(['serve'])
})
afterAll(() => server.stop())

test('two runs agree on every verdict', async () => {
  const { differences, verdicts } = await compareRuns(`${server.url}/spec`, 2)
  expect(verdicts).toBeGreaterThan(300)
  expect(differences).toEqual([])
}, 90_000)
