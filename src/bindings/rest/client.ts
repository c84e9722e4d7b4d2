// The client half of the HTTP+JSON binding (1.0 §11): the encoded request is spread over path, query and body by the
// routes of the dialect; streams are SSE of bare events.

import { trimEndOf } from '../../base/trim-end.ts'
import type { BindingId, Codec, Dialect, Route } from '../../dialects/dialect.ts'
import { A2AError } from '../../model/errors.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../model/json.ts'
import {
  isRead,
  type Operation,
  type OperationRequest,
  type OperationResult,
  type StreamingOperation,
} from '../../model/operation.ts'
import type { HttpResponse } from '../../net/http-response.ts'
import { firstSseData } from '../../net/sse-reader.ts'
import type { RecordedRequest } from '../../trace/exchange.ts'
import {
  type CallOptions,
  decodedOrThrow,
  type EndpointClient,
  type EndpointOptions,
  endsTurn,
  httpError,
  InvalidPeerResponse,
  isEventStream,
  jsonIn,
  notA2A,
  objectWire,
  requestHeaders,
  type StreamItem,
  StreamSubject,
  type UnaryOperation,
  unsupportedHere,
} from '../endpoint-client.ts'

export class RestClient implements EndpointClient {
  readonly binding: BindingId = 'rest'
  readonly dialect: Dialect
  readonly url: string
  readonly #options: EndpointOptions
  readonly #codec: Codec | undefined

  constructor(options: EndpointOptions) {
    this.#options = options
    this.dialect = options.dialect
    this.url = options.url
    this.#codec = options.dialect.codecs.rest
  }

  prepare(op: UnaryOperation | StreamingOperation, request: OperationRequest<Operation>): RecordedRequest {
    const { wire, routes } = this.#plan(op, request)
    return this.#request(routes[0], wire, {})
  }

  async call<O extends UnaryOperation>(
    op: O,
    request: OperationRequest<O>,
    options: CallOptions = {},
  ): Promise<OperationResult<O>> {
    const { codec, wire, routes } = this.#plan(op, request)
    const response = await this.#options.http.request(this.#request(routes[0], wire, options))
    const text = await response.text()
    const body = jsonIn(text)
    this.#throwIfError(response, body)
    if (body === undefined && text.trim() !== '') throw notA2A(response, this.url, text, 'JSON')
    return decodedOrThrow(codec.decodeResult(op, body), `result of ${op}`, this.dialect, response.exchange)
  }

  async *stream<O extends StreamingOperation>(
    op: O,
    request: OperationRequest<O>,
    options: CallOptions = {},
  ): AsyncGenerator<StreamItem, void, undefined> {
    const { codec, wire, routes } = this.#plan(op, request)
    const response = await this.#open(routes, wire, options)
    try {
      if (!isEventStream(response) || response.status >= 400) {
        const text = await response.text()
        this.#throwIfError(response, jsonIn(errorText(response, text)))
        throw notA2A(response, this.url, text, 'a stream')
      }
      const subject = new StreamSubject(request)
      for await (const frame of response.frames()) {
        const body = jsonIn(frame.data)
        if (frame.event === 'error' || (isJsonObject(body) && isJsonObject(body.error))) throw this.#streamError(body)
        if (body === undefined) throw new InvalidPeerResponse('A stream event is not JSON.', response.exchange)
        const event = decodedOrThrow(codec.decodeEvent(body), 'stream event', this.dialect, response.exchange)
        subject.check(event, response.exchange)
        yield frame.id === undefined ? { event } : { event, id: frame.id }
        if (endsTurn(event)) return response.saidAll()
      }
    } finally {
      response.close()
    }
  }

  /** Text and proto of 1.0 disagree on the method of subscribe (§11.3), so a refused method is not the last word. */
  async #open(routes: Routes, wire: JsonObject, options: CallOptions): Promise<HttpResponse> {
    const [first, ...others] = routes
    let response = await this.#options.http.request(this.#request(first, wire, options))
    for (const route of others) {
      if (response.status !== 404 && response.status !== 405) return response
      const text = errorText(response, await response.text())
      if (errorIn(jsonIn(text), response.status) !== undefined) return response
      response = await this.#options.http.request(this.#request(route, wire, options))
    }
    return response
  }

  /** The first route of the operation, and the same path with another method where the dialect knows one. */
  #plan(op: UnaryOperation | StreamingOperation, request: OperationRequest<Operation>) {
    const codec = this.#codec
    if (codec === undefined) throw unsupportedHere(op, this.dialect, this.binding)
    const wire = objectWire(codec.encodeRequest(op, request).wire)
    const hasTenant = typeof wire.tenant === 'string' && wire.tenant !== ''
    const known = this.dialect.routes.filter(
      (route) => route.op === op && route.path.startsWith('/{tenant}') === hasTenant,
    )
    const [first] = known
    if (first === undefined) throw unsupportedHere(op, this.dialect, this.binding)
    const routes: Routes = [first, ...known.filter((route) => route !== first && route.path === first.path)]
    return { codec, wire, routes }
  }

  #request(route: Route, wire: JsonObject, options: CallOptions) {
    const rest: JsonObject = { ...wire }
    const path = route.path.replace(/\{(\w+)\}/g, (_, name: string) => {
      const value = rest[name]
      delete rest[name]
      return encodeURIComponent(typeof value === 'string' ? value : '')
    })
    delete rest.tenant // an empty one, where the route has no place for it
    const base = trimEndOf(this.url, '/')
    const isStream = route.op === 'streamMessage' || route.op === 'subscribeTask'
    const mediaType = this.dialect.mediaType(this.#options.revision)
    const json = mediaType === 'application/json' ? mediaType : `${mediaType}, application/json`
    const hasBody = route.method === 'POST'
    const headers = requestHeaders(this.#options, {
      accept: isStream ? 'text/event-stream' : json,
      ...(hasBody ? { contentType: mediaType } : {}),
      lastEventId: options.lastEventId,
    })
    return {
      method: route.method,
      url: base + path + (hasBody ? '' : queryOf(rest)),
      headers,
      body: Buffer.from(hasBody ? JSON.stringify(rest) : ''),
      signal: options.signal,
      timeoutMs: options.timeoutMs ?? this.#options.timeoutMs,
      repeatable: isRead(route.op),
    }
  }

  #throwIfError(response: HttpResponse, body: JsonValue | undefined): void {
    if (response.status < 400) return
    const error = errorIn(body, response.status)
    if (error === undefined) throw httpError(response, this.url, this.#options)
    throw this.dialect.errors(this.#options.revision).decode(error)
  }

  #streamError(body: JsonValue | undefined): A2AError {
    const error = errorIn(body, undefined)
    if (error === undefined) return new A2AError('InternalError', 'The stream ended with an error without a message.')
    return this.dialect.errors(this.#options.revision).decode(error)
  }
}

type Routes = [Route, ...Route[]]

/** The error to a client that asked for a stream may be the only event of one. */
function errorText(response: HttpResponse, text: string): string {
  return isEventStream(response) ? (firstSseData(text) ?? '') : text
}

/** Both bodies in use: `{"error": {code: <HTTP status>, message, details}}` (1.0) and bare `{code, message, data}`. */
function errorIn(body: JsonValue | undefined, httpStatus: number | undefined) {
  if (!isJsonObject(body)) return undefined
  const error = isJsonObject(body.error) ? body.error : body
  if (typeof error.message !== 'string') return undefined
  const code = typeof error.code === 'number' ? error.code : undefined
  // JSON-RPC codes are negative, HTTP statuses are not: which of the two `code` holds shows in the number.
  const status = httpStatus ?? (code !== undefined && code > 0 ? code : undefined)
  const data = error.details ?? error.data
  return {
    message: error.message,
    ...(code !== undefined && code < 0 ? { code } : {}),
    ...(status === undefined ? {} : { status }),
    ...(data === undefined ? {} : { data }),
  }
}

function queryOf(members: JsonObject): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(members)) {
    if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') {
      query.set(name, String(value))
    }
  }
  const text = query.toString()
  return text === '' ? '' : `?${text}`
}
