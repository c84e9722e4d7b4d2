// An answer as a value: status, header fields and a body that is whole, or comes piece by piece. Whoever makes one knows
// nothing of sockets; the adapter that sends it waits for slow readers and keeps silent streams alive.

import type { MaybePromise } from '../../base/maybe-promise.ts'
import type { ServerRequest } from './request.ts'

/** Name, value, name, value … */
export type HeaderList = readonly string[]

/** Pulled one piece at a time, so that a slow reader is waited for instead of buffered for. */
export interface Feed<T> {
  /** The next piece, undefined at the end. What it throws cuts the connection after what was sent before. */
  next(): MaybePromise<T | undefined>
  /** No more is read: the end was reached, or the reader is gone. May be called more than once. */
  close(): void
}

/** Text that is ready together leaves together; bytes are sent as a piece of their own. */
export type Piece = string | Uint8Array

/** Server-sent events; whoever sends them adds comments while the feed is silent. */
export interface EventBody {
  /** Tells it from other bodies. */
  readonly kind: 'events'
  /** The events, each already framed. */
  readonly feed: Feed<Piece>
}

/** Anything else that comes piece by piece, and what is known only at its end. */
export interface MessageBody {
  /** Tells it from other bodies. */
  readonly kind: 'messages'
  /** The pieces, in order. */
  readonly feed: Feed<Piece>
  /** Header fields after the last piece; asked for once, at the end. */
  trailers?(): HeaderList
}

/** A body that is there as a whole. */
export type WholeBody = string | Uint8Array | undefined

/** An answer as a value. */
export interface Reply {
  /** Status code of HTTP. */
  readonly status: number
  /** Without Content-Length where the body is whole: the adapter counts. */
  readonly headers: HeaderList
  /** Absent for an empty one. */
  readonly body?: WholeBody | EventBody | MessageBody
  /** After a whole body; only for requests that take trailers. */
  readonly trailers?: HeaderList
}

/** No answer at all: the connection is reset or closed, or nothing is ever said. Only faults end like this. */
export interface NoReply {
  /** `reset` and `close` end the connection with and without a TCP reset; `silence` leaves it open and says nothing. */
  readonly ending: 'reset' | 'close' | 'silence'
}

/** A function from a request to its reply. */
export type Handler = (request: ServerRequest) => MaybePromise<Reply | NoReply>

const JSON_TYPE = ['Content-Type', 'application/json']

export function jsonReply(status: number, value: unknown, headers: HeaderList = []): Reply {
  return { status, headers: [...JSON_TYPE, ...headers], body: JSON.stringify(value) }
}

/** A plain JSON error, for failures below any protocol. */
export function errorReply(status: number, message: string, headers: HeaderList = []): Reply {
  return { status, headers: [...JSON_TYPE, ...headers], body: errorText(status, message) }
}

export function errorText(code: number, message: string): string {
  return JSON.stringify({ error: { code, message } })
}

/** 405, with what is allowed instead. */
export function wrongMethod(allow: string): Reply {
  return { status: 405, headers: ['Allow', allow] }
}

export function headerIn(headers: HeaderList, name: string): string | undefined {
  for (let at = 0; at < headers.length; at += 2) if (headers[at]?.toLowerCase() === name) return headers[at + 1]
  return undefined
}

/** Without the fields whose lower-case name fits. */
export function withoutHeaders(headers: HeaderList, isUnwanted: (name: string) => boolean): HeaderList {
  return headers.filter((_, at) => !isUnwanted((headers[at - (at % 2)] ?? '').toLowerCase()))
}

export function headerPairs(headers: HeaderList): [string, string][] {
  const pairs: [string, string][] = []
  for (let at = 0; at + 1 < headers.length; at += 2) pairs.push([headers[at] ?? '', headers[at + 1] ?? ''])
  return pairs
}
