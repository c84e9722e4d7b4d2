// The HTTP manners both bindings share: reading service parameters, answering with JSON, naming errors.

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Dialect } from '../dialects/dialect.ts'
import { A2AError } from '../model/errors.ts'
import { acceptance } from '../net/accept.ts'
import { sseFrame } from '../net/sse-writer.ts'
import { atTurnEnd } from '../net/turn-end.ts'
import type { BindingMount } from './mount.ts'
import type { Call } from './service.ts'

/** 1.0 §3.2.6: header first, query parameter second. */
export function versionOf(req: IncomingMessage, query: URLSearchParams | undefined): string | undefined {
  const header = req.headers['a2a-version']
  if (typeof header === 'string') return header.trim()
  return (query?.get('A2A-Version') ?? query?.get('a2a-version') ?? undefined)?.trim()
}

export function extensionsOf(req: IncomingMessage, dialect: Dialect): readonly string[] {
  for (const name of dialect.extensionHeaders) {
    const header = req.headers[name.toLowerCase()]
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
  req: IncomingMessage,
  dialect: Dialect,
  { subject, tenant, extensions }: Pick<Call, 'subject' | 'tenant' | 'extensions'>,
): Call {
  const call: { -readonly [K in keyof Call]: Call[K] } = { dialect, subject, tenant, extensions }
  const lastEventId = req.headers['last-event-id']
  if (typeof lastEventId === 'string') call.lastEventId = lastEventId
  if (req.headers.authorization !== undefined) call.authorization = req.headers.authorization
  if (req.headers.origin !== undefined) call.page = req.headers.origin
  return call
}

/** Browsers may ask, and may read what only headers say. */
const ANY_ORIGIN = ['Access-Control-Allow-Origin', '*'] as const
const EXPOSED = ['Access-Control-Expose-Headers', 'A2A-Version, A2A-Extensions'] as const

export interface Reply {
  status: number
  mediaType: string
  body: string
  dialect: Dialect
  headers?: readonly string[]
}

export function reply(res: ServerResponse, { status, mediaType, body, dialect, headers }: Reply): void {
  const length = String(Buffer.byteLength(body))
  const all: string[] = ['Content-Type', mediaType, 'Content-Length', length, ...ANY_ORIGIN, ...EXPOSED]
  if (dialect.versionHeader !== undefined) all.push('A2A-Version', dialect.versionHeader)
  if (headers !== undefined) all.push(...headers)
  res.writeHead(status, all)
  atTurnEnd(() => {
    if (!res.destroyed) res.end(body)
  })
}

/** What must be known about a mount to refuse a request to it. */
export type Refusing = Pick<BindingMount, 'revision' | 'plainErrors' | 'onRefusal'>

const EVENT_STREAM = 'text/event-stream'
const UNBUFFERED = ['Cache-Control', 'no-store', 'X-Accel-Buffering', 'no'] as const

/**
 * An error, in a form the client reads: JSON, or the only event of a stream for a client that takes streams alone. The
 * status is the same either way (docs/decisions/0014).
 */
export function replyError(req: IncomingMessage, res: ServerResponse, mount: Refusing, told: Reply): void {
  const { status, body, headers = [] } = told
  if (!mount.plainErrors && wantsEvent(req.headers.accept, status))
    reply(res, { ...told, mediaType: EVENT_STREAM, body: sseFrame(body), headers: [...UNBUFFERED, ...headers] })
  else reply(res, told)
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
export function jsonTypeFor(req: IncomingMessage, usual: string): string {
  const { accept } = req.headers
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

/** Anything thrown that is not an A2AError is our bug: logged in full, told to the client in two words. */
export function toA2AError(error: unknown, mount: BindingMount): A2AError {
  if (error instanceof A2AError) return error
  mount.onInternalError(error)
  return new A2AError('InternalError', 'Internal error', { cause: error })
}
