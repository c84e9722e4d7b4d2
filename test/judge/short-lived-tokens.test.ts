// Runs that outlast their access token: each is taken for a few calls only, and the run goes on with the next. Nothing is held
// against the agent, on any binding, and no token comes out in the report.

import { randomUUID } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { SPEC_CARD } from '../../src/agents/cards.ts'
import { specAgent } from '../../src/agents/spec.ts'
import { SessionTokens } from '../../src/auth/session-tokens.ts'
import { clientCredentials } from '../../src/auth/token-provider.ts'
import { certify, resultsOf } from '../../src/judge/index.ts'
import { A2AError } from '../../src/model/errors.ts'
import { HttpClient } from '../../src/net/http-client.ts'
import { type A2AServer, createServer } from '../../src/server/index.ts'
import { runParley } from '../support/parley-process.ts'

/** Calls a token is good for. */
const USES = 40
const CHECKS = ['lifecycle', 'auth-missing', 'auth-wrong', 'auth-accepted', 'secrets-not-echoed']

let server: A2AServer
let url = ''
let folder = ''
let port = 0
const uses = new Map<string, number>()
const grants: string[] = []

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'parley-tokens-'))
  // The card names the place tokens come from, so the port is chosen before.
  const probe = createServer({ card: SPEC_CARD, agent: specAgent })
  ;({ port } = await probe.listen())
  await probe.close({ graceMs: 0 })
  const tokenUrl = `http://127.0.0.1:${port}/token`
  server = createServer({
    card: {
      ...SPEC_CARD,
      securitySchemes: { oauth: { oauth2SecurityScheme: { flows: { clientCredentials: { tokenUrl, scopes: {} } } } } },
      securityRequirements: [{ schemes: { oauth: { list: [] } } }],
    },
    agent: specAgent,
    grpc: true,
    authenticate: async ({ headers: { authorization = '' } }) => {
      const token = authorization.replace(/^Bearer /, '')
      const used = uses.get(token) ?? USES
      if (used >= USES) return new A2AError('Unauthenticated', 'The token has ended.', { challenge: 'Bearer' })
      uses.set(token, used + 1)
      return { subject: 'cli' }
    },
    async intercept(request, answer) {
      if (request.path !== '/token') return answer(request)
      const form = new URLSearchParams(
        (await request.body.read({ bodyBytes: 10_000, receivingBytes: 100_000 })).toString(),
      )
      grants.push(form.get('grant_type') ?? '')
      const token = `short-lived-${randomUUID()}`
      uses.set(token, 0)
      const granted = { access_token: token, token_type: 'Bearer', expires_in: 3600, refresh_token: 'again' }
      return { status: 200, headers: ['Content-Type', 'application/json'], body: JSON.stringify(granted) }
    },
  })
  ;({ url } = await server.listen({ port }))
})

afterAll(async () => {
  await server.close({ graceMs: 0 })
  rmSync(folder, { recursive: true, force: true })
})

beforeEach(() => {
  grants.length = 0
})

const CLIENT = { clientId: 'cli', clientSecret: 's3cret' }

test.each(['jsonrpc', 'rest', 'grpc'] as const)('goes on when the agent refuses a token over %s', async (transport) => {
  const tokens = clientCredentials({ tokenUrl: `${url}/token`, ...CLIENT })
  const report = await certify(url, { tokens, transports: [transport], versions: ['1.0'], only: CHECKS })
  expect(resultsOf(report).filter(({ verdict }) => verdict === 'fail' || verdict === 'harness-error')).toEqual([])
  expect(resultsOf(report).filter(({ verdict }) => verdict === 'pass').length).toBeGreaterThan(20)
  expect(grants.length).toBeGreaterThan(5)
  expect(JSON.stringify(report)).not.toContain('short-lived')
})

test('renews a token before it ends, with the refresh token', async () => {
  // An hour passes between any two looks at the clock.
  let clock = 0
  const http = new HttpClient()
  const tokens = new SessionTokens({
    ...{ http, client: CLIENT, flow: 'authorization-code', trusted: new Set([url]), tell: () => {} },
    endpoints: { tokenUrl: `${url}/token`, flows: ['authorization-code'], scopes: [] },
    now: () => (clock += 3_600_000),
    before: { accessToken: 'ended', refreshToken: 'first', staleAtMs: 0 },
  })
  const report = await certify(url, { tokens, transports: ['jsonrpc'], only: ['send-result', 'get-task-unknown'] })
  http.close()
  expect(resultsOf(report).filter(({ verdict }) => verdict === 'fail' || verdict === 'harness-error')).toEqual([])
  expect(new Set(grants)).toEqual(new Set(['refresh_token']))
  expect(grants.length).toBeGreaterThan(3)
})

test('parley test does it from the command line', async () => {
  const file = join(folder, 'report.json')
  const login = ['--client-id', 'cli', '--client-secret', 's3cret']
  const how = ['--only', 'send-result', '--only', 'lifecycle', '--transport', 'jsonrpc', '--format', `json:${file}`]
  const { code, stdout, stderr } = await runParley(['test', url, ...login, ...how], { cwd: folder })
  expect(code, stdout + stderr).toBe(0)
  expect(grants.length).toBeGreaterThan(3)
  expect(stdout + stderr + readFileSync(file, 'utf8')).not.toContain('short-lived')
})

test('says that no other token can be had', async () => {
  let asked = 0
  const tokens = async () => {
    if (++asked > 4) throw new Error('the authorization server is away')
    const token = `short-lived-${asked}`
    uses.set(token, 0)
    return token
  }
  const report = await certify(url, { tokens, transports: ['jsonrpc'], only: ['lifecycle'] })
  const unmeasured = resultsOf(report).filter(({ message = '' }) =>
    message.includes('the authorization server is away'),
  )
  expect(unmeasured.length).toBeGreaterThan(3)
  expect(unmeasured.every(({ verdict }) => verdict === 'not-measured')).toBe(true)
})
