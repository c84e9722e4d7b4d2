// R12: every id a request can carry, of every operation, over each binding in each generation, one character too long.

import { afterAll, beforeAll, expect, test } from 'vitest'
import { LEGACY_CARD, PUSH_CARD } from '../../src/agents/cards.ts'
import { specAgent } from '../../src/agents/spec.ts'
import type { BindingId, DialectId } from '../../src/dialects/dialect.ts'
import { dialectById } from '../../src/dialects/index.ts'
import { MAX_ID_LENGTH, MAX_TOKEN_LENGTH } from '../../src/model/ids.ts'
import type { Operation, OperationRequest } from '../../src/model/operation.ts'
import { type A2AServer, createServer } from '../../src/server/server.ts'
import { callRaw, rpcCall, type WireCall, wireCalls } from './wire-calls.ts'

const LONG = 'x'.repeat(MAX_ID_LENGTH + 1)
const LONG_TOKEN = 'x'.repeat(MAX_TOKEN_LENGTH + 1)
const url = 'https://example.com/hook'

function sending(ids: object, rest: object = {}): OperationRequest<'sendMessage'> {
  return { message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'slow 1' }], ...ids }, ...rest }
}

const MESSAGES: readonly OperationRequest<'sendMessage'>[] = [
  sending({ messageId: LONG }),
  sending({ taskId: LONG }),
  sending({ contextId: LONG }),
  sending({ referenceTaskIds: ['t', LONG] }),
  sending({}, { tenant: LONG }),
  sending({}, { clientTaskId: LONG }),
  sending({}, { configuration: { taskPushNotificationConfig: { url, id: LONG } } }),
]

type Requests = { [O in Operation]?: readonly OperationRequest<O>[] }

const REQUESTS: Requests = {
  sendMessage: MESSAGES,
  streamMessage: MESSAGES,
  getTask: [{ id: LONG }, { id: 't', tenant: LONG }],
  listTasks: [{ contextId: LONG }, { pageToken: LONG_TOKEN }, { tenant: LONG }],
  cancelTask: [{ id: LONG }, { id: 't', tenant: LONG }],
  subscribeTask: [{ id: LONG }],
  createPushConfig: [
    { url, taskId: LONG },
    { url, taskId: 't', id: LONG },
  ],
  getPushConfig: [
    { taskId: LONG, id: 'c' },
    { taskId: 't', id: LONG },
  ],
  listPushConfigs: [{ taskId: LONG }, { taskId: 't', tenant: LONG }],
  deletePushConfig: [
    { taskId: LONG, id: 'c' },
    { taskId: 't', id: LONG },
  ],
}

let server: A2AServer
let base: string
beforeAll(async () => {
  const { extendedAgentCard: _none, ...capabilities } = PUSH_CARD.capabilities
  server = createServer({
    agents: [
      { path: '/', card: { ...PUSH_CARD, capabilities }, agent: specAgent },
      { path: '/legacy', card: LEGACY_CARD, agent: specAgent, dialects: ['0.1'] },
    ],
  })
  base = (await server.listen()).url
})
afterAll(() => server.close({ graceMs: 0 }))

/** The calls of an operation that really carry the long id: not every generation has a place for each. */
function callsOf(dialect: DialectId, binding: BindingId, op: Operation): WireCall[] {
  const requests = (REQUESTS[op] ?? []) as readonly OperationRequest<Operation>[]
  return requests
    .flatMap((request) => wireCalls(dialectById(dialect), binding, op, request))
    .filter(({ path, body }) => path.includes(LONG) || body.includes(LONG))
}

const PLACES: readonly [DialectId, BindingId, number][] = [
  ['1.0', 'jsonrpc', 28],
  ['1.0', 'rest', 29],
  ['0.3', 'jsonrpc', 15],
  ['0.3', 'rest', 15],
  ['0.1', 'jsonrpc', 6],
]

test.each(PLACES)('%s over %s refuses ids that are too long, with the limit', async (dialect, binding, least) => {
  const at = base + (dialect === '0.1' ? '/legacy' : '')
  const calls = (Object.keys(REQUESTS) as Operation[]).flatMap((op) => callsOf(dialect, binding, op))
  expect(calls.length).toBeGreaterThanOrEqual(least)
  for (const call of calls) {
    const { status, body } = await callRaw(at, call)
    const told = `${call.name} ${call.path.slice(0, 80)} ${call.body.slice(0, 200)}: ${status} ${body.slice(0, 300)}`
    expect(body, told).toMatch(/must have at most (256|1024) characters, not (257|1025)/)
    if (binding === 'jsonrpc') expect(body, told).toContain('"code":-32602')
    else expect(status, told).toBe(400)
  }
})

test.each<DialectId>(['1.0', '0.3', '0.1'])('%s refuses a JSON-RPC id that is too long', async (id) => {
  const dialect = dialectById(id)
  const call = rpcCall(dialect, dialect.methods.getTask ?? '', { id: 't' })
  const body = call.body.replace('"id":1', `"id":"${LONG}"`)
  const answer = await callRaw(base + (id === '0.1' ? '/legacy' : ''), { ...call, body })
  expect(JSON.parse(answer.body)).toMatchObject({ id: null, error: { code: -32600 } })
  expect(answer.body).toContain('at most 256 characters')
})

test('an id of the greatest length is an id', async () => {
  const [call] = wireCalls(dialectById('1.0'), 'rest', 'getTask', { id: 'x'.repeat(MAX_ID_LENGTH) })
  if (call === undefined) throw new Error('expected a route')
  expect((await callRaw(base, call)).status).toBe(404)
})
