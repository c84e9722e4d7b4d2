// The tap for gRPC: passes calls on unchanged, keeps what they say, and shows whose bytes are wrong.

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { A2AClient } from '../client/index.ts'
import type { JsonObject } from '../model/json.ts'
import type { Reply } from '../net/serve/reply.ts'
import { type A2AServer, createServer, textOf } from '../server/index.ts'
import { blameFor, firstFault } from './blame.ts'
import { type OpenTap, openTap } from './open-tap.ts'

const SURFACES = [
  { version: '1.0', binding: 'grpc' },
  { version: '0.3', binding: 'grpc' },
] as const
/** Of gRPC: a message of no bytes, with its prefix. */
const NOTHING = Buffer.alloc(5)

let server: A2AServer
let url: string
let card: JsonObject
/** Answers the next call instead of the agent. */
let instead: Reply | undefined

beforeAll(async () => {
  server = createServer({
    card: {
      ...{ name: 'tapped', description: 'tapped', version: '1', capabilities: { streaming: true } },
      ...{ defaultInputModes: ['text/plain'], defaultOutputModes: ['text/plain'] },
      skills: [{ id: 'echo', name: 'Echo', description: 'Says it again.', tags: ['test'] }],
    },
    agent: async (message, context) => {
      await context.artifact({ artifactId: 'answer', parts: [{ text: textOf(message) }] })
      await context.complete()
    },
    grpc: true,
    intercept: (request, answer) =>
      instead !== undefined && request.takesTrailers === true ? instead : answer(request),
  })
  url = (await server.listen()).url
  card = (await (await fetch(`${url}/.well-known/agent-card.json`)).json()) as JsonObject
})
afterAll(() => server.close({ graceMs: 0 }))

async function through<T>(surface: (typeof SURFACES)[number], use: (tap: OpenTap, client: A2AClient) => Promise<T>) {
  const tap = await openTap(card, surface, url)
  if (typeof tap === 'string') throw new Error(tap)
  try {
    using client = await A2AClient.connect(tap.url, { transports: ['grpc'], versions: [surface.version] })
    return await use(tap, client)
  } finally {
    await tap.close()
  }
}

const message = { messageId: 'm', role: 'ROLE_USER' as const, parts: [{ text: 'Grüße' }] }

describe.each(SURFACES)('gRPC of $version', (surface) => {
  test('passes calls and streams on, and keeps their messages', async () => {
    await through(surface, async (tap, client) => {
      const sent = await client.sendMessage({ message })
      const events: unknown[] = []
      for await (const { event } of client.streamMessage({ message: { ...message, messageId: 'n' } }))
        events.push(event)
      expect(sent).toMatchObject({ task: { status: { state: 'TASK_STATE_COMPLETED' } } })
      expect(events.length).toBeGreaterThan(1)
      const calls = tap.exchanges.filter(({ protocol }) => protocol === 'grpc')
      expect(calls).toHaveLength(2)
      expect(calls.map(({ response }) => response?.frames?.length)).toEqual([1, events.length])
      expect(calls[0]).toMatchObject({ request: { message: expect.stringContaining('Grüße') as string } })
      expect(firstFault(tap.exchanges, surface, tap.root)).toBeUndefined()
    })
  })

  test('passes an error on, which is legal', async () => {
    await through(surface, async (tap, client) => {
      await expect(client.getTask({ id: crypto.randomUUID() })).rejects.toMatchObject({ kind: 'TaskNotFound' })
      expect(firstFault(tap.exchanges, surface, tap.root)).toBeUndefined()
      expect(blameFor(tap.exchanges, surface, tap.root, { outcome: undefined })).toMatchObject({ blame: 'both' })
    })
  })

  test('blames the server for an answer that is not what the schema says', async () => {
    const answer = { status: 200, headers: ['content-type', 'application/grpc'], trailers: ['grpc-status', '0'] }
    instead = { ...answer, body: NOTHING }
    try {
      await through(surface, async (tap, client) => {
        await expect(client.sendMessage({ message })).rejects.toThrow()
        expect(firstFault(tap.exchanges, surface, tap.root)).toMatchObject({ blame: 'server' })
      })
    } finally {
      instead = undefined
    }
  })

  test('blames the client for a message without parts', async () => {
    await through(surface, async (tap, client) => {
      await client.sendMessage({ message: { ...message, parts: [] } }).catch(() => undefined)
      expect(firstFault(tap.exchanges, surface, tap.root)).toMatchObject({ blame: 'client' })
    })
  })
})
