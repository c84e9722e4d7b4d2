// The judge tells right from wrong over gRPC: nothing is held against the correct agent, every mutant fails the checks it is for,
// and every row of the register that is about gRPC is proved on one of them or excluded with a reason.

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { allChecks } from '../../src/judge/checks/all.ts'
import { certify, resultsOf } from '../../src/judge/index.ts'
import { exclusions, registerOf } from '../../src/judge/register.ts'
import type { JsonObject } from '../../src/model/json.ts'
import { type BaseName, judgeOptions, startBases } from './bases.ts'
import { grpcMutants } from './grpc-mutants.ts'
import { editJson, type GrpcMutation, startGrpcMutant } from './grpc-proxy.ts'

let bases: Awaited<ReturnType<typeof startBases>>

beforeAll(async () => {
  bases = await startBases({ grpc: true })
})

afterAll(() => bases.close())

async function verdicts(base: BaseName, mutation: GrpcMutation, only: readonly string[]) {
  const mutant = await startGrpcMutant(`${bases.url}/${base}`, bases.grpcPortOf(base), mutation)
  const options = { ...judgeOptions(base), transports: ['grpc'] as const, timeoutMs: 2_000 }
  try {
    const report = await certify(mutant.url, { ...options, transports: ['grpc'], only: [...only] })
    const results = Object.values(report.categories).flat()
    return new Map(results.map(({ test: id, verdict, message = '' }) => [id, `${verdict} ${message}`]))
  } finally {
    mutant.close()
  }
}

const USED = [...new Set(grpcMutants.map(({ base }) => base))]

test.for(USED)('nothing is held against the correct agent %s', async (base) => {
  const checks = [...new Set(grpcMutants.filter((each) => each.base === base).flatMap(({ noticedBy }) => noticedBy))]
  const found = await verdicts(base, {}, [...checks, 'send-result'])
  expect(checks.map((id) => `${id}: ${found.get(id)?.split(' ')[0]}`)).toEqual(checks.map((id) => `${id}: pass`))
})

test('nothing is held against whom callers must show their credentials', async () => {
  const areas = ['security', 'isolation', 'permissions', 'extended-card']
  const found = await verdicts('secured', {}, areas)
  const wrong = [...found].filter(([, verdict]) => /^(fail|warn)/.test(verdict))
  expect(wrong).toEqual([])
  expect([...found.values()].filter((verdict) => verdict.startsWith('pass')).length).toBeGreaterThan(10)
})

describe('a mutant is noticed', () => {
  test.for(grpcMutants)('$name: $story', async ({ base, mutation, noticedBy, beside = [] }) => {
    const found = await verdicts(base, mutation, [...noticedBy, ...beside])
    for (const id of noticedBy) expect(`${id}: ${found.get(id)}`).toMatch(/: (fail|warn)/)
  })
})

describe('an agent with three bindings', () => {
  const SAME = ['equivalence-results', 'equivalence-cancel', 'equivalence-operations', 'equivalence-errors']

  /** The correct agent over JSON-RPC and REST, the mutant of it over gRPC; what was said about each binding. */
  async function compared(reply: GrpcMutation['reply']) {
    const at = `${bases.url}/push`
    const mutation: GrpcMutation = {
      ...(reply === undefined ? {} : { reply }),
      card(card) {
        const json = ['JSONRPC', 'HTTP+JSON'].map((protocolBinding) => ({
          ...{ url: at, protocolBinding, protocolVersion: '1.0' },
        }))
        card.supportedInterfaces = [...json, ...(card.supportedInterfaces as JsonObject[])]
      },
    }
    const mutant = await startGrpcMutant(at, bases.grpcPortOf('push'), mutation)
    const report = await certify(mutant.url, { ...judgeOptions('push'), timeoutMs: 2_000, only: SAME })
    mutant.close()
    return new Map(resultsOf(report).map(({ key, verdict }) => [key, verdict]))
  }

  test('has them compared with each other', async () => {
    const found = await compared(undefined)
    const keys = SAME.flatMap((id) => ['jsonrpc', 'rest', 'grpc'].map((binding) => `${id}@1.0/${binding}`))
    expect(keys.map((key) => `${key} ${found.get(key)}`)).toEqual(keys.map((key) => `${key} pass`))
  })

  test('is told when gRPC shows another task, and only then', async () => {
    const found = await compared((each) => {
      if (each.rpc === 'GetTask') editJson(each, (task) => ({ ...task, contextId: 'another' }))
    })
    expect(found.get('equivalence-results@1.0/grpc')).not.toBe('pass')
    expect(found.get('equivalence-results@1.0/rest')).toBe('pass')
  })

  test('is told when gRPC knows another error', async () => {
    const found = await compared((each) => {
      if (each.rpc !== 'CancelTask' || each.trailers?.['grpc-status'] !== '9') return
      each.trailers = { 'grpc-status': '2', 'grpc-message': 'no' }
    })
    expect(found.get('equivalence-errors@1.0/grpc')).not.toBe('pass')
    expect(found.get('equivalence-errors@1.0/jsonrpc')).toBe('pass')
  })
})

/** The address of an interface is words of the card; test/mutants/claim-mutants.ts has the mutant. */
const PROVED_BY_THE_CARD = ['grpc-tls']

test('every row about gRPC is proved on a mutant or excluded', () => {
  const rows = [...registerOf('1.0').rows.values()].filter(({ binding }) => binding === 'grpc')
  const noticing = new Set(grpcMutants.flatMap(({ noticedBy }) => noticedBy))
  const proved = new Set(
    allChecks()
      .filter(({ id }) => noticing.has(id))
      .flatMap(({ meta }) => meta.proves),
  )
  const excluded = exclusions()
  const open = rows.filter(({ id, side }) => side === 'server' && !proved.has(id) && !excluded.has(id))
  expect(rows).toHaveLength(26)
  expect(open.map(({ id }) => id)).toEqual(PROVED_BY_THE_CARD)
})
