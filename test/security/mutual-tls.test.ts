// AUTH-6: client certificates, with real handshakes. Nobody is refused before the card can be read; everything else is for
// those whose certificate the handshake verified, and for nobody whose certificate it did not.

import { once } from 'node:events'
import { connect, type TLSSocket } from 'node:tls'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { LEGACY_CARD, SPEC_CARD } from '../../src/agents/cards.ts'
import { specAgent } from '../../src/agents/spec.ts'
import { A2AClient } from '../../src/client/a2a-client.ts'
import { A2AError } from '../../src/model/errors.ts'
import { HttpClient } from '../../src/net/http-client.ts'
import type { MountOptions } from '../../src/server/mount-options.ts'
import { type A2AServer, createServer } from '../../src/server/server.ts'
import { type Certified, type Issuer, makeAuthority, serverCertificate } from '../support/certificates.ts'

const MTLS = [{ kind: 'mtls' }] as const

let authority: Issuer
let own: Certified
let alice: Issuer
let bob: Issuer
let server: A2AServer
let url: string
const http = new HttpClient()

beforeAll(async () => {
  authority = makeAuthority('Parley Test')
  own = serverCertificate(authority)
  alice = authority.issue({ subject: { CN: 'alice', O: 'Works' }, use: 'client' })
  bob = authority.issue({ subject: { CN: 'bob', O: 'Works' }, use: 'client' })
  const { extendedAgentCard: _, pushNotifications: __, ...capabilities } = SPEC_CARD.capabilities
  const agents: MountOptions[] = [
    { path: '/mutual', card: { ...SPEC_CARD, capabilities }, agent: specAgent, auth: MTLS },
    {
      path: '/mutual-legacy',
      card: { ...LEGACY_CARD, capabilities },
      agent: specAgent,
      dialects: ['0.1'],
      auth: MTLS,
    },
    { path: '/either', card: { ...SPEC_CARD, capabilities }, agent: specAgent, auth: [...MTLS, BEARER] },
  ]
  server = createServer({ agents, tls: { ...own, ca: authority.cert } })
  url = (await server.listen()).url
})
afterAll(async () => {
  http.close()
  await server.close({ graceMs: 0 })
})

const BEARER = { kind: 'bearer', token: 'open-sesame', subject: 'carol' } as const

interface Answer {
  status: number
  challenge: string | undefined
  body: string
}

async function ask(path: string, certified: Certified | undefined, init: { method?: string; body?: string } = {}) {
  const headers = { 'A2A-Version': '1.0', 'Content-Type': 'application/json' }
  const tls = { ca: authority.cert, ...certified }
  const response = await http.request({ url: url + path, headers, tls, ...init })
  const answer: Answer = {
    status: response.status,
    challenge: response.header('www-authenticate'),
    body: await response.text(),
  }
  return answer
}

async function connectAs(certified: Certified | undefined, path = '/mutual'): Promise<A2AClient> {
  return A2AClient.connect(url + path, { tls: { ca: authority.cert, ...certified } })
}

function say(text: string) {
  return { message: { messageId: crypto.randomUUID(), role: 'ROLE_USER' as const, parts: [{ text }] } }
}

describe('without a certificate', () => {
  test('the card is readable, names mutual TLS, and has https addresses', async () => {
    const { status, body } = await ask('/mutual/.well-known/agent-card.json', undefined)
    expect(status).toBe(200)
    expect(JSON.parse(body)).toMatchObject({
      securitySchemes: { mtls: { mtlsSecurityScheme: {} } },
      securityRequirements: [{ schemes: { mtls: {} } }],
      supportedInterfaces: [{ url: `${url}/mutual` }, { url: `${url}/mutual` }],
    })
  })

  test.each([
    [
      'JSON-RPC',
      '/mutual',
      { method: 'POST', body: '{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{"id":"x"}}' },
    ],
    ['HTTP+JSON', '/mutual/tasks/x', {}],
    ['0.1', '/mutual-legacy', { method: 'POST', body: '{"jsonrpc":"2.0","id":1,"method":"tasks/get","params":{}}' }],
  ])('%s is answered 401 with a challenge', async (_, path, init) => {
    const { status, challenge, body } = await ask(path, undefined, init)
    expect({ status, challenge }).toEqual({ status: 401, challenge: 'Mutual realm="parley"' })
    expect(body).toContain('Authentication is required.')
    if (path === '/mutual-legacy') expect(JSON.parse(body)).toMatchObject({ error: { code: -32_000 } })
  })

  test('another accepted credential is enough where there is one', async () => {
    using client = await A2AClient.connect(`${url}/either`, { tls: { ca: authority.cert }, bearer: BEARER.token })
    expect(await client.sendMessage(say('task-lifecycle'))).toMatchObject({ task: {} })
    using certified = await connectAs(alice, '/either')
    expect(await certified.sendMessage(say('task-lifecycle'))).toMatchObject({ task: {} })
  })
})

test('a certificate of the authority is a caller, for a call and for a stream', async () => {
  using client = await connectAs(alice)
  expect(await client.sendMessage(say('task-lifecycle'))).toMatchObject({
    task: { status: { state: 'TASK_STATE_COMPLETED' } },
  })
  const states: string[] = []
  for await (const { event } of client.streamMessage(say('task-lifecycle')))
    if ('statusUpdate' in event) states.push(event.statusUpdate.status.state)
  expect(states).toContain('TASK_STATE_COMPLETED')
})

describe('a certificate that was not verified is nobody', () => {
  const strangers: readonly [string, () => Certified][] = [
    ['of another authority', () => makeAuthority('Elsewhere').issue({ subject: { CN: 'alice', O: 'Works' } })],
    ['of another authority of the same name', () => makeAuthority('Parley Test').issue({ subject: { CN: 'alice' } })],
    ['of itself', () => makeAuthority('alice')],
    ['that has expired', () => authority.issue({ subject: { CN: 'alice', O: 'Works' }, notAfter: new Date(0) })],
    ['that is for servers only', () => own],
    ['of somebody who has one of the authority', () => signedBy(bob)],
  ]

  test.each(strangers)('%s', async (_, certified) => {
    const { status, challenge, body } = await ask('/mutual/tasks/x', certified())
    expect({ status, challenge }).toEqual({ status: 401, challenge: 'Mutual realm="parley"' })
    expect(body).toContain('The credentials were not accepted.')
    expect((await ask('/mutual/.well-known/agent-card.json', certified())).status).toBe(200)
  })
})

describe('a resumed session is worth what its first handshake was', () => {
  const versions = ['TLSv1.2', 'TLSv1.3'] as const
  const cases = versions.flatMap((version) => [
    { version, who: 'nobody', status: 401, certified: () => undefined },
    {
      version,
      who: 'a stranger',
      status: 401,
      certified: () => makeAuthority('Elsewhere').issue({ subject: { CN: 'alice' } }),
    },
    { version, who: 'alice', status: 404, certified: () => alice },
  ])

  test.each(cases)('$version of $who: $status', async ({ version, status, certified }) => {
    const first = await shakeHands(version, certified())
    expect(await statusOn(first.socket)).toBe(status)
    const [session] = (await first.session) as [Buffer]
    first.socket.destroy()
    const second = await shakeHands(version, undefined, session)
    expect(second.socket.isSessionReused()).toBe(true)
    expect(await statusOn(second.socket)).toBe(status)
    second.socket.destroy()
  })

  async function shakeHands(version: (typeof versions)[number], certified?: Certified, known?: Buffer) {
    const socket = connect({
      ...{ host: '127.0.0.1', port: Number(new URL(url).port), ca: authority.cert, ...certified },
      ...{ minVersion: version, maxVersion: version, ...(known === undefined ? {} : { session: known }) },
    })
    const session = once(socket, 'session')
    await once(socket, 'secureConnect')
    return { socket, session }
  }

  async function statusOn(socket: TLSSocket): Promise<number> {
    socket.write('GET /mutual/tasks/x HTTP/1.1\r\nHost: localhost\r\nA2A-Version: 1.0\r\n\r\n')
    const [head] = (await once(socket, 'data')) as [Buffer]
    return Number(head.toString('latin1').split(' ')[1])
  }
})

describe('two certificates are two callers', () => {
  test('who do not see each other’s tasks', async () => {
    using mine = await connectAs(alice)
    using theirs = await connectAs(bob)
    const made = await mine.sendMessage(say('task-lifecycle'))
    const id = 'task' in made ? made.task.id : ''
    expect(await mine.getTask({ id })).toMatchObject({ id })
    const refusals = await Promise.all(
      [id, crypto.randomUUID()].map((each) => theirs.getTask({ id: each }).catch((error: unknown) => error)),
    )
    for (const refusal of refusals) expect(refusal).toBeInstanceOf(A2AError)
    expect(refusals.map((refusal) => (refusal as A2AError).kind)).toEqual(['TaskNotFound', 'TaskNotFound'])
    expect((await theirs.listTasks({})).tasks).toEqual([])
  })

  test('also when they share a common name', async () => {
    const subjects = [{ CN: 'twin', O: 'A' }, { CN: 'twin', O: 'B' }, { CN: 'twin, O=A' }]
    const seen: number[] = []
    for (const subject of subjects) {
      using client = await connectAs(authority.issue({ subject, use: 'client' }))
      await client.sendMessage(say('task-lifecycle'))
      seen.push((await client.listTasks({})).totalSize)
    }
    expect(seen).toEqual([1, 1, 1])
  })

  test('and a renewed one is the same', async () => {
    const names = ['spiffe://works/agents/dora']
    using before = await connectAs(authority.issue({ names, use: 'client' }))
    await before.sendMessage(say('task-lifecycle'))
    using after = await connectAs(authority.issue({ names, use: 'client' }))
    expect((await after.listTasks({})).totalSize).toBe(1)
  })
})

describe('start refuses', () => {
  const { extendedAgentCard: _, pushNotifications: __, ...capabilities } = SPEC_CARD.capabilities
  const agent = { path: '/m', card: { ...SPEC_CARD, capabilities }, agent: specAgent }

  test.each<[string, () => Parameters<typeof createServer>[0], string]>([
    ['certificates nobody asks for', () => ({ agents: [{ ...agent, auth: MTLS }], tls: own }), 'at /m accepts client'],
    ['certificates without TLS', () => ({ agents: [{ ...agent, auth: MTLS }] }), 'the server does not request one'],
    [
      'certificates nobody looks at',
      () => ({ agents: [{ ...agent, auth: [BEARER] }], tls: { ...own, ca: authority.cert } }),
      'so every client would be accepted',
    ],
    [
      'no authority',
      () => ({ agents: [{ ...agent, auth: MTLS }], tls: { ...own, ca: '' } }),
      'tls.ca holds no certificate',
    ],
    ['another’s key', () => ({ ...agent, tls: { cert: own.cert, key: bob.key } }), 'tls.key is not the key of the'],
    ['no key', () => ({ ...agent, tls: { cert: own.cert, key: own.cert } }), 'tls.key holds no private key'],
    ['a damaged certificate', () => ({ ...agent, tls: { ...own, cert: damaged(own.cert) } }), 'a damaged certificate'],
  ])('%s', async (_, options, message) => {
    await expect(createServer(options()).listen()).rejects.toThrow(message)
  })
})

function damaged(pem: string): string {
  return pem.replace(/\n.{20}/, '\n')
}

function signedBy(somebody: Issuer): Certified {
  const { cert, key } = somebody.issue({ subject: { CN: 'alice', O: 'Works' }, use: 'client' })
  return { cert: cert + somebody.cert, key }
}
