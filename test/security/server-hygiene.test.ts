// Whatever arrives, the served agents answer with a protocol error of the right kind: never a crash, never a 500.

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { referenceAgents } from '../../src/agents/reference.ts'
import { type A2AServer, createServer } from '../../src/server/server.ts'

let server: A2AServer
let url: string
const logged: string[] = []

beforeAll(async () => {
  const relay = { target: undefined, allowsChosenTargets: false, forward: () => Promise.reject(new Error('no relay')) }
  server = createServer({ agents: referenceAgents({ relay }), log: (_level, event) => void logged.push(event) })
  url = (await server.listen()).url
})
afterAll(() => server.close({ graceMs: 0 }))

const RPC = { jsonrpc: '2.0', id: 7, method: 'SendMessage' }
const MESSAGE = { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'hi' }] }
const deep = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`

async function post(path: string, body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}) {
  const response = await fetch(url + path, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'A2A-Version': '1.0', ...headers },
    body,
  })
  return { status: response.status, headers: response.headers, body: (await response.json()) as never }
}

describe('JSON-RPC', () => {
  test.each([
    ['not JSON', '{"jsonrpc":', 200, -32700, null],
    ['an empty body', '', 200, -32700, null],
    ['invalid UTF-8', new Uint8Array([0x22, 0xff, 0x22]), 400, -32700, null],
    ['UTF-16', new Uint8Array([0xff, 0xfe, 0x7b, 0, 0x7d, 0]), 400, -32700, null],
    ['a byte order mark', '\ufeff{}', 400, -32700, null],
    ['an array', '[]', 200, -32600, null],
    ['a batch', JSON.stringify([RPC, RPC]), 200, -32600, null],
    ['a string', '"hello"', 200, -32600, null],
    ['no jsonrpc member', '{"not":"valid jsonrpc"}', 200, -32600, null],
    ['a wrong jsonrpc member', JSON.stringify({ ...RPC, jsonrpc: '1.0' }), 200, -32600, 7],
    ['no id', JSON.stringify({ jsonrpc: '2.0', method: 'GetTask', params: { id: 'x' } }), 200, -32600, null],
    ['an object as id', JSON.stringify({ ...RPC, id: {} }), 200, -32600, null],
    ['a method that is no string', JSON.stringify({ ...RPC, method: 5 }), 200, -32600, 7],
    ['an unknown method', JSON.stringify({ ...RPC, method: 'Nope' }), 200, -32601, 7],
    ['a method of the prototype', JSON.stringify({ ...RPC, method: 'constructor' }), 200, -32601, 7],
    ['no params', JSON.stringify(RPC), 200, -32602, 7],
    ['params as array', JSON.stringify({ ...RPC, params: [] }), 200, -32602, 7],
    [
      'a message without parts',
      JSON.stringify({ ...RPC, params: { message: { ...MESSAGE, parts: [] } } }),
      200,
      -32602,
      7,
    ],
    [
      'two contents in a part',
      JSON.stringify({ ...RPC, params: { message: { ...MESSAGE, parts: [{ text: 'a', url: 'b' }] } } }),
      200,
      -32602,
      7,
    ],
    ['an unknown role', JSON.stringify({ ...RPC, params: { message: { ...MESSAGE, role: 'user' } } }), 200, -32602, 7],
    [
      'a number where text belongs',
      JSON.stringify({ ...RPC, params: { message: { ...MESSAGE, messageId: 5 } } }),
      200,
      -32602,
      7,
    ],
    ['a duplicate key', '{"jsonrpc":"2.0","id":7,"id":8,"method":"GetTask"}', 400, -32600, null],
    [
      '__proto__',
      '{"jsonrpc":"2.0","id":7,"method":"GetTask","params":{"__proto__":{"isAdmin":true}}}',
      400,
      -32600,
      null,
    ],
    [
      'escaped __proto__',
      '{"jsonrpc":"2.0","id":7,"method":"GetTask","params":{"\\u005f_proto__":{}}}',
      400,
      -32600,
      null,
    ],
    ['constructor.prototype', '{"a":{"constructor":{"prototype":{"x":1}}}}', 400, -32600, null],
    ['depth 5,000', deep(5_000), 400, -32600, null],
    ['depth 200,000', deep(200_000), 400, -32600, null],
    ['a number of 1,000 digits', `{"id":${'9'.repeat(1_000)}}`, 400, -32600, null],
  ])('%s', async (_, body, status, code, id) => {
    const answer = await post('/spec', body)
    expect(answer).toMatchObject({ status, body: { jsonrpc: '2.0', id, error: { code, message: expect.any(String) } } })
    expect(Object.prototype).not.toHaveProperty('isAdmin')
  })

  test('a body over the limit is refused', async () => {
    const { status, body } = await post(
      '/spec',
      JSON.stringify({ ...RPC, params: { fill: 'x'.repeat(5 * 1024 * 1024) } }),
    )
    expect({ status, body }).toMatchObject({ status: 413, body: { error: { code: -32600 } } })
  })

  test.each(['text/plain', 'text/plain; a=application/json', 'application/jsonx', 'application/x-www-form-urlencoded'])(
    'content type %s is refused',
    async (type) => {
      const { status, body } = await post('/spec', JSON.stringify(RPC), { 'Content-Type': type })
      expect({ status, body }).toMatchObject({ status: 415, body: { error: { code: -32005 } } })
    },
  )

  test.each(['application/json; charset=utf-8', 'Application/JSON', 'application/a2a+json', 'application/json\t'])(
    'content type %s is taken',
    async (type) => {
      const { body } = await post('/spec', JSON.stringify({ ...RPC, params: { message: MESSAGE } }), {
        'Content-Type': type,
      })
      expect(body).toMatchObject({ result: { message: {} } })
    },
  )

  test.each(['PUT', 'PATCH', 'DELETE'])('%s is not allowed', async (method) => {
    const response = await fetch(`${url}/spec`, { method })
    expect(response.status).toBe(405)
    expect(response.headers.get('allow')).toContain('POST')
  })

  test.each(['99.0', '1.9', 'banana', '2'])('A2A-Version %s is not supported', async (version) => {
    const { body } = await post('/spec', JSON.stringify({ ...RPC, params: { message: MESSAGE } }), {
      'A2A-Version': version,
    })
    expect(body).toMatchObject({ id: 7, error: { code: -32009, data: [{ reason: 'VERSION_NOT_SUPPORTED' }] } })
  })

  test.each([
    ['/legacy', '{"jsonrpc":"2.0","id":1,"method":"tasks/nonexistent","params":{}}', -32601],
    ['/legacy', '{"not": "valid jsonrpc"}', -32600],
    ['/legacy', '{', -32700],
    ['/legacy', '{"jsonrpc":"2.0","id":1,"method":"tasks/get","params":{"id":"nope"}}', -32001],
    ['/spec03', '{"jsonrpc":"2.0","id":1,"method":"message/nope","params":{}}', -32601],
    ['/spec03', '{"jsonrpc":"2.0","id":1,"method":"message/send","params":{}}', -32602],
  ])('older generations on %s: %s', async (path, body, code) => {
    const response = await fetch(url + path, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body })
    expect(await response.json()).toMatchObject({ error: { code } })
  })
})

describe('HTTP+JSON', () => {
  test.each([
    ['POST', '/spec/message:send', '{', 400, 'INVALID_ARGUMENT'],
    ['POST', '/spec/message:send', '[]', 400, 'INVALID_ARGUMENT'],
    ['POST', '/spec/message:send', '{}', 400, 'INVALID_ARGUMENT'],
    ['POST', '/spec/message:send', deep(5_000), 400, 'INVALID_ARGUMENT'],
    ['GET', '/spec/tasks/nope', undefined, 404, 'NOT_FOUND'],
    ['GET', '/spec/tasks/%ff', undefined, 404, 'NOT_FOUND'],
    ['GET', '/spec/tasks?pageSize=zero', undefined, 400, 'INVALID_ARGUMENT'],
    ['GET', '/spec/tasks?pageSize=1000', undefined, 400, 'INVALID_ARGUMENT'],
    ['GET', '/spec/tasks?pageToken=made-up', undefined, 400, 'INVALID_ARGUMENT'],
    ['GET', '/spec/tasks?status=sleeping', undefined, 400, 'INVALID_ARGUMENT'],
    ['POST', '/spec/tasks/nope:cancel', undefined, 404, 'NOT_FOUND'],
    ['POST', '/spec/tasks/nope:subscribe', undefined, 404, 'NOT_FOUND'],
    ['GET', '/spec/tasks/nope:subscribe', undefined, 404, 'NOT_FOUND'],
    ['POST', '/spec/tasks/nope/pushNotificationConfigs', '{"url":"https://example.com"}', 400, 'FAILED_PRECONDITION'],
    ['GET', '/spec/nothing/here/at/all', undefined, 404, 'NOT_FOUND'],
    ['DELETE', '/spec/tasks/nope', undefined, 405, undefined],
    ['GET', '/spec/message:send', undefined, 405, undefined],
  ])('%s %s with %s', async (method, path, body, status, word) => {
    const response = await fetch(url + path, {
      method,
      headers: { 'A2A-Version': '1.0', ...(body === undefined ? {} : { 'Content-Type': 'application/json' }) },
      ...(body === undefined ? {} : { body }),
    })
    expect(response.status).toBe(status)
    const { error } = (await response.json()) as { error: { code: number; status: string; message: string } }
    expect(error).toMatchObject({ code: status, message: expect.any(String) })
    if (word !== undefined) expect(error.status).toBe(word)
  })
})

test('nothing of all that was an internal error', async () => {
  expect(logged).toEqual([])
  expect(await (await fetch(`${url}/health`)).json()).toEqual({ status: 'ok' })
})
