// The control interface: what a suite in another language does with it, and who may not.

import { request } from 'node:http'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { A2AClient, textOf } from '../../src/client/index.ts'
import { createMockAgent, type MockAgent } from '../../src/mock/index.ts'

let mock: MockAgent
beforeAll(async () => {
  mock = await createMockAgent().start()
})
afterAll(() => mock.stop())
beforeEach(() => mock.reset())

interface Answer {
  status: number
  body: unknown
}

/** node:http, because fetch does not let a test choose Host and Origin. */
function call(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> {
  const { hostname, port } = new URL(mock.url)
  return new Promise((resolve, reject) => {
    const req = request(
      {
        hostname,
        port,
        method,
        path: `/__parley/${path}`,
        headers: { Authorization: `Bearer ${mock.adminToken}`, 'Content-Type': 'application/json', ...headers },
      },
      (res) => {
        let text = ''
        res.setEncoding('utf8')
        res.on('data', (chunk: string) => {
          text += chunk
        })
        const isJson = res.headers['content-type'] === 'application/json'
        res.on('end', () => resolve({ status: res.statusCode ?? 0, body: isJson ? JSON.parse(text) : text }))
      },
    )
    req.on('error', reject)
    req.end(body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body))
  })
}

async function ask(text: string, url = mock.url): Promise<string> {
  using client = await A2AClient.connect(url, { transports: ['jsonrpc'] })
  const result = await client.sendMessage({ message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text }] } })
  return textOf('message' in result ? result.message : result.task.status.message)
}

describe('a suite in another language', () => {
  test('loads a script, talks, reads the journal, verifies and resets', async () => {
    const script = 'rules:\n  - { id: hi, match: { text: hi }, turns: [[{ complete: hello }]] }\n'
    expect(await call('PUT', 'script?session=py', script, { 'Content-Type': 'application/yaml' })).toEqual({
      status: 200,
      body: { ok: true },
    })
    expect(await ask('hi', `${mock.url}/__session/py`)).toBe('hello')
    const { body } = await call('GET', 'journal?session=py')
    expect(body).toMatchObject([
      { operation: 'getCard', status: 200 },
      {
        operation: 'sendMessage',
        rule: 'hi',
        turn: 0,
        request: { body: { method: 'SendMessage' } },
        response: { body: { result: { task: {} } } },
      },
    ])
    expect((await call('POST', 'verify?session=py', { rule: 'hi', times: 1 })).body).toEqual({ ok: true, problems: [] })
    expect((await call('POST', 'verify?session=py', { rule: 'hi', times: 2 })).body).toMatchObject({ ok: false })
    await call('POST', 'reset', undefined, { 'X-Parley-Session': 'py' })
    expect((await call('GET', 'journal?session=py')).body).toEqual([])
    expect((await call('DELETE', 'session?session=py')).body).toEqual({ ok: true })
  })

  test('primes, orders faults and refusals, and waits', async () => {
    await call('POST', 'prime', {
      responses: [
        [{ kind: 'status-update', status: { state: 'completed', message: { parts: [{ text: 'primed' }] } } }],
      ],
    })
    await call('POST', 'faults', { do: 'http-status', with: { status: 503 }, count: 1 })
    const waiting = call('POST', 'wait', { operation: 'sendMessage', isFinished: true, timeout: '5s' })
    await expect(ask('x')).rejects.toThrow()
    expect((await waiting).body).toMatchObject({ fault: 'http-status', status: 503 })
    expect((await call('GET', 'faults')).body).toMatchObject([{ action: { name: 'http-status' }, fired: 1 }])
    await call('POST', 'refuse', {})
    await expect(ask('x')).rejects.toMatchObject({ kind: 'Unauthenticated' })
    expect(await ask('x')).toBe('primed')
  })

  test.each([
    ['PUT', 'script', 'ruels: []', 400, /script:1:1: unknown key 'ruels'/],
    ['POST', 'prime', { responses: [[{ kind: 'x' }]] }, 400, /turn 0, event 0: kind must be/],
    ['POST', 'faults', { do: 'nothing' }, 400, /there is no fault 'nothing'/],
    ['POST', 'wait', { operation: 'listTasks', timeout: '10ms' }, 408, /within 10 ms/],
    ['POST', 'nowhere', {}, 404, /There is no POST/],
    ['GET', 'journal?session=a/b', undefined, 400, /A session's name/],
    ['GET', 'artifacts/nothing', undefined, 404, /no artifact 'nothing' in version latest/],
    ['GET', 'artifacts/%ff', undefined, 400, /not percent-encoded/],
    ['GET', 'artifacts/a?version=0', undefined, 400, /A version is a number/],
    ['GET', 'journal/a', undefined, 404, /There is no GET/],
  ])('%s %s %j is answered %i', async (method, path, body, status, message) => {
    const answer = await call(method, path, body)
    expect(answer.status).toBe(status)
    expect(answer.body).toMatchObject({ error: { message: expect.stringMatching(message) } })
  })
})

describe('artifacts', () => {
  const script = `
agent: { ids: counted }
rules:
  - id: files
    turns:
      - - { artifact: { id: r, name: 'a b/ü.csv', mediaType: text/csv, text: 'a,b;1,ü', chunks: 3 } }
        - { artifact: { id: i, name: i.bin, mediaType: image/png, base64: AAEC } }
        - { artifact: { id: r, name: 'a b/ü.csv', mediaType: text/csv, text: 'new' } }
        - { input-required: more? }
      - - { artifact: { id: r, append: true, mediaType: text/csv, text: 'er' } }
        - { complete: done }
`
  const csv = { name: 'a b/ü.csv', artifactId: 'r', mediaTypes: ['text/csv'] }
  const one = `artifacts/${encodeURIComponent(csv.name)}`
  const load = () => call('PUT', 'script?session=art', script, { 'Content-Type': 'application/yaml' })
  const inSession = { 'X-Parley-Session': 'art' }

  test('are listed by version and read back whole', async () => {
    await load()
    await ask('go', `${mock.url}/__session/art`)
    const taskId = 'art-task-1'
    const { body } = await call('GET', 'artifacts', undefined, inSession)
    expect(body).toEqual([
      { ...csv, taskId, version: 1, size: 8 },
      { name: 'i.bin', artifactId: 'i', taskId, mediaTypes: ['image/png'], version: 1, size: 3 },
      { ...csv, taskId, version: 2, size: 3 },
    ])
    expect((await mock.session('art')).artifacts()).toEqual(body)
    expect((await call('GET', `${one}?session=art&version=1`)).body).toBe('a,b;1,ü')
    expect((await call('GET', `${one}?session=art&version=latest`)).body).toBe('new')
    expect((await call('GET', 'artifacts/i.bin', undefined, inSession)).body).toBe('\u0000\u0001\u0002')
  })

  test('continued in a later turn are the next version', async () => {
    await load()
    const url = `${mock.url}/__session/art`
    using client = await A2AClient.connect(url, { transports: ['jsonrpc'] })
    const say = (taskId?: string) =>
      client.sendMessage({
        message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'go' }], ...(taskId && { taskId }) },
      })
    await say()
    await say('art-task-1')
    const control = await mock.session('art')
    expect(control.artifacts().at(-1)).toEqual({ ...csv, taskId: 'art-task-1', version: 3, size: 5 })
    expect(Buffer.from((await control.artifact(csv.name))?.bytes ?? []).toString()).toBe('newer')
  })

  test('belong to one session, and a reset forgets them', async () => {
    await load()
    await ask('go', `${mock.url}/__session/art`)
    expect(mock.artifacts()).toEqual([])
    expect(await call('GET', one)).toMatchObject({ status: 404 })
    await call('POST', 'reset?session=art')
    expect((await call('GET', 'artifacts?session=art')).body).toEqual([])
    expect(await call('GET', `${one}?session=art`)).toMatchObject({ status: 404 })
  })

  test.each<[string, Record<string, string>, number]>([
    ['no token', { Authorization: '' }, 401],
    ['another Host', { Host: 'evil.example' }, 403],
    ['a foreign Origin', { Origin: 'http://evil.example' }, 403],
  ])('are not given to %s', async (_, headers, status) => {
    expect(await call('GET', 'artifacts', undefined, headers)).toMatchObject({ status })
    expect(await call('GET', one, undefined, headers)).toMatchObject({ status })
  })
})

describe('refuses', () => {
  test.each<[string, Record<string, string>, number]>([
    ['no token', { Authorization: '' }, 401],
    ['a wrong token', { Authorization: 'Bearer wrong' }, 401],
    ['another Host', { Host: 'evil.example' }, 403],
    ['a Host that looks alike', { Host: 'localhost.evil.example' }, 403],
    ['a foreign Origin', { Origin: 'http://evil.example' }, 403],
    ['the Origin null', { Origin: 'null' }, 403],
    ['an Origin that looks alike', { Origin: 'http://localhost.evil.example' }, 403],
    ['a request from another site', { 'Sec-Fetch-Site': 'cross-site' }, 403],
  ])('%s', async (_, headers, status) => {
    const answer = await call('GET', 'journal', undefined, headers)
    expect(answer.status).toBe(status)
    expect(answer.body).toHaveProperty('error.message')
  })

  test('a body a form could send', async () => {
    expect(await call('POST', 'reset-nothing', 'a=b', { 'Content-Type': 'text/plain' })).toMatchObject({ status: 404 })
    expect(await call('POST', 'prime', '{}', { 'Content-Type': 'text/plain' })).toMatchObject({ status: 400 })
  })

  test('scripts that name files', async () => {
    const answer = await call('PUT', 'script', 'include: [/etc/passwd]', { 'Content-Type': 'application/yaml' })
    expect(answer).toMatchObject({
      status: 400,
      body: { error: { message: expect.stringContaining('has no folder to read from') } },
    })
  })

  test('control requests leave no trace in the journal', async () => {
    await call('GET', 'status')
    expect(mock.requests()).toEqual([])
  })
})
