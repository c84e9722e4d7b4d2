// One question to an OAuth 2.0 token endpoint (RFC 6749 §3.2, §5), whoever asks it and with which grant.

import { isJsonObject, type JsonObject, type JsonValue } from '../model/json.ts'
import type { HttpClient } from '../net/http-client.ts'

export interface OAuthClient {
  readonly clientId: string
  /** Public clients have none. */
  readonly clientSecret?: string
}

export interface Tokens {
  readonly accessToken: string
  readonly refreshToken?: string
  /** When it should be replaced: some time before it ends. */
  readonly staleAtMs: number
}

export type TokenAnswer =
  | { readonly ok: true; readonly tokens: Tokens }
  /** `error` is a word of the RFCs; anything else a server says is not repeated. */
  | { readonly ok: false; readonly status: number; readonly error?: string }

export interface TokenQuestion {
  readonly http: HttpClient
  readonly url: string
  readonly client: OAuthClient
  readonly form: { readonly [name: string]: string | undefined }
  readonly signal?: AbortSignal | undefined
  now?(): number
}

/** A token is replaced so long before its end that a call begun with it still arrives in time. */
const EXPIRY_SKEW_MS = 30_000
const DEFAULT_LIFETIME_SECONDS = 300
const ERRORS = new Set([
  'invalid_request',
  'invalid_client',
  'invalid_grant',
  'unauthorized_client',
  'unsupported_grant_type',
  'invalid_scope',
  // RFC 8628 §3.5.
  'authorization_pending',
  'slow_down',
  'access_denied',
  'expired_token',
])

/** Throws NetError when the endpoint cannot be reached. */
export async function askForToken(question: TokenQuestion): Promise<TokenAnswer> {
  const { now = Date.now } = question
  const askedAtMs = now()
  const { status, json } = await postForm(question)
  if (status !== 200 || typeof json.access_token !== 'string') {
    const { error } = json
    return { ok: false, status, ...(typeof error === 'string' && ERRORS.has(error) ? { error } : {}) }
  }
  const lifetimeMs = secondsOf(json.expires_in) * 1000
  return {
    ok: true,
    tokens: {
      accessToken: json.access_token,
      ...(typeof json.refresh_token === 'string' ? { refreshToken: json.refresh_token } : {}),
      // A short-lived token is used for most of its life, not for none of it.
      staleAtMs: askedAtMs + lifetimeMs - Math.min(EXPIRY_SKEW_MS, lifetimeMs / 4),
    },
  }
}

/** A confidential client shows itself in the header (RFC 6749 §2.3.1), a public one names itself in the form. */
export async function postForm(question: TokenQuestion): Promise<{ status: number; json: JsonObject }> {
  const { http, url, client, form, signal } = question
  const body = new URLSearchParams()
  for (const [name, value] of Object.entries(form)) if (value !== undefined) body.set(name, value)
  const headers: [string, string][] = [
    ['Accept', 'application/json'],
    ['Content-Type', 'application/x-www-form-urlencoded'],
  ]
  if (client.clientSecret === undefined) body.set('client_id', client.clientId)
  else headers.push(['Authorization', `Basic ${basic(client.clientId, client.clientSecret)}`])
  const response = await http.request({ method: 'POST', url, headers, body: body.toString(), signal })
  return { status: response.status, json: objectIn(await response.text()) }
}

function basic(id: string, secret: string): string {
  return Buffer.from(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`).toString('base64')
}

function secondsOf(value: JsonValue | undefined): number {
  const seconds = typeof value === 'string' ? Number(value) : value
  return typeof seconds === 'number' && seconds > 0 ? seconds : DEFAULT_LIFETIME_SECONDS
}

/** An empty object for what is no JSON object. */
export function objectIn(text: string): JsonObject {
  try {
    const json = JSON.parse(text) as JsonValue
    return isJsonObject(json) ? json : {}
  } catch {
    return {}
  }
}
