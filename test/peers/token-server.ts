// An agent and its authorization server on one port: a card with the given OAuth schemes, a token endpoint for every grant,
// and a JSON-RPC endpoint that answers only to tokens given out. It keeps what it was asked.

import { createHash, randomUUID } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { sendJson as json, type Received, startScriptedServer } from './scripted-server.ts'

export interface TokenServer {
  readonly url: string
  /** The forms the token endpoint received. */
  readonly forms: URLSearchParams[]
  /** Makes every token given out so far invalid. */
  expire(): void
  /** Lets the person at the device say yes. */
  approve(): void
  close(): Promise<void>
}

export interface TokenServerOptions {
  /** What the card declares: the flows of OAuth 2.0, or OpenID Connect. */
  scheme?: 'oauth2' | 'openid'
  /** Where the card says tokens come from; its own origin unless given. */
  tokenOrigin?: string
  expiresIn?: number
}

export async function startTokenServer(options: TokenServerOptions = {}): Promise<TokenServer> {
  const tokens = new IssuedTokens(options.expiresIn ?? 3600)
  const server = await startScriptedServer((req, res) => {
    const url = new URL(req.path, 'http://127.0.0.1')
    const origin = `http://${req.headers.host}`
    if (url.pathname === '/.well-known/agent-card.json') return json(res, 200, cardAt(origin, options))
    if (url.pathname === '/.well-known/openid-configuration') return json(res, 200, openIdAt(origin))
    if (url.pathname === '/authorize') return tokens.authorize(res, url.searchParams)
    if (req.method !== 'POST') return void res.writeHead(404).end()
    if (url.pathname === '/device') return json(res, 200, deviceAt(origin))
    if (url.pathname === '/token') return tokens.exchange(res, req)
    if (!tokens.isValid((req.headers.authorization ?? '').replace(/^Bearer /, '')))
      return void res.writeHead(401, { 'WWW-Authenticate': 'Bearer' }).end()
    const { id } = JSON.parse(req.body) as { id: number }
    const message = { messageId: 'm', role: 'ROLE_AGENT', parts: [{ text: 'welcome' }] }
    json(res, 200, { jsonrpc: '2.0', id, result: { message } })
  })
  return {
    url: server.url,
    forms: tokens.forms,
    expire: () => tokens.expire(),
    approve: () => tokens.approve(),
    close: () => server.close(),
  }
}

class IssuedTokens {
  readonly forms: URLSearchParams[] = []
  readonly #expiresIn: number
  readonly #valid = new Set<string>()
  readonly #refreshable = new Set<string>()
  readonly #challenges = new Map<string, { challenge: string; redirect: string }>()
  #isApproved = false
  #polls = 0

  constructor(expiresIn: number) {
    this.#expiresIn = expiresIn
  }

  isValid(token: string): boolean {
    return this.#valid.has(token)
  }

  expire(): void {
    this.#valid.clear()
  }

  approve(): void {
    this.#isApproved = true
  }

  /** The person at the browser says yes at once. */
  authorize(res: ServerResponse, query: URLSearchParams) {
    const code = randomUUID()
    const redirect = query.get('redirect_uri') ?? ''
    this.#challenges.set(code, { challenge: query.get('code_challenge') ?? '', redirect })
    const back = new URL(redirect)
    back.searchParams.set('code', code)
    back.searchParams.set('state', query.get('state') ?? '')
    res.writeHead(302, { Location: back.href }).end()
  }

  exchange(res: ServerResponse, req: Received) {
    const form = new URLSearchParams(req.body)
    this.forms.push(form)
    const basic = Buffer.from((req.headers.authorization ?? '').replace(/^Basic /, ''), 'base64').toString('utf8')
    switch (form.get('grant_type') ?? '') {
      case 'client_credentials':
        return basic === 'cli:s3cret' ? this.#grant(res, false) : json(res, 401, { error: 'invalid_client' })
      case 'authorization_code': {
        const known = this.#challenges.get(form.get('code') ?? '')
        const proof = createHash('sha256')
          .update(form.get('code_verifier') ?? '')
          .digest('base64url')
        const isRight = known?.challenge === proof && known.redirect === form.get('redirect_uri')
        return isRight ? this.#grant(res, true) : json(res, 400, { error: 'invalid_grant' })
      }
      case 'refresh_token':
        return this.#refreshable.has(form.get('refresh_token') ?? '')
          ? this.#grant(res, true)
          : json(res, 400, { error: 'invalid_grant' })
      default:
        if (this.#isApproved) return this.#grant(res, true)
        return json(res, 400, { error: this.#polls++ === 0 ? 'slow_down' : 'authorization_pending' })
    }
  }

  #grant(res: ServerResponse, withRefresh: boolean): void {
    const token = `access-${randomUUID()}`
    this.#valid.add(token)
    const refresh = `refresh-${randomUUID()}`
    if (withRefresh) this.#refreshable.add(refresh)
    const more = withRefresh ? { refresh_token: refresh } : {}
    json(res, 200, { access_token: token, token_type: 'Bearer', expires_in: this.#expiresIn, ...more })
  }
}

function openIdAt(origin: string) {
  return {
    issuer: origin,
    token_endpoint: `${origin}/token`,
    authorization_endpoint: `${origin}/authorize`,
    device_authorization_endpoint: `${origin}/device`,
  }
}

function deviceAt(origin: string) {
  return { device_code: 'dev', user_code: 'ABCD-EFGH', verification_uri: `${origin}/go`, interval: 1 }
}

function cardAt(origin: string, { scheme = 'oauth2', tokenOrigin = origin }: TokenServerOptions) {
  const tokenUrl = `${tokenOrigin}/token`
  const scopes = { use: 'use the agent' }
  const flows = {
    clientCredentials: { tokenUrl, scopes },
    authorizationCode: { authorizationUrl: `${tokenOrigin}/authorize`, tokenUrl, scopes },
    deviceCode: { deviceAuthorizationUrl: `${tokenOrigin}/device`, tokenUrl, scopes },
  }
  // In 1.0 a scheme has one flow.
  const schemes =
    scheme === 'oauth2'
      ? Object.fromEntries(
          Object.entries(flows).map(([name, flow]) => [name, { oauth2SecurityScheme: { flows: { [name]: flow } } }]),
        )
      : { openid: { openIdConnectSecurityScheme: { openIdConnectUrl: `${origin}/.well-known/openid-configuration` } } }
  return {
    name: 'Locked',
    description: 'Answers to tokens.',
    version: '1.0.0',
    supportedInterfaces: [{ url: `${origin}/rpc`, protocolBinding: 'JSONRPC', protocolVersion: '1.0' }],
    capabilities: {},
    defaultInputModes: ['text/plain'],
    defaultOutputModes: ['text/plain'],
    skills: [{ id: 's', name: 'S', description: 'S', tags: ['s'] }],
    securitySchemes: schemes,
    securityRequirements: Object.keys(schemes).map((name) => ({ schemes: { [name]: { list: ['use'] } } })),
  }
}
