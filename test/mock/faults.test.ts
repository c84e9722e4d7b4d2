// Every fault of the catalogue against three clients, ours and the official JavaScript SDK's of 1.0 and of 0.3, streaming
// and not, over JSON-RPC and over gRPC. What each client did is kept in fault-reactions.txt: a change there is a change in behaviour.

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { A2AClient } from '../../src/client/index.ts'
import { FAULT_NAMES, type FaultName } from '../../src/mock/faults/catalogue.ts'
import { createMockAgent, type MockAgent } from '../../src/mock/index.ts'
import {
  FAULT_PARAMS,
  FAULT_SCRIPT,
  ourGrpcStream,
  ourGrpcUnary,
  ourStream,
  ourUnary,
  sdk03Stream,
  sdk03Unary,
  sdkGrpcStream,
  sdkGrpcUnary,
  sdkStream,
  sdkUnary,
} from '../peers/fault-reactions.ts'

let mock: MockAgent
beforeAll(async () => {
  mock = await createMockAgent({ scriptText: FAULT_SCRIPT }).start({ grpcPort: 0 })
})
afterAll(() => mock.stop())
beforeEach(() => mock.reset())

const rows: string[] = []

describe('each fault', () => {
  test.each(FAULT_NAMES)('%s acts, and all clients react', async (name) => {
    const probes = [
      ['ours, one answer', ourUnary, ''],
      ['ours, stream', ourStream, ''],
      ['SDK 1.3, one answer', sdkUnary, ''],
      ['SDK 1.3, stream', sdkStream, ''],
      ['SDK 0.3, one answer', sdk03Unary, '/v0.3'],
      ['SDK 0.3, stream', sdk03Stream, '/v0.3'],
      ['ours, gRPC', ourGrpcUnary, ''],
      ['ours, gRPC stream', ourGrpcStream, ''],
      ['SDK 1.3, gRPC', sdkGrpcUnary, ''],
      ['SDK 1.3, gRPC stream', sdkGrpcStream, ''],
    ] as const
    for (const [who, probe, path] of probes) {
      mock.reset()
      mock.inject({ do: name, ...(FAULT_PARAMS[name] === undefined ? {} : { with: FAULT_PARAMS[name] }) })
      const reaction = await probe(mock.url + path)
      rows.push(`${name.padEnd(26)}${who.padEnd(21)}${reaction}`)
      const struck = mock.requests().filter(({ fault }) => fault === name)
      expect(struck.length, `${name} struck a request of ${who}`).toBeGreaterThan(0)
    }
  })

  test('the reactions are the known ones', async () => {
    const table = `Each fault of the mock against our client and those of the official JavaScript SDK 1.3 and 0.3.14.\n\n${rows.join('\n')}\n`
    await expect(table).toMatchFileSnapshot('fault-reactions.txt')
  })
})

describe('what SSE allows is no fault to a reader', () => {
  const whole = 'submitted, working, artifact, working, completed, end'
  test.each<FaultName>(['sse-crlf', 'sse-comments', 'sse-multiline-data', 'sse-split-utf8', 'slow-drip'])(
    '%s',
    async (name) => {
      mock.inject({ do: name, ...(FAULT_PARAMS[name] === undefined ? {} : { with: FAULT_PARAMS[name] }) })
      expect(await ourStream(mock.url)).toBe(whole)
    },
  )
})

test('a fault strikes only where and as often as it is told to', async () => {
  mock.inject({ do: 'reset', at: { rule: 'work', turn: 0, afterEvent: 2 }, count: 1 })
  mock.inject({ do: 'http-status', with: { status: 500 }, at: { operation: 'getTask' }, after: 1 })
  expect(await ourStream(mock.url)).toMatch(/^submitted, working, error/)
  expect(await ourStream(mock.url)).toMatch(/completed, end$/)
  using client = await A2AClient.connect(mock.url, { transports: ['rest'] })
  const { tasks } = await client.listTasks({})
  const id = tasks[0]?.id ?? ''
  await expect(client.getTask({ id })).resolves.toMatchObject({ id })
  await expect(client.getTask({ id })).rejects.toThrow()
})
