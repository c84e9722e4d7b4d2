// AUTH-2 and AUTH-3: every path, method, binding and generation that the tables of the dialects know, and the spellings
// by which somebody may try to reach them, without credentials. Only the public card answers.

import { runInNewContext } from 'node:vm'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ECHO_CARD, SECURE_CARD } from '../../src/agents/cards.ts'
import { specAgent } from '../../src/agents/spec.ts'
import type { Dialect, DialectId } from '../../src/dialects/dialect.ts'
import { dialectById } from '../../src/dialects/index.ts'
import { A2AError } from '../../src/model/errors.ts'
import type { AuthConfig } from '../../src/server/auth/auth-config.ts'
import { type A2AServer, createServer } from '../../src/server/server.ts'
import { callRaw, type RawAnswer, restCall, rpcCall, type WireCall } from './wire-calls.ts'

const AUTH: AuthConfig[] = [{ kind: 'bearer', token: 'open-sesame', subject: 'alice' }]
const VERBS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const
const ROUTES_AT_LEAST = 500

/** At a path of its own, and at the root, where nothing stands in front of it. */
const MOUNTS: readonly { path: string; dialects: readonly DialectId[] }[] = [
  { path: '/secure', dialects: ['1.0', '0.3'] },
  { path: '/secure-legacy', dialects: ['0.1'] },
]

let apart: A2AServer
let atRoot: A2AServer
let apartUrl: string
let rootUrl: string
beforeAll(async () => {
  const { extendedAgentCard: _, ...capabilities } = SECURE_CARD.capabilities
  const shared = { card: { ...SECURE_CARD, capabilities }, agent: specAgent, auth: AUTH }
  apart = createServer({ agents: MOUNTS.map((mount) => ({ ...shared, ...mount })) })
  atRoot = createServer({ ...shared, path: '/', dialects: ['1.0', '0.3'] })
  apartUrl = (await apart.listen()).url
  rootUrl = (await atRoot.listen()).url
})
afterAll(() => Promise.all([apart.close({ graceMs: 0 }), atRoot.close({ graceMs: 0 })]))

interface Knock {
  base: string
  call: WireCall
}

function callsOf(dialect: Dialect): WireCall[] {
  const byRpc = Object.values(dialect.methods).map((method) => rpcCall(dialect, method, { id: 'x' }))
  const byRoute = dialect.routes.flatMap((route) =>
    VERBS.map((method) => ({ ...restCall(dialect, route, {}), name: `${method} ${route.path}`, method })),
  )
  const atOddVerbs = VERBS.filter((method) => method !== 'GET' && method !== 'HEAD').map((method) => ({
    ...rpcCall(dialect, 'GetTask', { id: 'x' }),
    name: `${method} the endpoint`,
    method,
  }))
  return [...byRpc, ...byRoute, ...atOddVerbs]
}

function knocks(): Knock[] {
  const found: Knock[] = []
  for (const { path, dialects } of MOUNTS)
    for (const id of dialects) {
      for (const call of callsOf(dialectById(id))) {
        found.push({ base: apartUrl + path, call })
        if (path === '/secure') found.push({ base: rootUrl, call })
      }
    }
  return found
}

function header({ headers }: RawAnswer, name: string): string | undefined {
  return headers.find((each) => each.toLowerCase().startsWith(`${name.toLowerCase()}:`))
}

test('AUTH-2: nothing but the card answers without credentials', async () => {
  const all = knocks()
  for (const { base, call } of all) {
    const answer = await callRaw(base, call)
    const what = `${base} ${call.name} ${JSON.stringify(call.headers)}`
    expect(answer.status, what).toBe(401)
    expect(header(answer, 'WWW-Authenticate'), what).toContain('Bearer realm="parley"')
  }
  console.log(`AUTH-2: ${all.length} routes`)
  expect(all.length).toBeGreaterThanOrEqual(ROUTES_AT_LEAST)
})

test.each([
  ['a wrong token', { Authorization: 'Bearer guess' }],
  ['an empty one', { Authorization: '' }],
  ['another scheme', { Authorization: 'Basic b3Blbjpz' }],
  ['a token in the wrong place', { 'X-API-Key': 'open-sesame' }],
  ['a word of trust from a proxy', { 'X-Forwarded-User': 'alice', 'X-Remote-User': 'alice' }],
])('AUTH-2: %s is no credential', async (_, headers) => {
  for (const base of [`${apartUrl}/secure`, `${apartUrl}/secure-legacy`, rootUrl]) {
    const answer = await callRaw(base, rpcCall(dialectById('1.0'), 'GetTask', { id: 'x' }), { headers })
    expect(answer.status).toBe(401)
  }
})

test('AUTH-2: a check of its own is waited for, also where its promise is not one of ours', async () => {
  const promised = runInNewContext('(answer) => Promise.resolve(answer)') as (answer: A2AError) => Promise<A2AError>
  const refusal = new A2AError('Unauthenticated', 'Nobody is welcome.')
  const server = createServer({ card: ECHO_CARD, agent: specAgent, authenticate: () => promised(refusal) })
  try {
    const { url } = await server.listen()
    const answer = await callRaw(url, rpcCall(dialectById('1.0'), 'GetTask', { id: 'x' }))
    expect(answer.status).toBe(401)
    expect(answer.body).toContain('Nobody is welcome.')
  } finally {
    await server.close({ graceMs: 0 })
  }
})

test('the card and its preflight are public, and tell nothing about tasks', async () => {
  for (const { path, dialects } of MOUNTS)
    for (const id of dialects)
      for (const place of dialectById(id).card.wellKnownPaths) {
        const call = { name: place, method: 'GET', path: place, headers: {}, body: '' }
        expect((await callRaw(apartUrl + path, call)).status, place).toBe(200)
        expect((await callRaw(apartUrl + path, { ...call, method: 'POST' })).status, place).toBe(405)
        const preflight = await callRaw(apartUrl + path, { ...call, method: 'OPTIONS', path: '/tasks' })
        expect({ status: preflight.status, body: preflight.body }).toEqual({ status: 204, body: '' })
      }
})

describe('AUTH-3: a path spelt otherwise is the same path or none', () => {
  const spellings: readonly [string, (path: string) => string][] = [
    ['a doubled slash', (path) => path.replace('/tasks', '//tasks')],
    ['a leading double slash', (path) => `/${path}`],
    ['a dot segment', (path) => path.replace('/tasks', '/./tasks')],
    ['two dots through the card', (path) => path.replace('/tasks', '/.well-known/agent-card.json/../../tasks')],
    ['encoded dots', (path) => path.replace('/tasks', '/.well-known/%2e%2e/tasks')],
    ['an encoded slash', (path) => path.replace('/tasks', '%2ftasks')],
    ['an encoded letter', (path) => path.replace('/tasks', '/%74asks')],
    ['a path parameter', (path) => path.replace('/tasks', ';x=/.well-known/agent-card.json/tasks')],
    ['a card as parameter', (path) => `${path};/.well-known/agent-card.json`],
    ['a card as query', (path) => `${path}?/.well-known/agent-card.json`],
    ['a card as fragment', (path) => `${path}#/.well-known/agent-card.json`],
    ['capitals', (path) => path.toUpperCase()],
    ['a trailing slash', (path) => `${path}/`],
    ['a backslash', (path) => path.replace('/tasks', '\\tasks')],
    ['an absolute target', (path) => `http://127.0.0.1${path}`],
    ['the version in the query', (path) => `${path}?A2A-Version=1.0`],
    ['two versions', (path) => `${path}?A2A-Version=1.0&a2a-version=0.3`],
    ['the prefix of 0.3', (path) => path.replace('/tasks', '/v1/tasks')],
    ['a tenant', (path) => path.replace('/tasks', '/public/tasks')],
  ]
  const overrides: readonly Record<string, string>[] = [
    {},
    { 'X-HTTP-Method-Override': 'GET' },
    { 'X-Original-URL': '/.well-known/agent-card.json', 'X-Rewrite-URL': '/.well-known/agent-card.json' },
  ]

  test.each(spellings)('%s', async (_, spell) => {
    for (const mount of ['/secure', '/secure-legacy', ''])
      for (const method of VERBS)
        for (const headers of overrides) {
          const call = { name: '', method, path: '', headers: { 'A2A-Version': '1.0' }, body: '' }
          const rawPath = spell(`${mount}/tasks/some-task`)
          const answer = await callRaw(mount === '' ? rootUrl : apartUrl, call, { headers, rawPath })
          const what = `${method} ${rawPath}`
          expect([400, 401, 404], what).toContain(answer.status)
          // Where a mount is at the root, there is no elsewhere.
          if (mount === '' && answer.status !== 400) expect(answer.status, what).toBe(401)
        }
  })
})
