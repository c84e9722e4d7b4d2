// Every claim is proved by a client that breaks it: the claim notices, and the client is blamed for nothing else.

import { describe, expect, test } from 'vitest'
import { playScenario } from '../../src/grade/run-scenario.ts'
import { JSONRPC_1, type Scenario, type Surface } from '../../src/grade/scenario.ts'
import { SCENARIOS } from '../../src/grade/scenarios/all.ts'
import { type Mutant, mutantClient } from './mutants/mutant.ts'
import { OF_ANSWERS } from './mutants/of-answers.ts'
import { OF_GRPC } from './mutants/of-grpc.ts'
import { OF_REQUESTS } from './mutants/of-requests.ts'
import { OF_TRUST } from './mutants/of-trust.ts'

const MUTANTS = [...OF_REQUESTS, ...OF_ANSWERS, ...OF_GRPC, ...OF_TRUST]

/** Claims without a mutant, and why. */
const WITHOUT: Readonly<Record<string, string>> = {
  'client-neighbour-address': 'is recorded for information and holds either way',
}

function scenarioOf(claim: string): Scenario {
  const found = SCENARIOS.find(({ claims }) => claims.some(({ id }) => id === claim))
  if (found === undefined) throw new Error(`There is no claim ${claim}.`)
  return found
}

async function blamed({ on = JSONRPC_1, ...scenario }: Scenario, mutant: Mutant): Promise<string[]> {
  const [surface] = on as readonly [Surface]
  const playing = { client: mutantClient(mutant), timeoutMs: 20_000, signal: new AbortController().signal }
  const results = await playScenario({ on, ...scenario }, surface, playing)
  return results.filter(({ verdict }) => ['fail', 'warn', 'info'].includes(verdict)).map(({ claim }) => claim.id)
}

describe('a client that', () => {
  test.each(MUTANTS.map((mutant) => [mutant.id, mutant] as const))('%s', async (_, mutant) => {
    const { breaks, also = [] } = mutant
    const claims = await blamed(scenarioOf(breaks), mutant)
    expect(claims).toContain(breaks)
    expect(claims.filter((id) => id !== breaks && !also.includes(id))).toEqual([])
  })
})

test('there are at least 120 of them', () => {
  expect(new Set(MUTANTS.map(({ id }) => id)).size).toBe(MUTANTS.length)
  expect(MUTANTS.length).toBeGreaterThanOrEqual(120)
})

test('every claim has a mutant, or a reason why not', () => {
  const proved = new Set(MUTANTS.map(({ breaks }) => breaks))
  const claims = SCENARIOS.flatMap((scenario) => scenario.claims.map(({ id }) => id))
  expect(claims.filter((id) => !proved.has(id) && WITHOUT[id] === undefined)).toEqual([])
})
