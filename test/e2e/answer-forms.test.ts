// The form of an answer follows what the client says it reads: the media type of REST bodies, and errors to clients that
// wait for a stream. Leniencies that cost nothing stand here too.

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { firstSseData } from '../../src/net/sse-reader.ts'
import type { A2AServer } from '../../src/server/index.ts'
import { startReferenceAgents } from '../peers/reference-server.ts'

let server: A2AServer
let base: string

beforeAll(async () => {
  ;({ server, base } = await startReferenceAgents())
})

afterAll(() => server.close({ graceMs: 0 }))

interface Seen {
  status: number
  mediaType: string | null
  text: string
}

async function ask(path: string, headers: Record<string, string>, method = 'GET', body?: string): Promise<Seen> {
  const response = await fetch(base + path, {
    method,
    headers: { 'A2A-Version': '1.0', 'Content-Type': 'application/json', ...headers },
    ...(body === undefined ? {} : { body }),
  })
  return { status: response.status, mediaType: response.headers.get('content-type'), text: await response.text() }
}

function rpc(method: string, params: object, headers: Record<string, string>): Promise<Seen> {
  return ask('/spec', headers, 'POST', JSON.stringify({ jsonrpc: '2.0', id: 'r1', method, params }))
}

const STREAM_TO_NOWHERE = {
  message: { messageId: 'm1', taskId: 'no-such-task', role: 'ROLE_USER', parts: [{ text: 'x' }] },
}

describe('the media type of REST', () => {
  test.each([
    ['application/json', 'application/json'],
    ['application/a2a+json', 'application/a2a+json'],
    ['application/json, application/a2a+json', 'application/a2a+json'],
    ['application/a2a+json;q=0.5, application/json', 'application/json'],
    ['*/*', 'application/a2a+json'],
    ['text/html', 'application/json'],
  ])('Accept: %s is answered with %s', async (accept, mediaType) => {
    const missing = await ask('/spec/tasks/no-such-task', { Accept: accept })
    expect(missing).toMatchObject({ status: 404, mediaType })
    expect(await ask('/spec/tasks', { Accept: accept })).toMatchObject({ status: 200, mediaType })
  })
})

describe('an error before a stream', () => {
  test('over JSON-RPC is the only event of one for a client that takes streams alone', async () => {
    const seen = await rpc('SendStreamingMessage', STREAM_TO_NOWHERE, { Accept: 'text/event-stream' })
    expect(seen).toMatchObject({ status: 200, mediaType: 'text/event-stream' })
    expect(JSON.parse(firstSseData(seen.text) ?? '')).toMatchObject({ id: 'r1', error: { code: -32001 } })
  })

  test.each(['application/json, text/event-stream', '*/*', 'text/event-stream, */*;q=0.1'])(
    'over JSON-RPC is JSON for Accept: %s',
    async (accept) => {
      const seen = await rpc('SubscribeToTask', { id: 'no-such-task' }, { Accept: accept })
      expect(seen).toMatchObject({ status: 200, mediaType: 'application/json' })
      expect(JSON.parse(seen.text)).toMatchObject({ id: 'r1', error: { code: -32001 } })
    },
  )

  test('over REST keeps its status, and its JSON for clients that do not refuse it', async () => {
    const body = JSON.stringify(STREAM_TO_NOWHERE)
    const seen = await ask('/spec/message:stream', { Accept: 'text/event-stream' }, 'POST', body)
    expect(seen).toMatchObject({ status: 404, mediaType: 'application/json' })
    expect(JSON.parse(seen.text)).toMatchObject({ error: { status: 'NOT_FOUND' } })
  })

  test('over REST is one event with the same status where Accept refuses JSON', async () => {
    const accept = 'text/event-stream, application/json;q=0, application/a2a+json;q=0'
    const seen = await ask('/spec/tasks/no-such-task:subscribe', { Accept: accept }, 'POST')
    expect(seen).toMatchObject({ status: 404, mediaType: 'text/event-stream' })
    expect(JSON.parse(firstSseData(seen.text) ?? '')).toMatchObject({ error: { status: 'NOT_FOUND' } })
  })
})

describe('leniency that loses nothing', () => {
  test('a body of null is no body where the path says everything', async () => {
    const cancel = await ask('/spec/tasks/no-such-task:cancel', {}, 'POST', 'null')
    expect(JSON.parse(cancel.text)).toMatchObject({ error: { status: 'NOT_FOUND' } })
    const subscribe = await ask('/spec/tasks/no-such-task:subscribe', {}, 'POST', 'null')
    expect(JSON.parse(subscribe.text)).toMatchObject({ error: { status: 'NOT_FOUND' } })
    const send = await ask('/spec/message:send', {}, 'POST', 'null')
    expect(JSON.parse(send.text)).toMatchObject({ error: { status: 'INVALID_ARGUMENT' } })
  })

  test('a missing id is told after everything else that is wrong', async () => {
    const post = async (request: object) =>
      JSON.parse((await ask('/spec', {}, 'POST', JSON.stringify({ jsonrpc: '2.0', ...request }))).text)
    expect(await post({ method: 'NoSuchMethod' })).toMatchObject({ id: null, error: { code: -32601 } })
    expect(await post({ method: 'GetTask', params: {} })).toMatchObject({ id: null, error: { code: -32602 } })
    const params = { id: 'no-such-task' }
    expect(await post({ method: 'GetTask', params })).toMatchObject({ id: null, error: { code: -32600 } })
    expect(await post({ method: 'GetTask', id: {} })).toMatchObject({ id: null, error: { code: -32600 } })
  })

  test('a REST error of 0.3 names its type', async () => {
    const { text } = await ask('/spec/v1/tasks/no-such-task', { 'A2A-Version': '0.3' })
    expect(JSON.parse(text)).toMatchObject({ code: -32001, type: 'TaskNotFoundError' })
  })
})
