// The HTTP manners both bindings share: reading service parameters, answering with JSON, naming errors.

import type { Dialect } from '../dialects/dialect.ts'
import { A2AError } from '../model/errors.ts'
import { acceptance } from '../net/serve/accept.ts'
import { HttpFault } from '../net/serve/http-fault.ts'
import type { Reply } from '../net/serve/reply.ts'
import type { ServerRequest } from '../net/serve/request.ts'
import { sseFrame } from '../net/serve/sse-frame.ts'
import { traceContextIn } from '../telemetry/trace-context.ts'
import type { BindingMount } from './mount.ts'
import type { Call } from './service.ts'

/** 1.0 §3.2.6: header first, query parameter second. */
export function versionOf(
  request: Pick<ServerRequest, 'headers'>,
  query: URLSearchParams | undefined,
): string | undefined {
  const header = request.headers['a2a-version']
  if (typeof header === 'string') return header.trim()
  return (query?.get('A2A-Version') ?? query?.get('a2a-version') ?? undefined)?.trim()
}

export function extensionsOf(request: Pick<ServerRequest, 'headers'>, dialect: Dialect): readonly string[] {
  for (const name of dialect.extensionHeaders) {
    const header = request.headers[name.toLowerCase()]
    if (typeof header !== 'string') continue
    return header
      .split(',')
      .map((uri) => uri.trim())
      .filter((uri) => uri !== '')
  }
  return NO_EXTENSIONS
}

/** The tenant a request is for: what it names, as far as the credentials allow (1.0 §13.1). */
export function tenantFor(allowed: string, requested: string): string {
  if (allowed !== '' && requested !== '' && requested !== allowed)
    throw new A2AError('PermissionDenied', 'The credentials are for another tenant.')
  return requested || allowed
}

const NO_EXTENSIONS: readonly string[] = []

/** The circumstances of a request, with the headers that are among them. */
export function callOf(
  request: Pick<ServerRequest, 'headers'>,
  dialect: Dialect,
  { subject, tenant, extensions }: Pick<Call, 'subject' | 'tenant' | 'extensions'>,
): Call {
  const call: { -readonly [K in keyof Call]: Call[K] } = { dialect, subject, tenant, extensions }
  const lastEventId = request.headers['last-event-id']
  if (typeof lastEventId === 'string') call.lastEventId = lastEventId
  if (request.headers.authorization !== undefined) call.authorization = request.headers.authorization
  if (request.headers.origin !== undefined) call.page = request.headers.origin
  if (request.headers.traceparent !== undefined) {
    const trace = traceContextIn(request.headers)
    if (trace !== undefined) call.trace = trace
  }
  return call
}

/** Browsers may ask, and may read what only headers say. */
const ANY_ORIGIN = ['Access-Control-Allow-Origin', '*'] as const
const EXPOSED = ['Access-Control-Expose-Headers', 'A2A-Version, A2A-Extensions'] as const

export interface Told {
  status: number
  mediaType: string
  body: string
  dialect: Dialect
  headers?: readonly string[]
}

export function reply({ status, mediaType, body, dialect, headers }: Told): Reply {
  const all: string[] = ['Content-Type', mediaType, ...ANY_ORIGIN, ...EXPOSED]
  if (dialect.versionHeader !== undefined) all.push('A2A-Version', dialect.versionHeader)
  if (headers !== undefined) all.push(...headers)
  return { status, headers: all, body }
}

/** What must be known about a mount to refuse a request to it. */
export type Refusing = Pick<BindingMount, 'revision' | 'plainErrors' | 'onRefusal'>

const EVENT_STREAM = 'text/event-stream'
const UNBUFFERED = ['Cache-Control', 'no-store', 'X-Accel-Buffering', 'no'] as const

/**
 * An error, in a form the client reads: JSON, or the only event of a stream for a client that takes streams alone. The
 * status is the same either way (docs/decisions/0014).
 */
export function errorReply(request: ServerRequest, mount: Refusing, told: Told): Reply {
  const { status, body, headers = [] } = told
  if (mount.plainErrors || !wantsEvent(request.headers.accept, status)) return reply(told)
  return reply({ ...told, mediaType: EVENT_STREAM, body: sseFrame(body), headers: [...UNBUFFERED, ...headers] })
}

/**
 * A client that asked for a stream reads 200 as one. An HTTP error it knows by the status, and looks for JSON in it
 * even where its Accept does not say so, as every official SDK does: there JSON must be refused by name.
 */
function wantsEvent(accept: string | undefined, status: number): boolean {
  if (accept === undefined || !acceptance(accept, EVENT_STREAM)) return false
  const json = acceptance(accept, 'application/json')
  return status < 400 ? !json : json === 0
}

/** The media type of the generation if the client asks for it, else plain JSON, which everybody reads; the text is the same. */
export function jsonTypeFor(request: Pick<ServerRequest, 'headers'>, usual: string): string {
  const { accept } = request.headers
  const asked = acceptance(accept, usual)
  return asked !== undefined && asked >= (acceptance(accept, 'application/json') ?? 0) ? usual : 'application/json'
}

/** Headers of an event stream: never cached, never buffered by proxies in between. */
export function streamHeaders(dialect: Dialect, activated: readonly string[]): string[] {
  const all = ['Content-Type', EVENT_STREAM, ...UNBUFFERED, ...ANY_ORIGIN, ...EXPOSED]
  if (dialect.versionHeader !== undefined) all.push('A2A-Version', dialect.versionHeader)
  return [...all, ...extensionHeaders(dialect, activated)]
}

/** The extensions that took effect are echoed, so that a client sees which of its wishes were granted. */
export function extensionHeaders(dialect: Dialect, activated: readonly string[]): readonly string[] {
  const name = dialect.extensionHeaders[0]
  return activated.length === 0 || name === undefined ? NO_EXTENSIONS : [name, activated.join(', ')]
}

export function errorHeaders(error: A2AError): readonly string[] {
  const headers: string[] = []
  if (error.options.retryAfterSeconds !== undefined)
    headers.push('Retry-After', String(error.options.retryAfterSeconds))
  if (error.options.challenge !== undefined) headers.push('WWW-Authenticate', error.options.challenge)
  return headers
}

/** A body that cannot be read is its sender's fault; anything else is our bug: logged in full, told in two words. */
export function toA2AError(error: unknown, mount: BindingMount): A2AError {
  if (error instanceof A2AError) return error
  if (error instanceof HttpFault) return new A2AError('InvalidRequest', error.message, { httpStatus: error.status })
  mount.onInternalError(error)
  return new A2AError('InternalError', 'Internal error', { cause: error })
}
