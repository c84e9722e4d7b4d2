// What a program can put between itself and the agent: interceptors, tokens, a fetch of its own. Against real servers.

import { afterEach, describe, expect, test } from 'vitest'
import { type ScriptedServer, sendJson, startScriptedServer } from '../../test/peers/scripted-server.ts'
import { startTokenServer } from '../../test/peers/token-server.ts'
import { SPEC_CARD } from '../agents/cards.ts'
import { specAgent } from '../agents/spec.ts'
import { clientCredentials } from '../auth/token-provider.ts'
import { A2AError, ParleyError } from '../model/errors.ts'
import type { Message } from '../model/task.ts'
import type { AuthRequest } from '../server/auth/credentials.ts'
import { createServer, type ServerOptions } from '../server/server.ts'
import { A2AClient } from './a2a-client.ts'
import type { Interceptor } from './interceptors.ts'

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

function say(text: string): { message: Message } {
  return { message: { messageId: crypto.randomUUID(), role: 'ROLE_USER', parts: [{ text }] } }
}

async function specServer(options: Partial<ServerOptions> = {}): Promise<string> {
  const server = createServer({ agents: [{ card: SPEC_CARD, agent: specAgent }], ...options })
  closing.push(() => server.close())
  return (await server.listen({ port: 0 })).url
}

function closed<C extends { close(): unknown }>(client: C): C {
  closing.push(() => client.close())
  return client
}

describe('call', () => {
  test('sends any operation by its name', async () => {
    const client = closed(await A2AClient.connect(await specServer()))
    const result = await client.call('sendMessage', say('task-lifecycle one'))
    const { id } = 'task' in result ? result.task : { id: '' }
    expect((await client.call('getTask', { id })).id).toBe(id)
    expect((await client.call('listTasks', { pageSize: 1 })).tasks).toHaveLength(1)
    const seen: string[] = []
    for await (const { event } of client.stream('streamMessage', say('streaming two'))) seen.push(...Object.keys(event))
    expect(seen).toContain('artifactUpdate')
  })
})

describe('interceptors', () => {
  test('nest around calls and streams, the first outermost, and see what comes back', async () => {
    const log: string[] = []
    const noting = (name: string): Interceptor => ({
      async call(call, next) {
        log.push(`${name} ${call.op}`)
        const result = await next(call)
        log.push(`${name} done`)
        return result
      },
      async *stream(call, next) {
        for await (const item of next(call)) {
          log.push(`${name} ${Object.keys(item.event)[0]}`)
          yield item
        }
      },
    })
    const client = closed(
      await A2AClient.connect(await specServer(), { interceptors: [noting('outer'), noting('inner')] }),
    )
    await client.sendMessage(say('message-only hello'))
    expect(log.splice(0)).toEqual(['outer sendMessage', 'inner sendMessage', 'inner done', 'outer done'])
    let events = 0
    for await (const _ of client.streamMessage(say('streaming two'))) events++
    expect(log).toHaveLength(2 * events)
    expect(log.slice(0, 2)).toEqual(['inner task', 'outer task'])
  })

  test('change the request of one operation, with its types, or answer in its place', async () => {
    const sent: unknown[] = []
    const client = closed(
      await A2AClient.connect(await specServer(), {
        interceptors: [
          {
            sendMessage: (call, next) =>
              next({ ...call, request: { ...call.request, metadata: { ...call.request.metadata, origin: 'batch' } } }),
            cancelTask: async ({ request }) => ({ id: request.id, status: { state: 'TASK_STATE_CANCELED' } }),
          },
        ],
        onExchange: ({ request }) => sent.push(JSON.parse(Buffer.from(request.body).toString() || '{}')),
      }),
    )
    await client.sendMessage(say('message-only hello'))
    expect(sent.at(-1)).toMatchObject({ params: { metadata: { origin: 'batch' } } })
    expect(await client.cancelTask({ id: 'nowhere' })).toMatchObject({ status: { state: 'TASK_STATE_CANCELED' } })
  })

  test.each(['jsonrpc', 'rest', 'grpc'] as const)('add headers to one call, over %s', async (transport) => {
    const seen: (string | undefined)[] = []
    const url = await specServer({
      grpc: { port: 0 },
      agents: [
        {
          card: SPEC_CARD,
          agent: specAgent,
          authenticate: (request) => {
            seen.push(headerIn(request, 'x-trace'))
            return { subject: 'anybody' }
          },
        },
      ],
    })
    const client = closed(await A2AClient.connect(url, { transports: [transport], headers: [['X-Trace', 'of all']] }))
    await client.sendMessage(say('message-only hello'), { headers: [['X-Trace', 'of one']] })
    await client.sendMessage(say('message-only hello'))
    expect(seen.filter((value) => value !== undefined).slice(-2)).toEqual(['of one', 'of all'])
  })

  test('headers of one call do not go to an origin that only the card names', async () => {
    const agent = await specServer()
    const client = closed(A2AClient.fromCard(cardAt(agent), { origin: 'http://127.0.0.1:1' }))
    const call = client.sendMessage(say('hello'), { headers: [['Authorization', 'Bearer secret']] })
    await expect(call).rejects.toMatchObject({ code: 'foreign-origin' })
  })

  test('see a resumed stream as the subscription it is', async () => {
    const ops: string[] = []
    const client = closed(
      await A2AClient.connect(await specServer(), {
        interceptors: [
          {
            async *stream(call, next) {
              ops.push(call.op)
              for await (const item of next(call)) {
                yield item
                if (call.op === 'streamMessage') throw new ParleyError('connection-lost', 'The line was cut.')
              }
            },
          },
        ],
      }),
    )
    const states: string[] = []
    for await (const { event } of client.streamMessage(say('streaming two'), { resume: true }))
      if ('task' in event) states.push(event.task.status.state)
    expect(ops).toEqual(['streamMessage', 'subscribeTask'])
  })
})

describe('tokens', () => {
  const client = (url: string, tokens: Parameters<typeof A2AClient.connect>[1]) => A2AClient.connect(url, tokens)

  async function guarded(accepted: () => string): Promise<{ url: string; shown: string[] }> {
    const shown: string[] = []
    const url = await specServer({
      agents: [
        {
          card: SPEC_CARD,
          agent: specAgent,
          authenticate(request) {
            shown.push(headerIn(request, 'authorization') ?? '')
            const isRight = headerIn(request, 'authorization') === `Bearer ${accepted()}`
            return isRight ? { subject: 'me' } : new A2AError('Unauthenticated', 'Who are you?')
          },
        },
      ],
    })
    return { url, shown }
  }

  test('a text is sent as it is, and not again when it is refused', async () => {
    const { url, shown } = await guarded(() => 'right')
    const good = closed(await client(url, { tokens: 'right' }))
    expect(await good.sendMessage(say('message-only hello'))).toHaveProperty('message')
    const bad = closed(await client(url, { tokens: 'wrong' }))
    await expect(bad.sendMessage(say('hello'))).rejects.toMatchObject({ kind: 'Unauthenticated' })
    expect(shown).toEqual(['Bearer right', 'Bearer wrong'])
  })

  test('a function is asked before every call, and once more when its token is refused', async () => {
    let current = 'first'
    const { url, shown } = await guarded(() => current)
    const asked: (string | undefined)[] = []
    let known = 'first'
    const own = closed(
      await client(url, {
        tokens: ({ refused }) => {
          asked.push(refused)
          if (refused !== undefined) known = current
          return known
        },
      }),
    )
    await own.sendMessage(say('message-only hello'))
    current = 'second'
    await own.sendMessage(say('message-only hello'))
    current = 'third'
    const states: string[] = []
    for await (const { event } of own.streamMessage(say('streaming two'))) states.push(...Object.keys(event))
    expect(states).not.toEqual([])
    expect(shown.map((value) => value.slice(7))).toEqual(['first', 'first', 'second', 'second', 'third'])
    expect(asked).toEqual([undefined, undefined, 'first', undefined, 'second'])
  })

  test('one that knows no other is not asked for ever', async () => {
    const { url, shown } = await guarded(() => 'right')
    const own = closed(await client(url, { tokens: () => 'wrong' }))
    await expect(own.sendMessage(say('hello'))).rejects.toMatchObject({ kind: 'Unauthenticated' })
    let at = 0
    const many = closed(await client(url, { tokens: () => `wrong ${++at}` }))
    await expect(many.sendMessage(say('hello'))).rejects.toMatchObject({ kind: 'Unauthenticated' })
    expect(shown).toHaveLength(3)
  })

  test('client credentials are exchanged once, and again when the agent refuses, as often as it happens', async () => {
    const server = await startTokenServer()
    closing.push(() => server.close())
    const tokens = clientCredentials({
      tokenUrl: `${server.url}/token`,
      clientId: 'cli',
      clientSecret: 's3cret',
      scope: 'use',
    })
    const own = closed(await client(server.url, { tokens }))
    await Promise.all([own.sendMessage(say('one')), own.sendMessage(say('two'))])
    expect(server.forms.map(String)).toEqual(['grant_type=client_credentials&scope=use'])
    for (const times of [2, 3]) {
      server.expire()
      await Promise.all([own.sendMessage(say('three')), own.sendMessage(say('four'))])
      expect(server.forms).toHaveLength(times)
    }
  })

  test('a wrong secret is told as such', async () => {
    const server = await startTokenServer()
    closing.push(() => server.close())
    const tokens = clientCredentials({ tokenUrl: `${server.url}/token`, clientId: 'cli', clientSecret: 'wrong' })
    const own = closed(await client(server.url, { tokens }))
    await expect(own.sendMessage(say('one'))).rejects.toMatchObject({ code: 'no-token' })
  })
})

describe('a fetch of its own', () => {
  const counting = () => {
    const urls: string[] = []
    const own = (url: string, init: RequestInit) => {
      urls.push(`${init.method} ${new URL(url).pathname}`)
      return fetch(url, init)
    }
    return { urls, fetch: own }
  }

  test.each(['jsonrpc', 'rest'] as const)('carries calls and streams over %s, and is recorded', async (transport) => {
    const { urls, fetch } = counting()
    const statuses: (number | undefined)[] = []
    const client = closed(
      await A2AClient.connect(await specServer(), {
        fetch,
        transports: [transport],
        onExchange: ({ response }) => statuses.push(response?.status),
      }),
    )
    expect(await client.sendMessage(say('message-only hello'))).toHaveProperty('message')
    const events: string[] = []
    for await (const { event } of client.streamMessage(say('streaming two'))) events.push(...Object.keys(event))
    expect(events).toContain('artifactUpdate')
    expect(urls).toHaveLength(3)
    expect(statuses).toEqual([200, 200, 200])
    await expect(client.getTask({ id: 'nowhere' })).rejects.toMatchObject({ kind: 'TaskNotFound' })
  })

  test('gets tokens, too', async () => {
    const server = await startTokenServer()
    closing.push(() => server.close())
    const { urls, fetch } = counting()
    const tokens = clientCredentials({
      tokenUrl: `${server.url}/token`,
      clientId: 'cli',
      clientSecret: 's3cret',
      fetch,
    })
    const client = closed(await A2AClient.connect(server.url, { tokens, fetch }))
    await client.sendMessage(say('one'))
    expect(urls).toContain('POST /token')
  })

  test('does not speak gRPC, and says so', async () => {
    const url = await specServer({ grpc: { port: 0 } })
    const connected = A2AClient.connect(url, { fetch, transports: ['grpc'] })
    await expect(connected).rejects.toMatchObject({
      code: 'no-usable-interface',
      message: expect.stringContaining('needs HTTP/2, which a client with a custom fetch does not support'),
    })
  })

  test('an abort ends a call and a stream, also when the fetch does not listen', async () => {
    const silent = await silentServer()
    const deaf = (url: string, init: RequestInit) => fetch(url, { ...init, signal: null })
    for (const own of [fetch, deaf] as const) {
      const client = closed(A2AClient.fromCard(cardAt(silent.url), { fetch: own }))
      const aborter = new AbortController()
      const call = client.sendMessage(say('hello'), { signal: aborter.signal })
      const first = client.streamMessage(say('hello'), { signal: aborter.signal }).next()
      aborter.abort()
      await expect(call).rejects.toMatchObject({ name: 'NetError', code: 'aborted' })
      await expect(first).rejects.toMatchObject({ name: 'NetError', code: 'aborted' })
    }
    const slow = closed(A2AClient.fromCard(cardAt(silent.url), { fetch: deaf, timeoutMs: 20 }))
    await expect(slow.sendMessage(say('hello'))).rejects.toMatchObject({ code: 'timeout' })
  })

  test('that fails is told with its reason', async () => {
    const offline = closed(
      A2AClient.fromCard(cardAt('http://127.0.0.1:1'), { fetch: () => Promise.reject(new Error('no network today')) }),
    )
    await expect(offline.sendMessage(say('hello'))).rejects.toMatchObject({
      code: 'agent-unreachable',
      message: expect.stringContaining('no network today'),
    })
    const nobody = closed(A2AClient.fromCard(cardAt('http://127.0.0.1:1'), { fetch }))
    await expect(nobody.sendMessage(say('hello'))).rejects.toMatchObject({ code: 'agent-unreachable' })
  })
})

test('an abort ends a call and a stream over our own connections', async () => {
  const silent = await silentServer()
  const client = closed(A2AClient.fromCard(cardAt(silent.url)))
  const aborter = new AbortController()
  const call = client.call('sendMessage', say('hello'), { signal: aborter.signal })
  const first = client.stream('streamMessage', say('hello'), { signal: aborter.signal }).next()
  aborter.abort()
  await expect(call).rejects.toMatchObject({ name: 'NetError', code: 'aborted' })
  await expect(first).rejects.toMatchObject({ name: 'NetError', code: 'aborted' })
})

/** Takes every request and never answers. */
async function silentServer(): Promise<ScriptedServer> {
  const server = await startScriptedServer((request, res) => {
    if (request.path.includes('.well-known')) sendJson(res, 404, {})
  })
  closing.push(() => server.close())
  return server
}

function cardAt(url: string) {
  return { ...SPEC_CARD, supportedInterfaces: [{ url, protocolBinding: 'JSONRPC', protocolVersion: '1.0' }] }
}

function headerIn({ headers }: AuthRequest, name: string): string | undefined {
  const value = headers[name]
  return typeof value === 'string' ? value : undefined
}
