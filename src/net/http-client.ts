// The one way Parley asks over HTTP/1.1: records what was sent and received, never follows redirects, and always
// comes to an end, whatever the peer does. Built on node:http because fetch hides header names, order and causes.

import type { ClientRequest, IncomingMessage } from 'node:http'
import type { Agent as HttpsAgent } from 'node:https'
import type { LookupFunction } from 'node:net'
import { isPromise } from '../base/is-promise.ts'
import { EarlyEnd, within } from './early-end.ts'
import { ExchangeRecorder } from './exchange-recorder.ts'
import { sendByFetch } from './fetch-call.ts'
import {
  completeHeaders,
  type HeaderPairs,
  type HttpClientDefaults,
  type HttpRequest,
  parseUrl,
  withoutCertificate,
} from './http-request.ts'
import { HttpResponse } from './http-response.ts'
import { Http2Client } from './http2-client.ts'
import { NetError, toNetError } from './net-error.ts'
import { http, https } from './node-http.ts'
import { flushAtTurnEnd } from './serve/write-batch.ts'

/** Shorter than any server's keep-alive in the field, so that a request rarely meets a connection being closed. */
const REUSE_MS = 1_500
/** From here on the server failed, and some close the connection afterwards without saying so. */
const SERVER_FAILED = 500

export class HttpClient {
  readonly #defaults: HttpClientDefaults
  readonly #http = new http.Agent({ keepAlive: true, maxFreeSockets: 64, timeout: REUSE_MS })
  readonly #https = new Map<string, HttpsAgent>()
  /** Connections to addresses a peer chose: the guard saw each of them when it was made. */
  readonly #guarded = new http.Agent({ keepAlive: true, maxFreeSockets: 64, timeout: REUSE_MS })

  #http2: Http2Client | undefined

  constructor(defaults: HttpClientDefaults = {}) {
    this.#defaults = defaults
  }

  /** Resolves when the head of the answer has arrived; rejects with NetError. */
  async request(wanted: HttpRequest): Promise<HttpResponse> {
    const request = withDefaults(wanted, this.#defaults)
    const isKeptBack = request.withoutCertificate === true && request.tls?.cert !== undefined
    if (isKeptBack) request.tls = withoutCertificate(request.tls ?? {})
    const url = parseUrl(request.url)
    const method = request.method ?? 'GET'
    const body = typeof request.body === 'string' ? Buffer.from(request.body) : (request.body ?? NO_BODY)
    const headers = completeHeaders(url, method, request.headers, body, request.userAgent)
    const recorder = new ExchangeRecorder(
      { method, url: url.href, headers, body, ...(isKeptBack ? { withoutCertificate: true } : {}) },
      request.maxBodyBytes ?? DEFAULT_MAX_BODY_BYTES,
      request,
    )
    try {
      if (request.signal?.aborted) throw new NetError('aborted', 'The request was canceled before it was sent.')
      const asked = request.reach?.(url)
      const guarded = isPromise(asked) ? await asked : asked
      return await this.#send(url, request, headers, body, recorder, guarded)
    } catch (error) {
      throw recorder.fail(toNetError(error, url.origin))
    }
  }

  /** The same peers over HTTP/2, under the same defaults. */
  get http2(): Http2Client {
    if (this.#defaults.fetch !== undefined)
      throw new NetError('protocol', 'A client with a fetch of its own cannot speak gRPC, which needs HTTP/2.')
    this.#http2 ??= new Http2Client()
    return this.#http2
  }

  get defaults(): HttpClientDefaults {
    return this.#defaults
  }

  /** Ends idle connections; requests under way are left alone. */
  close(): void {
    this.#http2?.close()
    this.#http.destroy()
    this.#guarded.destroy()
    for (const agent of this.#https.values()) agent.destroy()
    this.#https.clear()
  }

  async #send(
    url: URL,
    request: HttpRequest,
    headers: HeaderPairs,
    body: Uint8Array,
    recorder: ExchangeRecorder,
    guarded: LookupFunction | undefined,
  ): Promise<HttpResponse> {
    const timeoutMs = request.timeoutMs ?? DEFAULT_TIMEOUT_MS
    const { fetch } = request
    if (fetch !== undefined) return sendByFetch({ fetch, url, request, headers, body, timeoutMs, recorder })
    const mayRepeat = request.repeatable ?? SAFE.has(request.method ?? 'GET')
    for (let isFresh = request.freshConnection === true; ; isFresh = true) {
      const req = this.#open(url, request, headers, { isFresh, guarded })
      const end = new EarlyEnd(req)
      const { origin } = url
      const { deadline, release } = within(timeoutMs, { end, origin, recorder, signal: request.signal })
      try {
        const res = await headOf(req, body)
        if ((res.statusCode ?? 0) >= SERVER_FAILED) req.shouldKeepAlive = false
        recorder.begin(res.statusCode ?? 0, res.rawHeaders)
        return new HttpResponse({
          ...{ status: res.statusCode ?? 0, stream: res, isComplete: () => res.complete, isInflated: false },
          ...{ end, origin, recorder, release, deadline, request },
        })
      } catch (error) {
        release()
        const reason = end.reason ?? toNetError(error, url.origin)
        if (isFresh || !mayRepeat || reason.code !== 'reset' || !wasStale(req)) throw error
        recorder.repeat(`${url.origin} ended a connection that had been used before, without a byte of an answer.`)
      }
    }
  }

  #open(url: URL, request: HttpRequest, headers: HeaderPairs, { isFresh, guarded }: Way): ClientRequest {
    const lookup = request.lookup ?? guarded
    const options = {
      method: request.method ?? 'GET',
      hostname: url.hostname.replace(/^\[(.*)\]$/, '$1'),
      port: url.port,
      path: url.pathname + url.search,
      headers: headers.flat(),
      setDefaultHeaders: false,
      maxHeaderSize: MAX_HEADER_BYTES,
      ...(lookup && { lookup }),
    }
    // A host that was resolved specially does not share its connection either.
    const isShared = !isFresh && request.lookup === undefined
    const isGuarded = guarded !== undefined
    if (url.protocol === 'http:') {
      const shared = isGuarded ? this.#guarded : this.#http
      return http.request({ ...options, agent: isShared ? shared : SINGLE_USE })
    }
    const { insecure, ca, cert, key } = request.tls ?? {}
    // As in curl, a certificate that is trusted by name needs no authority that vouches for it.
    const trust = ca === undefined ? {} : { ca, allowPartialTrustChain: true }
    const tls = { rejectUnauthorized: insecure !== true, ...trust, cert, key }
    const agent = isShared ? this.#httpsAgent(request, isGuarded) : new (https().Agent)({ keepAlive: false })
    return https().request({ ...options, ...tls, agent })
  }

  #httpsAgent({ tls = {} }: HttpRequest, isGuarded: boolean): HttpsAgent {
    const key = [isGuarded, tls.insecure === true, tls.ca, tls.cert, tls.key].join('\n')
    let agent = this.#https.get(key)
    if (agent === undefined) {
      agent = new (https().Agent)({ keepAlive: true, maxFreeSockets: 64, timeout: REUSE_MS })
      this.#https.set(key, agent)
    }
    return agent
  }
}

/** How a connection is had: one of its own, and where the guard looked the host up. */
interface Way {
  readonly isFresh: boolean
  readonly guarded: LookupFunction | undefined
}

const NO_BODY = Buffer.alloc(0)
const DEFAULT_TIMEOUT_MS = 30_000
const DEFAULT_MAX_BODY_BYTES = 4 * 1024 * 1024
const MAX_HEADER_BYTES = 32 * 1024
const SINGLE_USE = new http.Agent({ keepAlive: false })
/** Beyond it a copy costs more than a second piece. */
const MAX_JOINED_BYTES = 64 * 1024
const SAFE = new Set(['GET', 'HEAD', 'OPTIONS'])

function headOf(req: ClientRequest, body: Uint8Array): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const onClose = () => reject(new NetError('reset', 'The peer closed the connection without an answer.'))
    req.once('response', (res) => {
      req.off('close', onClose)
      resolve(res)
    })
    req.on('error', reject) // Stays: a later error reaches the reader through the response.
    req.once('close', onClose)
    req.once('socket', (socket) => readBefore.set(req, socket.bytesRead))
    flushAtTurnEnd(() => {
      if (req.destroyed) return
      if (body.length === 0) req.end()
      // As text, head and body leave in one write; byte for byte, whatever the body holds.
      else if (body.length <= MAX_JOINED_BYTES) req.end(latin1(body), 'latin1')
      else req.end(body)
    })
  })
}

function latin1({ buffer, byteOffset, byteLength }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString('latin1')
}

const readBefore = new WeakMap<ClientRequest, number>()

/** Did a connection that had served others end before it brought a byte for this request? */
function wasStale(req: ClientRequest): boolean {
  return req.reusedSocket && (req.socket?.bytesRead ?? 0) === readBefore.get(req)
}

/** So that an option given as undefined means the default, not "no limit". */
function withDefaults(wanted: HttpRequest, defaults: HttpClientDefaults): HttpRequest {
  const request: HttpRequest = { ...defaults, ...wanted }
  for (const name of Object.keys(defaults) as (keyof HttpClientDefaults)[])
    if (request[name] === undefined) Object.assign(request, { [name]: defaults[name] })
  return request
}
