// The client half of the HTTP+JSON binding (1.0 §11): the encoded request is spread over path, query and body by the
// routes of the dialect; streams are SSE of bare events.

import { trimEndOf } from '../../base/trim-end.ts'
import type { Route } from '../../dialects/dialect.ts'
import { A2AError } from '../../model/errors.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../model/json.ts'
import type { Operation, OperationRequest, StreamingOperation } from '../../model/operation.ts'
import type { HttpRequest } from '../../net/http-request.ts'
import type { HttpResponse } from '../../net/http-response.ts'
import { firstSseData } from '../../net/sse-reader.ts'
import type { RecordedFrame, RecordedRequest } from '../../trace/exchange.ts'
import {
  type CallOptions,
  httpError,
  InvalidPeerResponse,
  isEventStream,
  jsonIn,
  notA2A,
  objectWire,
  type UnaryOperation,
  unsupportedHere,
} from '../endpoint-client.ts'
import { type HttpCall, HttpEndpointClient } from '../http-endpoint-client.ts'

interface RestCall extends HttpCall {
  /** The same by other routes, for servers that do not know the first. */
  others: readonly (HttpRequest & RecordedRequest)[]
}

export class RestClient extends HttpEndpointClient<RestCall> {
  readonly binding = 'rest'

  /** The first route of the operation, and the same path with another method where the dialect knows one. */
  protected plan(
    op: UnaryOperation | StreamingOperation,
    request: OperationRequest<Operation>,
    options: CallOptions,
  ): RestCall {
    const wire = objectWire(this.codec(op).encodeRequest(op, request).wire)
    const hasTenant = typeof wire.tenant === 'string' && wire.tenant !== ''
    const known = this.dialect.routes.filter(
      (route) => route.op === op && route.path.startsWith('/{tenant}') === hasTenant,
    )
    const [first] = known
    if (first === undefined) throw unsupportedHere(op, this.dialect, this.binding)
    const others = known.filter((route) => route !== first && route.path === first.path)
    return {
      op,
      http: this.#request(first, wire, options),
      others: others.map((route) => this.#request(route, wire, options)),
    }
  }

  protected resultIn(response: HttpResponse, text: string): JsonValue | undefined {
    const body = jsonIn(text)
    this.#throwIfError(response, body)
    if (body === undefined && text.trim() !== '') throw notA2A(response, this.url, text, 'JSON')
    return body
  }

  protected eventIn(response: HttpResponse, frame: RecordedFrame): JsonValue {
    const body = jsonIn(frame.data)
    if (frame.event === 'error' || (isJsonObject(body) && isJsonObject(body.error))) throw this.#streamError(body)
    if (body === undefined) throw new InvalidPeerResponse('A stream event is not JSON.', response.exchange)
    return body
  }

  protected eventTextIn(_response: HttpResponse, frame: RecordedFrame): string | undefined {
    return frame.event === 'error' ? undefined : frame.data
  }

  protected isStream(response: HttpResponse): boolean {
    return isEventStream(response) && response.status < 400
  }

  protected refusalIn(response: HttpResponse, text: string): Error {
    this.#throwIfError(response, jsonIn(errorText(response, text)))
    return notA2A(response, this.url, text, 'a stream')
  }

  /** Text and proto of 1.0 disagree on the method of subscribe (§11.3), so a refused method is not the last word. */
  protected override async open({ http, others }: RestCall): Promise<HttpResponse> {
    let response = await this.options.http.request(http)
    for (const other of others) {
      if (response.status !== 404 && response.status !== 405) return response
      const text = errorText(response, await response.text())
      if (errorIn(jsonIn(text), response.status) !== undefined) return response
      response = await this.options.http.request(other)
    }
    return response
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
    const mediaType = this.dialect.mediaType(this.options.revision)
    const json = mediaType === 'application/json' ? mediaType : `${mediaType}, application/json`
    const hasBody = route.method === 'POST'
    const sent = {
      method: route.method,
      url: base + path + (hasBody ? '' : queryOf(rest)),
      body: Buffer.from(hasBody ? JSON.stringify(rest) : ''),
      accept: json,
      contentType: hasBody ? mediaType : undefined,
    }
    return this.http(route.op, sent, options)
  }

  #throwIfError(response: HttpResponse, body: JsonValue | undefined): void {
    if (response.status < 400) return
    const error = errorIn(body, response.status)
    if (error === undefined) throw httpError(response, this.url, this.options)
    throw this.dialect.errors(this.options.revision).decode(error)
  }

  #streamError(body: JsonValue | undefined): A2AError {
    const error = errorIn(body, undefined)
    if (error === undefined) return new A2AError('InternalError', 'The stream ended with an error without a message.')
    return this.dialect.errors(this.options.revision).decode(error)
  }
}

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
