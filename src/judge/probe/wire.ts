// The judge's hold on the network: requests go out byte for byte as a check made them, and whatever happens comes
// back as an Exchange. Network faults are findings here, so none is thrown.

import { randomUUID } from 'node:crypto'
import { defined } from '../../base/defined.ts'
import type { Reach } from '../../net/guard/reach.ts'
import type { HttpClient } from '../../net/http-client.ts'
import type { TlsOptions } from '../../net/http-request.ts'
import type { HttpResponse } from '../../net/http-response.ts'
import { NetError, type NetErrorCode } from '../../net/net-error.ts'
import type { Exchange } from '../../trace/exchange.ts'
import { Calls } from './calls.ts'
import { openGrpc, sendGrpc } from './grpc-wire.ts'
import type { LiveToken } from './live-token.ts'
import type { OutgoingRequest } from './outgoing.ts'
import { limitOf, type Patience } from './rate-limit.ts'
import type { FrameSource } from './raw-stream.ts'

export interface WireOptions {
  timeoutMs: number
  signal: AbortSignal
  /** Which addresses may be called; any without it. */
  reach?: Reach
}

const SAFE = new Set(['GET', 'HEAD', 'OPTIONS'])

export class Wire {
  readonly #http: HttpClient
  readonly #faults = new WeakMap<Exchange, NetErrorCode>()
  readonly #calls: Calls
  readonly #patience: Patience | undefined
  readonly #token: LiveToken | undefined

  constructor(
    http: HttpClient,
    calls: Calls = new Calls([]),
    { patience, token }: { patience?: Patience; token?: LiveToken | undefined } = {},
  ) {
    this.#http = http
    this.#calls = calls
    this.#patience = patience
    this.#token = token
  }

  /** How the other end is believed. */
  get tls(): TlsOptions | undefined {
    return this.#http.defaults.tls
  }

  /** Which addresses may be called at all; any when it is undefined. */
  get reach(): Reach | undefined {
    return this.#http.defaults.reach
  }

  /** Sends and reads the body to its end (or to the limit of the client). */
  async send(request: OutgoingRequest, options: WireOptions): Promise<Exchange> {
    const sent = await this.#patiently(request, options, async (each) => ({
      exchange: await this.#send(each, options),
    }))
    return sent.exchange
  }

  async #send(request: OutgoingRequest, options: WireOptions): Promise<Exchange> {
    const call = this.#calls.begin(request, options.timeoutMs)
    const exchange =
      request.grpcMessage === undefined
        ? await this.#sendHttp(request, options)
        : await this.#sendGrpc(request, options)
    await this.#calls.end(call, exchange, this.faultOf(exchange))
    return exchange
  }

  async #sendHttp(request: OutgoingRequest, options: WireOptions): Promise<Exchange> {
    const opened = await this.#open(request, options)
    return 'response' in opened ? await this.#readWhole(opened.response) : opened.exchange
  }

  async #sendGrpc(request: OutgoingRequest, options: WireOptions): Promise<Exchange> {
    const { exchange, fault } = await sendGrpc(this.#http, request, options)
    if (fault !== undefined) this.#faults.set(exchange, fault)
    return exchange
  }

  async #openGrpc(request: OutgoingRequest, options: WireOptions): Promise<FrameSource | { exchange: Exchange }> {
    const opened = await openGrpc(this.#http, request, options, (exchange, fault) => this.#faults.set(exchange, fault))
    return opened
  }

  /** The class of the failure of an exchange, when it failed. */
  faultOf(exchange: Exchange): NetErrorCode | undefined {
    return this.#faults.get(exchange)
  }

  /** Sends, and hands out the frames when the answer is an event stream; an error or anything else is read whole. */
  open(request: OutgoingRequest, options: WireOptions): Promise<FrameSource | { exchange: Exchange }> {
    return this.#patiently(request, options, (each) => this.#openOnce(each, options))
  }

  /** Whoever is told to come back later does, a few times; what is handed out is the last answer. */
  async #patiently<T extends { exchange: Exchange }>(
    request: OutgoingRequest,
    { signal }: WireOptions,
    attempt: (request: OutgoingRequest) => Promise<T>,
  ): Promise<T> {
    const origin = URL.parse(request.url)?.origin ?? request.url
    for (let before = 0; ; before++) {
      await this.#patience?.turn(origin, signal)
      const found = await this.#identified(request, attempt)
      const limit = limitOf(found.exchange)
      const again = limit !== undefined && !signal.aborted && this.#patience?.mayRepeat(origin, limit, before) === true
      if (!again && before > 0)
        found.exchange.repeated = `${before === 1 ? 'once' : `${before} times`} the agent asked to retry later`
      if (!again) return found
    }
  }

  /** With the token of now, and once more with the next one when it has ended. */
  async #identified<T extends { exchange: Exchange }>(
    request: OutgoingRequest,
    attempt: (request: OutgoingRequest) => Promise<T>,
  ): Promise<T> {
    if (this.#token === undefined) return attempt(request)
    const { request: first, token } = await this.#token.renewed(request)
    const found = await attempt(first)
    if (token === undefined || !this.#token.mayRepeat(token, found.exchange)) return found
    const { request: second, token: next = '' } = await this.#token.renewed(request)
    const again = await attempt(second)
    this.#token.mayRepeat(next, again.exchange)
    again.exchange.repeated = 'after the access token had expired'
    return again
  }

  async #openOnce(request: OutgoingRequest, options: WireOptions): Promise<FrameSource | { exchange: Exchange }> {
    const call = this.#calls.begin(request, options.timeoutMs)
    const opened =
      request.grpcMessage === undefined
        ? await this.#openStream(request, options)
        : await this.#openGrpc(request, options)
    await this.#calls.end(call, opened.exchange, this.faultOf(opened.exchange))
    return opened
  }

  async #openStream(request: OutgoingRequest, options: WireOptions): Promise<FrameSource | { exchange: Exchange }> {
    const opened = await this.#open(request, options)
    if (!('response' in opened)) return opened
    const { response } = opened
    const isStream = (response.header('content-type') ?? '').toLowerCase().startsWith('text/event-stream')
    if (isStream && response.status < 400) {
      const frames = response.frames()
      // Closing the connection is not enough: the generator holds the timers of the stream until it ends.
      const close = () => {
        response.close()
        frames.return().catch(() => {})
      }
      return { exchange: response.exchange, next: () => frames.next(), close }
    }
    return { exchange: await this.#readWhole(response) }
  }

  async #open(
    request: OutgoingRequest,
    options: WireOptions,
  ): Promise<{ response: HttpResponse; exchange: Exchange } | { exchange: Exchange }> {
    const startedAt = new Date().toISOString()
    try {
      const { method, url, headers, body, isRead = SAFE.has(method), withoutCertificate = false } = request
      const response = await this.#http.request({
        method,
        url,
        headers,
        withoutCertificate,
        ...options,
        ...defined({ body }),
        // What could create something twice is never sent where it may be lost unseen; what only reads is repeated.
        ...(isRead ? { repeatable: true } : { freshConnection: true }),
      })
      return { response, exchange: response.exchange }
    } catch (error) {
      const { method, url, headers, body = new Uint8Array() } = request
      const sent = error instanceof NetError ? error.exchange : undefined
      const failure = error instanceof Error ? error.message : String(error)
      const exchange = sent ?? { id: randomUUID(), startedAt, request: { method, url, headers, body }, failure }
      if (error instanceof NetError) this.#faults.set(exchange, error.code)
      return { exchange }
    }
  }

  async #readWhole(response: HttpResponse): Promise<Exchange> {
    try {
      await response.bytes()
    } catch (error) {
      // The recorder has noted the failure in the exchange.
      if (error instanceof NetError) this.#faults.set(response.exchange, error.code)
    } finally {
      response.close()
    }
    return response.exchange
  }
}
