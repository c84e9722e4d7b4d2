// What to ask: one HTTP request as data, checked and completed before anything is sent.

import type { LookupFunction } from 'node:net'
import type { Exchange } from '../trace/exchange.ts'
import type { Reach } from './guard/reach.ts'
import { NetError } from './net-error.ts'

/** Which certificates to trust, and which one to show. */
export interface TlsOptions {
  /**
   * No TLS for addresses of gRPC that do not say; https addresses keep theirs.
   * @default false
   */
  plaintext?: boolean
  /**
   * Accepts any certificate.
   * @default false
   */
  insecure?: boolean
  /** Certificates to trust instead of the system's authorities: of an authority, or of the server itself. */
  ca?: string | Buffer
  /** Certificate to show to the server, PEM. */
  cert?: string | Buffer
  /** Private key of `cert`, PEM. */
  key?: string | Buffer
  /** Where the above came from, for commands that repeat a request. */
  files?: {
    /** File of `ca`. */
    ca?: string
    /** File of `cert`. */
    cert?: string
    /** File of `key`. */
    key?: string
  }
}

/** The same trust, as a caller without a certificate. */
export function withoutCertificate({ insecure, plaintext, ca, files }: TlsOptions): TlsOptions {
  return {
    ...(plaintext === undefined ? {} : { plaintext }),
    ...(insecure === undefined ? {} : { insecure }),
    ...(ca === undefined ? {} : { ca }),
    ...(files?.ca === undefined ? {} : { files: { ca: files.ca } }),
  }
}

/** As much of the Fetch standard as is used: `globalThis.fetch`, or what takes its place. */
export type FetchFunction = (url: string, init: RequestInit) => Promise<Response>

/** Header names and values, in order. */
export type HeaderPairs = readonly (readonly [string, string])[]

export interface HttpRequest {
  /** GET unless given. */
  method?: string
  url: string | URL
  /** Sent with these names, in this order; Host, Content-Length and Accept-Encoding are added where missing. */
  headers?: HeaderPairs | Readonly<Record<string, string>>
  body?: string | Uint8Array
  signal?: AbortSignal
  /** For the answer to arrive whole; for a stream, its head. */
  timeoutMs?: number
  /** For the next byte of a stream. */
  idleTimeoutMs?: number
  /** For a stream to end. */
  streamTimeoutMs?: number
  /** Of the answer, after decompression; of a stream, what is recorded. */
  maxBodyBytes?: number
  /** One server-sent event. */
  maxEventBytes?: number
  tls?: TlsOptions
  /** Keeps the certificate of `tls` back, to call without one. */
  withoutCertificate?: boolean
  /** Resolves the host for this request, which then shares no connection with any other. */
  lookup?: LookupFunction
  /** On a connection of its own: what creates something must not meet one that its server is about to close. */
  freshConnection?: boolean
  /**
   * A read: asked once more, on a connection of its own, when a used connection ends without a byte of an answer. The
   * exchange tells of it. By default GET, HEAD and OPTIONS.
   */
  repeatable?: boolean
  /** Who is asking, where the headers do not say. */
  userAgent?: string
  /** Says whether this address may be called at all; everything may without it. */
  reach?: Reach
  /** Sends it, instead of a connection of ours. */
  fetch?: FetchFunction
  /**
   * Whether the exchange holds the body of the answer.
   * @default true
   */
  keepsAnswer?: boolean
  /** Told once, before anything is sent; the exchange fills while it goes on. */
  onBegin?: (exchange: Exchange) => void
  /** Told once, when the exchange is over, however it ended. */
  onExchange?: (exchange: Exchange) => void
}

export type HttpClientDefaults = Pick<
  HttpRequest,
  | 'fetch'
  | 'timeoutMs'
  | 'idleTimeoutMs'
  | 'streamTimeoutMs'
  | 'maxBodyBytes'
  | 'maxEventBytes'
  | 'tls'
  | 'keepsAnswer'
  | 'onBegin'
  | 'onExchange'
  | 'reach'
  | 'userAgent'
>

/** Most calls go to few places; a URL that was parsed is never changed. */
const parsed = new Map<string, URL>()
const MOST_PARSED = 1_000

/** The URL as it will be asked for; throws NetError for one that cannot be. */
export function parseUrl(given: string | URL): URL {
  const text = String(given)
  const known = parsed.get(text)
  if (known !== undefined) return known
  const url = checkedUrl(text)
  if (parsed.size >= MOST_PARSED) parsed.clear()
  parsed.set(text, url)
  return url
}

function checkedUrl(text: string): URL {
  const url = URL.parse(text)
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    throw new NetError('protocol', 'The address is not an http:// or https:// URL.')
  }
  if (url.username !== '' || url.password !== '') {
    throw new NetError('protocol', 'The address must not contain a user name or password.')
  }
  return url
}

const TOKEN = /^[!#$%&'*+\-.^_`|~0-9a-z]+$/i
const UNSENDABLE = /[^\t\x20-\x7e\x80-\xff]/

/** What goes on the wire, in order. A refused value is not repeated in the message: it may be a secret. */
export function completeHeaders(
  url: URL,
  method: string,
  given: HttpRequest['headers'] = [],
  body: Uint8Array,
  userAgent?: string,
): (readonly [string, string])[] {
  const pairs = isPairs(given) ? [...given] : Object.entries(given)
  const names = new Set<string>()
  for (const [name, value] of pairs) {
    if (!TOKEN.test(name)) {
      throw new NetError('protocol', 'A header name contains a character HTTP does not allow.')
    }
    if (UNSENDABLE.test(value)) {
      throw new NetError('protocol', `The value of header ${name} contains a character HTTP does not allow.`)
    }
    names.add(name.toLowerCase())
  }
  const added: (readonly [string, string])[] = []
  if (!names.has('host')) added.push(['Host', url.host])
  const complete = [...added, ...pairs]
  if (userAgent !== undefined && !names.has('user-agent')) complete.push(['User-Agent', userAgent])
  if (!names.has('accept-encoding')) complete.push(['Accept-Encoding', 'gzip, deflate, br'])
  const hasBody = body.length > 0 || (method !== 'GET' && method !== 'HEAD' && method !== 'OPTIONS')
  if (hasBody && !names.has('content-length') && !names.has('transfer-encoding')) {
    complete.push(['Content-Length', String(body.length)])
  }
  if (!names.has('connection')) complete.push(['Connection', 'keep-alive'])
  return complete
}

function isPairs(headers: NonNullable<HttpRequest['headers']>): headers is HeaderPairs {
  return Array.isArray(headers)
}
