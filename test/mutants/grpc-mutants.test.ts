// The judge tells right from wrong over gRPC: nothing is held against the correct agent, every mutant fails the checks it is for.

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { SPEC_CARD } from '../../src/agents/cards.ts'
import { specAgent } from '../../src/agents/spec.ts'
import { certify } from '../../src/judge/index.ts'
import { type A2AServer, createServer } from '../../src/server/index.ts'
import { grpcMutants } from './grpc-mutants.ts'
import { type GrpcMutation, startGrpcMutant } from './grpc-proxy.ts'

let server: A2AServer
let url = ''

beforeAll(async () => {
  const capabilities = { ...SPEC_CARD.capabilities, pushNotifications: true }
  server = createServer({
    ...{ card: { ...SPEC_CARD, capabilities }, agent: specAgent, dialects: ['1.0'] },
    ...{ grpc: true, allowPrivateWebhooks: true },
  })
  ;({ url } = await server.listen())
})

afterAll(() => server.close({ graceMs: 0 }))

async function verdicts(mutation: GrpcMutation, only: readonly string[]) {
  const mutant = await startGrpcMutant(url, server.grpc[0]?.port ?? 0, mutation)
  try {
    const report = await certify(mutant.url, { only: [...only], transports: ['grpc'], timeoutMs: 2_000 })
    const results = Object.values(report.categories).flat()
    return new Map(results.map(({ test: id, verdict, message = '' }) => [id, `${verdict} ${message}`]))
  } finally {
    mutant.close()
  }
}

const CHECKS = [...new Set(grpcMutants.flatMap(({ noticedBy }) => noticedBy))]

test('nothing is held against the correct agent', async () => {
  const found = await verdicts({}, [...CHECKS, 'send-result'])
  expect(CHECKS.map((id) => `${id}: ${found.get(id)?.split(' ')[0]}`)).toEqual(CHECKS.map((id) => `${id}: pass`))
})

describe('a mutant is noticed', () => {
  test.for(grpcMutants)('$name: $story', async ({ mutation, noticedBy, beside = [] }) => {
    const found = await verdicts(mutation, [...noticedBy, ...beside])
    for (const id of noticedBy) expect(`${id}: ${found.get(id)}`).toMatch(/: (fail|warn)/)
  })
})
