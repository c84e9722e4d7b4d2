// Whose bytes are wrong, where a stream was cut.

import { expect, test } from 'vitest'
import type { HttpExchange } from '../trace/exchange.ts'
import { firstFault } from './blame.ts'

const params = { message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'hello' }] } }

function answeredWith(body: string): HttpExchange {
  const { response: _cut, ...exchange } = cutAfter('')
  const headers = [['content-type', 'application/json']] as const
  return { ...exchange, response: { status: 200, headers, body: Buffer.from(body) } }
}

function cutAfter(body: string): HttpExchange {
  const call = { jsonrpc: '2.0', id: 1, method: 'SendStreamingMessage', params }
  return {
    id: 'call-1',
    startedAt: '2026-01-01T00:00:00.000Z',
    request: {
      ...{ method: 'POST', url: 'http://127.0.0.1:9/' },
      headers: [['content-type', 'application/json']],
      body: Buffer.from(JSON.stringify(call)),
    },
    response: {
      ...{ status: 200, headers: [['content-type', 'text/event-stream']], body: Buffer.from(body) },
      incomplete: 'the client left',
    },
  }
}

const EVENT = 'data: {"jsonrpc":"2.0","id":1,"result":{"task":{"id":"t","status":{"timestamp":"yesterday"}}}}'

test.each([
  ['a whole event before the cut is the server’s', `${EVENT}\n\n`, 'server'],
  ['half an event is no fault', EVENT.slice(0, 60), undefined],
])('%s', (_, body, blame) => {
  expect(firstFault([cutAfter(body)], { version: '1.0', binding: 'jsonrpc' }, '')?.blame).toBe(blame)
})

test('an answer with an id of another type is the server’s', () => {
  const found = firstFault(
    [answeredWith('{"jsonrpc":"2.0","id":"1","result":{}}')],
    { version: '1.0', binding: 'jsonrpc' },
    '',
  )
  expect(found).toMatchObject({ blame: 'server', why: 'the answer has the id "1", not 1' })
})

test('a card is looked for wherever it may be', () => {
  const { request, ...rest } = cutAfter('')
  const url = 'http://127.0.0.1:9/agents/one/.well-known/agent-card.json'
  const card = { ...rest, request: { ...request, method: 'GET', url, body: Buffer.alloc(0) } }
  expect(firstFault([card], { version: '1.0', binding: 'jsonrpc' }, '/elsewhere')).toBeUndefined()
})
