// The way Parley asks over HTTP/2: one session per origin, requests and answers as bytes with headers and trailers, and
// always an end, whatever the peer does. What lies in the bytes is the caller's business.

import type { ClientHttp2Session, ClientHttp2Stream, IncomingHttpHeaders } from 'node:http2'
import type { HttpClientDefaults, TlsOptions } from './http-request.ts'
import { withoutCertificate } from './http-request.ts'
import { NetError, toNetError } from './net-error.ts'
import { http2 } from './node-http.ts'

export type HeaderList = readonly (readonly [string, string])[]

export interface Http2Request {
  /** http: or https:, with the path. */
  url: URL
  headers: HeaderList
  body: Uint8Array
  tls?: TlsOptions | undefined
  withoutCertificate?: boolean | undefined
  reach?: HttpClientDefaults['reach']
  /** On a session of its own. */
  freshConnection?: boolean | undefined
}

/** What comes back, as it comes. Every call ends with `onEnd`, exactly once. */
export interface Http2Events {
  onHead(status: number, headers: HeaderList, isAll: boolean): void
  onBytes(chunk: Buffer): void
  onTrailers(trailers: HeaderList): void
  onEnd(error: NetError | undefined): void
}

export interface Http2Call {
  /** Stops reading until `resume`: the peer is held back by flow control. */
  pause(): void
  resume(): void
  /** Gives up: RST_STREAM with CANCEL. */
  cancel(): void
}

/** A session without calls for this long is closed. */
const IDLE_MS = 1_500
const CONNECT_TIMEOUT_MS = 30_000
const MAX_HEADER_PAIRS = 200

export class Http2Client {
  readonly #sessions = new Map<string, Promise<ClientHttp2Session>>()
  readonly #open = new Set<ClientHttp2Session>()
  readonly #idleMs: number

  constructor({ idleMs = IDLE_MS }: { idleMs?: number } = {}) {
    this.#idleMs = idleMs
  }

  async request(request: Http2Request, events: Http2Events): Promise<Http2Call> {
    const session = await this.#session(request)
    const stream = session.request(
      {
        ':method': 'POST',
        ':path': request.url.pathname + request.url.search,
        ...Object.fromEntries(request.headers.map(([name, value]) => [name.toLowerCase(), value])),
      },
      { endStream: request.body.length === 0 },
    )
    listen(stream, request.url.origin, events)
    if (request.body.length > 0) stream.end(request.body)
    if (request.freshConnection === true) stream.once('close', () => session.close())
    return {
      pause: () => stream.pause(),
      resume: () => stream.resume(),
      cancel: () => stream.close(http2().constants.NGHTTP2_CANCEL),
    }
  }

  /** Ends idle sessions; calls under way are left alone. */
  close(): void {
    for (const session of this.#open) session.close()
    this.#sessions.clear()
  }

  async #session(request: Http2Request): Promise<ClientHttp2Session> {
    if (request.freshConnection === true) return this.#connect(request)
    const { insecure, ca, cert, key } = tlsOf(request)
    const name = [request.url.origin, insecure === true, ca, cert, key].join('\n')
    const known = this.#sessions.get(name)
    const session = await known
    if (session !== undefined && !session.closed && !session.destroyed) return session
    // It has ended, and the event that says so is still to come.
    if (known !== undefined && this.#sessions.get(name) === known) this.#sessions.delete(name)
    return this.#sessions.get(name) ?? this.#kept(name, request)
  }

  #kept(name: string, request: Http2Request): Promise<ClientHttp2Session> {
    const forget = () => {
      if (this.#sessions.get(name) === made) this.#sessions.delete(name)
    }
    const made = this.#connect(request).then((session) => {
      session.once('goaway', forget)
      session.once('close', forget)
      return session
    })
    made.catch(forget)
    this.#sessions.set(name, made)
    return made
  }

  async #connect(request: Http2Request): Promise<ClientHttp2Session> {
    const { url } = request
    const lookup = await request.reach?.(url)
    const { insecure, ca, cert, key } = tlsOf(request)
    const trust = ca === undefined ? {} : { ca, allowPartialTrustChain: true }
    const session = http2().connect(url.origin, {
      rejectUnauthorized: insecure !== true,
      ...trust,
      cert,
      key,
      maxHeaderListPairs: MAX_HEADER_PAIRS,
      ...(lookup === undefined ? {} : { lookup }),
    } as Parameters<ReturnType<typeof http2>['connect']>[1])
    await connected(session, url.origin)
    this.#open.add(session)
    session.once('close', () => this.#open.delete(session))
    // Calls that are under way hear of it themselves.
    session.on('error', () => {})
    // A session that waits for its next call must not keep the process alive.
    session.unref()
    session.setTimeout(this.#idleMs, () => {
      if ((COUNTS.get(session) ?? 0) === 0) session.close()
    })
    return session
  }
}

function tlsOf({ tls = {}, withoutCertificate: isKeptBack }: Http2Request): TlsOptions {
  return isKeptBack === true ? withoutCertificate(tls) : tls
}

/** Calls under way, by session. */
const COUNTS = new WeakMap<object, number>()

function connected(session: ClientHttp2Session, origin: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => session.destroy(new NetError('timeout', `${origin} did not accept a connection.`)),
      CONNECT_TIMEOUT_MS,
    )
    const fail = (error?: Error) => {
      clearTimeout(timer)
      reject(http2Error(error, origin))
    }
    session.once('error', fail)
    session.once('close', fail)
    // The settings of the peer show that it speaks HTTP/2; being connected does not.
    session.once('remoteSettings', () => {
      clearTimeout(timer)
      session.off('error', fail)
      session.off('close', fail)
      resolve()
    })
  })
}

function listen(stream: ClientHttp2Stream, origin: string, events: Http2Events): void {
  const { session } = stream
  if (session !== undefined) {
    COUNTS.set(session, (COUNTS.get(session) ?? 0) + 1)
    session.ref()
  }
  let isAll = false
  let failure: NetError | undefined
  let hasHead = false
  stream.once('response', (headers: IncomingHttpHeaders & { ':status'?: number }, flags: number, raw?: string[]) => {
    hasHead = true
    isAll = (flags & http2().constants.NGHTTP2_FLAG_END_STREAM) !== 0
    events.onHead(Number(headers[':status'] ?? 0), pairsOf(headers, raw), isAll)
  })
  stream.on('data', (chunk: Buffer) => events.onBytes(chunk))
  stream.once('trailers', (headers: IncomingHttpHeaders, _flags: number, raw?: string[]) =>
    events.onTrailers(pairsOf(headers, raw)),
  )
  stream.once('error', (error) => {
    failure = http2Error(error, origin)
  })
  stream.once('close', () => {
    if (session !== undefined) {
      const left = (COUNTS.get(session) ?? 1) - 1
      COUNTS.set(session, left)
      if (left === 0) session.unref()
    }
    const { rstCode } = stream
    if (failure === undefined && rstCode !== http2().constants.NGHTTP2_NO_ERROR)
      failure = new NetError('reset', `${origin} reset the call (${nameOfReset(rstCode)}).`)
    if (failure === undefined && !hasHead)
      failure = new NetError('reset', `${origin} ended the call without an answer.`)
    events.onEnd(failure)
  })
}

/** Names and values in the order they came, without the pseudo headers. */
function pairsOf(headers: IncomingHttpHeaders, raw: readonly string[] | undefined): HeaderList {
  const list =
    raw === undefined || raw.length === 0
      ? Object.entries(headers).flatMap(([name, value]) => [name, String(value)])
      : raw
  const pairs: [string, string][] = []
  for (let at = 0; at + 1 < list.length; at += 2) {
    const name = list[at] ?? ''
    if (!name.startsWith(':')) pairs.push([name, list[at + 1] ?? ''])
  }
  return pairs
}

function http2Error(error: Error | undefined, origin: string): NetError {
  if (error instanceof NetError) return error
  const code = error !== undefined && 'code' in error ? String(error.code) : ''
  if (code === 'ERR_HTTP2_ERROR' || code === '' || /HTTP2_(SESSION|GOAWAY)/.test(code) || code.startsWith('HPE_')) {
    const what = code === '' ? 'ended the connection' : 'did not answer in HTTP/2'
    return new NetError(code === '' ? 'reset' : 'protocol', `${origin} ${what}; does it serve gRPC there?`, {
      cause: error,
    })
  }
  if (code === 'ERR_HTTP2_STREAM_ERROR') {
    const [, name = ''] = /code (NGHTTP2_\w+)/.exec(error?.message ?? '') ?? []
    return new NetError('reset', `${origin} reset the call (${name.replace('NGHTTP2_', '')}).`, { cause: error })
  }
  return toNetError(error, origin)
}

function nameOfReset(code: number | undefined): string {
  const { constants } = http2()
  const found = Object.entries(constants).find(
    ([name, value]) =>
      value === code &&
      /^NGHTTP2_[A-Z0-9_]+$/.test(name) &&
      !/_FLAG_|SETTINGS|HCAT|ERR_|NV_|SESSION|STREAM_STATE|DEFAULT/.test(name),
  )
  return found?.[0].replace('NGHTTP2_', '') ?? `code ${code ?? 'unknown'}`
}
