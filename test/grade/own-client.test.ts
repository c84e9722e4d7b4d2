// Parley's own client is the first that is graded: it keeps every claim, on every version and binding.

import { beforeAll, describe, expect, test } from 'vitest'
import { ownClient } from '../../src/grade/clients/own-client.ts'
import { type Grade, gradeClient } from '../../src/grade/grade.ts'
import { NOT_GRADED } from '../../src/grade/not-graded.ts'
import { SCENARIOS } from '../../src/grade/scenarios/all.ts'
import { registerOf } from '../../src/judge/register.ts'

/** Our client reads a card once for each connection, so that there is nothing to revalidate. */
const NEVER_MET = ['client-card-revalidates']

/** Each is cited by a claim, and every claim has a client that gets it wrong (mutants.test.ts). */
const REPORTED = [
  ...['a2a-js #640', 'a2a-js #641', 'a2a-js #705', 'a2a-js #714', 'a2a-js #734'],
  ...['a2a-python #502', 'a2a-python #540', 'a2a-python #1038', 'a2a-go #99', 'a2a-go #435'],
  ...['a2a-rs #79', 'a2a-rs #103', 'a2a-rs #186', 'a2a-rs #199', 'a2a-java #841', 'a2a-java #946', 'a2a-java #1004'],
  ...['adk-python #6680', 'openai-agents-python #3562', 'gemini-cli #22724', 'a2a-inspector #63'],
  ...['trpc-agent-go #2472', 'aisix #911', 'a2a-dotnet #331'],
]

const claims = SCENARIOS.flatMap((scenario) => scenario.claims)
let grade: Grade

beforeAll(async () => {
  grade = await gradeClient(ownClient(), { timeoutMs: 60_000 })
}, 180_000)

describe("Parley's own client", () => {
  test('keeps every claim', () => {
    const broken = grade.results.filter(({ verdict }) => verdict !== 'pass' && verdict !== 'not-measured')
    expect(broken.map(({ claim, surface, message }) => [claim.id, surface, message])).toEqual([])
  })

  test('is measured by every claim somewhere', () => {
    const met = new Set(grade.results.filter(({ verdict }) => verdict === 'pass').map(({ claim }) => claim.id))
    const missed = claims.map(({ id }) => id).filter((id) => !met.has(id))
    expect(missed).toEqual(NEVER_MET)
  })

  test('has spoken every version and binding', () => {
    const surfaces = new Set(grade.results.map(({ surface }) => `${surface.version}/${surface.binding}`))
    expect([...surfaces].sort()).toEqual([
      ...['0.1/jsonrpc', '0.3/grpc', '0.3/jsonrpc', '0.3/rest'],
      ...['1.0/grpc', '1.0/jsonrpc', '1.0/rest'],
    ])
  })
})

describe('the scenarios', () => {
  test('have names of their own, and claims as well', () => {
    const names = SCENARIOS.map(({ id }) => id)
    expect(new Set(names).size).toBe(names.length)
    expect(new Set(claims.map(({ id }) => id)).size).toBe(claims.length)
    expect(names.length).toBeGreaterThanOrEqual(70)
  })

  test('prove rows of the register that are about clients', () => {
    const { rows } = registerOf('1.0')
    const wrong = claims.flatMap(({ proves }) => proves).filter((id) => rows.get(id) === undefined)
    expect(wrong).toEqual([])
    expect(claims.filter(({ proves }) => proves.length === 0)).toEqual([])
  })

  test('show every fault that people reported of real clients', () => {
    const cited = new Set(claims.flatMap(({ cites = [] }) => cites))
    expect(REPORTED.filter((report) => !cited.has(report))).toEqual([])
  })

  test('prove every row about clients, or it is said why not', () => {
    const about = [...registerOf('1.0').rows.values()].filter(({ side }) => side === 'client').map(({ id }) => id)
    const proved = new Set(claims.flatMap(({ proves }) => proves))
    expect(about.filter((id) => !proved.has(id))).toEqual(about.filter((id) => NOT_GRADED[id] !== undefined))
    expect(Object.keys(NOT_GRADED).filter((id) => !about.includes(id))).toEqual([])
  })
})
