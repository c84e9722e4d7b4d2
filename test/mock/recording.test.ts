// A conversation with the reference agents, recorded and played again by the mock: the same on the wire, in every
// generation and binding, ids and times aside.

import { randomUUID } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { referenceAgents } from '../../src/agents/reference.ts'
import { A2AClient, type BindingId, type DialectId, type Message, textOf } from '../../src/client/index.ts'
import { createMockAgent } from '../../src/mock/index.ts'
import { type A2AServer, createServer } from '../../src/server/index.ts'
import type { Exchange } from '../../src/trace/exchange.ts'
import { RecordWriter } from '../../src/trace/record.ts'
import { REDACTED, Redactor } from '../../src/trace/redact.ts'
import { runParley, startParley } from '../support/parley-process.ts'

const folder = mkdtempSync(join(tmpdir(), 'parley-recording-'))
let server: A2AServer
let origin: string

beforeAll(async () => {
  server = createServer({
    agents: referenceAgents({ relay: { target: undefined, allowsChosenTargets: false, forward: refuse } }),
  })
  origin = (await server.listen()).url
})
afterAll(async () => {
  await server.close({ graceMs: 0 })
  rmSync(folder, { recursive: true, force: true })
})

const refuse = () => Promise.reject(new Error('nothing is relayed here'))

const said = (text: string, more: Partial<Message> = {}) => ({
  message: { messageId: randomUUID(), role: 'ROLE_USER' as const, parts: [{ text }], ...more },
})

const SECRET = 'a-secret-of-the-recorded-client'

/** Everything a client does in a day. */
async function converse(client: A2AClient): Promise<void> {
  await client.sendMessage(said('message-only hello'))
  await client.sendMessage(said('task-lifecycle one'))
  for await (const _ of client.streamMessage(said('chunks 3'))) void _
  for await (const _ of client.streamMessage(said('message-only streamed'))) void _
  await client.sendMessage(said('task-failure'))
  await client.sendMessage(said('data-types'))
  await client.sendMessage(said(`message-only my token is ${SECRET}`))
  await multiTurn(client)
  await cancel(client)
  await client.getTask({ id: 'nobody-knows-this' }).catch(() => {})
}

async function multiTurn(client: A2AClient): Promise<void> {
  const begun = await client.sendMessage({ ...said('multi-turn'), configuration: { returnImmediately: false } })
  if (!('task' in begun)) throw new Error('expected a task')
  const { id: taskId } = begun.task
  await client.sendMessage({ ...said('more', { taskId }), configuration: { returnImmediately: false } })
  for await (const _ of client.streamMessage(said('done', { taskId }))) void _
  await client.getTask({ id: taskId, historyLength: 10 })
  await client.cancelTask({ id: taskId }).catch(() => {})
}

async function cancel(client: A2AClient): Promise<void> {
  let canceled: Promise<unknown> | undefined
  for await (const { event } of client.streamMessage(said('task-cancel')))
    if ('statusUpdate' in event && event.statusUpdate.status.state === 'TASK_STATE_WORKING')
      canceled = client.cancelTask({ id: event.statusUpdate.taskId })
  await canceled
}

async function talk(url: string, [version, binding]: Way, act = converse): Promise<Exchange[]> {
  const exchanges: Exchange[] = []
  using client = await A2AClient.connect(url, {
    ...{ versions: [version], transports: [binding], fallback: false },
    headers: [['X-API-Key', SECRET]],
    onExchange: (exchange) => exchanges.push(exchange),
  })
  await act(client)
  return exchanges
}

async function record(name: string, exchanges: readonly Exchange[]): Promise<string> {
  const path = join(folder, name)
  const writer = await RecordWriter.create(path, { redactor: new Redactor([SECRET]) })
  for (const exchange of exchanges) await writer.append(exchange)
  await writer.close()
  return path
}

/** What went over the wire, in order of asking; ids numbered by first appearance, times forgotten. */
function onTheWire(exchanges: readonly Exchange[], base: string): unknown[] {
  const known = new Map<string, string>()
  const plain = (text: string): string =>
    text
      .replaceAll(base, 'BASE')
      .replaceAll(SECRET, REDACTED)
      .replace(/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g, (id) => {
        if (!known.has(id)) known.set(id, `#${known.size + 1}`)
        return known.get(id) ?? ''
      })
      .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
  return exchanges
    .filter(({ request }) => !request.url.includes('/.well-known/'))
    .toSorted((a, b) => Number(a.id.slice(1)) - Number(b.id.slice(1)))
    .map(({ request, response, failure }) => ({
      asked: plain(`${request.method} ${request.url.replace(/\/$/, '')} ${Buffer.from(request.body).toString()}`),
      status: response?.status,
      type: response?.headers.find(([name]) => name.toLowerCase() === 'content-type')?.[1],
      answered:
        response?.frames?.map(({ event, id, data }) => ({ event, id, data: plain(data) })) ??
        plain(Buffer.from(response?.body ?? []).toString()),
      failure,
    }))
}

type Way = readonly [DialectId, BindingId]
const WAYS: Way[] = [
  ['1.0', 'jsonrpc'],
  ['1.0', 'rest'],
  ['0.3', 'jsonrpc'],
  ['0.3', 'rest'],
  ['0.1', 'jsonrpc'],
]
const PATHS = { '1.0': '/spec', '0.3': '/spec03', '0.1': '/legacy' } as const

describe.each(WAYS)('A2A %s over %s', (...way) => {
  test('replays to the same conversation', async () => {
    const target = `${origin}${PATHS[way[0]]}`
    const exchanges = await talk(target, way)
    const path = await record(`${way.join('-')}.jsonl`, exchanges)
    expect(readFileSync(path, 'utf8')).not.toContain(SECRET)
    await using mock = await createMockAgent({ recording: path }).start()
    const replayed = await talk(mock.url, way)
    expect(onTheWire(replayed, mock.url)).toEqual(onTheWire(exchanges, target))
    mock.verify()
  })

  test('replays as often as it is asked, each time under ids of its own', async () => {
    const target = `${origin}${PATHS[way[0]]}`
    const exchanges = await talk(target, way, multiTurn)
    await using mock = await createMockAgent({
      recording: await record(`again-${way.join('-')}.jsonl`, exchanges),
    }).start()
    const wanted = onTheWire(exchanges, target)
    const replays = await Promise.all([1, 2, 3].map(() => talk(mock.url, way, multiTurn)))
    for (const replay of replays) expect(plainIds(onTheWire(replay, mock.url))).toEqual(plainIds(wanted))
    mock.verify()
  })
})

/** `#1-2` is the first id of the second pass. */
function plainIds(wire: unknown): unknown {
  return JSON.parse(JSON.stringify(wire).replace(/(#\d+)-\d+/g, '$1')) as unknown
}

test('one generation’s recording answers the others, and one answer becomes a stream', async () => {
  const exchanges = await talk(`${origin}/spec03`, ['0.3', 'jsonrpc'], async (client) => {
    await client.sendMessage({ ...said('task-lifecycle one'), configuration: { returnImmediately: false } })
    for await (const _ of client.streamMessage(said('chunks 3'))) void _
  })
  await using mock = await createMockAgent({ recording: await record('crossed.jsonl', exchanges) }).start()
  using client = await A2AClient.connect(`${mock.url}/v1.0`, { transports: ['rest'] })
  const folded = await client.sendMessage(said('chunks 3'))
  expect('task' in folded && folded.task.artifacts?.[0]?.parts).toHaveLength(3)
  expect('task' in folded && folded.task.status.state).toBe('TASK_STATE_COMPLETED')
  const events = []
  for await (const { event } of client.streamMessage(said('task-lifecycle one'))) events.push(event)
  expect(events).toMatchObject([{ task: { status: { state: 'TASK_STATE_COMPLETED' } } }])
})

test('a lost connection is lost again', async () => {
  const exchanges = await talk(`${origin}/spec`, ['1.0', 'jsonrpc'], async (client) => {
    for await (const _ of client.streamMessage(said('chunks 3'))) void _
  })
  const whole = exchanges.find(({ request }) => request.method === 'POST')
  if (whole?.response === undefined || whole.protocol === 'grpc') throw new Error('expected an exchange')
  const frames = whole.response.frames?.slice(0, 3) ?? []
  const cut: Exchange = {
    ...whole,
    failure: 'reset',
    response: { ...whole.response, body: Buffer.alloc(0), incomplete: 'reset', frames },
  }
  await using mock = await createMockAgent({ recording: await record('cut.jsonl', [cut]) }).start()
  using client = await A2AClient.connect(mock.url, { transports: ['jsonrpc'] })
  let count = 0
  await expect(
    (async () => {
      for await (const _ of client.streamMessage(said('chunks 3'))) count++
    })(),
  ).rejects.toMatchObject({ code: 'connection-lost' })
  expect(count).toBe(3)
})

describe('what the recording does not have', () => {
  test('is refused with the nearest exchange and the reason, and fails verification', async () => {
    const exchanges = await talk(`${origin}/spec`, ['1.0', 'jsonrpc'], async (client) => {
      await client.sendMessage(said('message-only hello'))
    })
    await using mock = await createMockAgent({ recording: await record('small.jsonl', exchanges) }).start()
    using client = await A2AClient.connect(mock.url)
    await expect(client.sendMessage(said('something else'))).rejects.toThrow(
      /no answer to this request: the nearest is exchange-2, but it says .*message-only hello.*, not .*something else/,
    )
    await expect(client.getTask({ id: 'x' })).rejects.toThrow('it has no getTask')
    expect(() => mock.verify()).toThrow(
      /request #\d+: The recording has no answer.*\n.*\nthe sendMessage of exchange 2/s,
    )
    mock.reset()
    const result = await client.sendMessage(said('message-only hello'))
    expect('message' in result && textOf(result.message)).toContain('hello')
    expect(mock.requests({ rule: 'exchange-2' })).toHaveLength(1)
    mock.verify()
  })
})

describe('the command', () => {
  test('replays a recording made by the proxy, without its secrets', async () => {
    const path = join(folder, 'proxied.jsonl')
    const proxy = await startParley(['proxy', `${origin}/spec`, '--record', path, '--bearer', SECRET])
    await talk(`${proxy.url}/agent`, ['1.0', 'jsonrpc'], multiTurn)
    await proxy.stop()
    expect(readFileSync(path, 'utf8')).not.toContain(SECRET)
    const mock = await startParley(['mock', '--from-recording', path, '--strict'])
    using client = await A2AClient.connect(mock.url)
    await multiTurn(client)
    expect(await mock.stop()).toMatchObject({ code: 0 })
  })

  test('says in one sentence that a recording was not finished, and plays what is there unless it is strict', async () => {
    const exchanges = await talk(`${origin}/spec`, ['1.0', 'jsonrpc'], async (client) => {
      await client.sendMessage(said('message-only hello'))
    })
    const path = await record('unfinished.jsonl', exchanges)
    const { length } = readFileSync(path)
    truncateSync(path, length - 10)
    const sentence = /^The recording \S+ was not finished: it has 2 exchanges, and a last line that was cut off/
    const checked = await runParley(['mock', '--from-recording', path, '--check'])
    expect(checked).toMatchObject({ code: 0, stderr: expect.stringMatching(sentence) })
    expect(checked.stdout).toContain('is valid: 1 call.')
    const strict = await runParley(['mock', '--from-recording', path, '--check', '--strict'])
    expect(strict.code).toBe(2)
    expect(strict.stderr).toMatch(/was not finished: .* Record it again, or leave out --strict\./)
    await expect(createMockAgent({ recording: path }).start()).rejects.toThrow('was not finished')
  })

  test.each([
    ['no recording', 'hello\n', /is damaged|is not a Parley recording/],
    [
      'an empty one',
      `${JSON.stringify({ format: 'parley-recording', version: 1, started: '' })}\n{"end":true,"count":0}\n`,
      /has no A2A call/,
    ],
  ])('refuses %s', async (_, text, why) => {
    const path = join(folder, 'bad.jsonl')
    writeFileSync(path, text)
    const run = await runParley(['mock', '--from-recording', path, '--check'])
    expect(run.code).not.toBe(0)
    expect(run.stderr).toMatch(why)
  })

  test('takes a script or a recording, not both', async () => {
    expect(await runParley(['mock', 'a.yaml', '--from-recording', 'b.jsonl'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Give one of a script, --from-recording and --from-card.'),
    })
  })
})
