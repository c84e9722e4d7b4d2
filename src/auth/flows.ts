// The ways to a first token: client credentials (RFC 6749 §4.4), authorization code with PKCE (RFC 7636) and a loopback
// redirect (RFC 8252), device code (RFC 8628); and the way to the next one, refresh (RFC 6749 §6).

import { createHash, randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { defined } from '../base/defined.ts'
import { EXIT, ParleyError } from '../model/errors.ts'
import { connectionSentence, REFUSED_ADDRESS } from './connection-sentence.ts'
import { type LoopbackRedirect, openLoopbackRedirect } from './loopback-redirect.ts'
import type { FlowName, OAuthEndpoints } from './oauth-endpoints.ts'
import { askForToken, type OAuthClient, postForm, type TokenQuestion, type Tokens } from './token-endpoint.ts'

export interface FlowOptions extends Pick<TokenQuestion, 'http' | 'signal' | 'now'> {
  readonly client: OAuthClient
  readonly endpoints: OAuthEndpoints
  readonly scope?: string | undefined
  /** Told what the person has to do: an address to open, a code to type. */
  tell(line: string): void
  /** The same as data, for whoever has something better than a terminal; `tell` is then left alone. */
  prompt?: ((step: LoginStep) => void) | undefined
  /** Where the browser comes back to; a listener of its own unless given. */
  redirect?: (() => Promise<LoopbackRedirect>) | undefined
  /** What to do about a failure, where the caller is no command line. */
  readonly hints?: AuthHints | undefined
  /** Between two questions about a device code. */
  pause?(ms: number, signal: AbortSignal | undefined): Promise<unknown>
}

/** What to do about a failure, in the words of whoever asked: flags for the command line, options for a program. */
export interface AuthHints {
  /** The server gave no token. */
  readonly noToken: string
  /** The address of the server must not be called. */
  readonly refusedAddress: string
}

const FLAGS: AuthHints = {
  noToken: 'Check --client-id, --client-secret and --scope, or give an access token with --bearer TOKEN.',
  refusedAddress: REFUSED_ADDRESS,
}

export type LoginStep =
  | { readonly kind: 'open'; readonly url: string }
  | { readonly kind: 'device'; readonly url: string; readonly code: string }

export const FLOWS: { readonly [flow in FlowName]: (options: FlowOptions) => Promise<Tokens> } = {
  'client-credentials': (options) => tokensFor(options, { grant_type: 'client_credentials', scope: options.scope }),
  'authorization-code': authorizationCode,
  'device-code': deviceCode,
}

export function refresh(options: FlowOptions, refreshToken: string): Promise<Tokens> {
  return tokensFor(options, { grant_type: 'refresh_token', refresh_token: refreshToken })
}

async function authorizationCode(options: FlowOptions): Promise<Tokens> {
  const { authorizationUrl } = options.endpoints
  if (authorizationUrl === undefined) throw noToken(options, 'it names no address for a login')
  const verifier = randomBytes(32).toString('base64url')
  const state = randomBytes(16).toString('base64url')
  const redirect = await (options.redirect ?? openLoopbackRedirect)()
  try {
    const url = new URL(authorizationUrl)
    const query = {
      response_type: 'code',
      client_id: options.client.clientId,
      redirect_uri: redirect.url,
      state,
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
      ...defined({ scope: options.scope }),
    }
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
    if (options.prompt === undefined) options.tell(`Open this address in a browser on this machine:\n  ${url.href}`)
    else options.prompt({ kind: 'open', url: url.href })
    const code = await unlessAborted(redirect.code(state), options.signal)
    return await tokensFor(options, {
      grant_type: 'authorization_code',
      code,
      redirect_uri: redirect.url,
      code_verifier: verifier,
    })
  } finally {
    await redirect.close()
  }
}

const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code'
const DEFAULT_INTERVAL_S = 5
const MAX_INTERVAL_S = 60

async function deviceCode(options: FlowOptions): Promise<Tokens> {
  const { endpoints, scope, http, client, signal } = options
  if (endpoints.deviceUrl === undefined) throw noToken(options, 'it names no address for device codes')
  const asked = postForm({ http, url: endpoints.deviceUrl, client, form: { scope }, signal })
  const { status, json } = await asked.catch((error: unknown) => {
    throw connectionSentence(error, 'The device authorization server')
  })
  const { device_code: code, user_code: userCode, verification_uri: place, verification_uri_complete: whole } = json
  if (status !== 200 || typeof code !== 'string' || typeof userCode !== 'string' || typeof place !== 'string')
    throw noToken(options, `it gave no device code (HTTP ${status})`)
  tellDevice(options, { place, userCode, whole })
  let seconds = intervalOf(json.interval)
  for (;;) {
    await (options.pause ?? pauseFor)(seconds * 1000, signal)
    const form = { grant_type: DEVICE_GRANT, device_code: code }
    const answer = await ask(options, form)
    if (answer.ok) return answer.tokens
    if (answer.error === 'slow_down') seconds = Math.min(seconds + 5, MAX_INTERVAL_S)
    else if (answer.error !== 'authorization_pending') throw noToken(options, refusal(answer))
  }
}

function tellDevice(
  { tell, prompt }: FlowOptions,
  { place, userCode, whole }: { place: string; userCode: string; whole: unknown },
): void {
  if (prompt !== undefined) {
    prompt({ kind: 'device', url: typeof whole === 'string' ? whole : place, code: printable(userCode) })
    return
  }
  tell(`Open ${printable(place)} and enter the code ${printable(userCode)}`)
  if (typeof whole === 'string') tell(`or open ${printable(whole)}`)
}

function intervalOf(value: unknown): number {
  return typeof value === 'number' && value > 0 ? Math.min(value, MAX_INTERVAL_S) : DEFAULT_INTERVAL_S
}

function pauseFor(ms: number, signal: AbortSignal | undefined): Promise<unknown> {
  return pause(ms, undefined, signal === undefined ? {} : { signal })
}

async function tokensFor(options: FlowOptions, form: TokenQuestion['form']): Promise<Tokens> {
  const answer = await ask(options, form)
  if (answer.ok) return answer.tokens
  throw noToken(options, refusal(answer))
}

async function ask(options: FlowOptions, form: TokenQuestion['form']) {
  const { http, client, endpoints, signal, now } = options
  const question = { http, client, url: endpoints.tokenUrl, form, signal, ...defined({ now }) }
  try {
    return await askForToken(question)
  } catch (error) {
    throw connectionSentence(error, 'The token server', (options.hints ?? FLAGS).refusedAddress)
  }
}

function refusal({ status, error }: { status: number; error?: string }): string {
  return `it answered HTTP ${status}${error === undefined ? '' : ` (${error})`}`
}

function noToken({ hints = FLAGS }: FlowOptions, why: string): ParleyError {
  return new ParleyError('no-token', `The authorization server of the agent gave no token: ${why}.`, {
    exitCode: EXIT.unauthenticated,
    hint: hints.noToken,
  })
}

function unlessAborted<T>(waited: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return waited
  const aborted = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true })
  })
  return Promise.race([waited, aborted])
}

/** A stranger's text for a terminal. */
function printable(text: string): string {
  return text.replaceAll(/[^\x20-\x7e]/g, '?').slice(0, 500)
}
