// A place between what the server writes and what goes on the wire. Layers see heads as pairs and bodies as chunks,
// whichever way node:http was called, and may change, hold back, or cut.

import { type OutgoingHttpHeader, type OutgoingHttpHeaders, ServerResponse } from 'node:http'

export type HeaderPairs = readonly (readonly [string, string])[]
export type Chunk = string | Uint8Array

export interface ResponseLayer {
  head(status: number, headers: HeaderPairs): void
  /** False when the reader is slow; 'drain' follows on the response. */
  write(chunk: Chunk): boolean
  end(chunk?: Chunk): void
}

/** The lowest layer: the connection itself. */
export interface Wire extends ResponseLayer {
  /** Loses the connection. At once and with a reset, or, with 'flushed', after everything written has left. */
  cut(when: 'now' | 'flushed'): void
}

/** Sees heads as they were given, every chunk and the end, without changing anything: much cheaper than a layer. */
export interface Observer {
  head(status: number, headers: unknown): void
  chunk(chunk: Chunk): void
  /** The connection is done with this answer; `isWhole` when all of it left. */
  closed(isWhole: boolean): void
}

const OBSERVER = Symbol('observer')

type Observed = ServerResponse & { [OBSERVER]?: Observer }

const { write: plainWrite, end: plainEnd } = ServerResponse.prototype
const plainWriteHead = ServerResponse.prototype.writeHead as (status: number, ...rest: unknown[]) => ServerResponse

/** Tells the observer when the answer is over, however it ends. */
export function observeEnd(res: ServerResponse, observer: Observer): void {
  const observed: Observed = res
  observed[OBSERVER] = observer
  res.on('close', closeSeen)
}

function closeSeen(this: Observed): void {
  this[OBSERVER]?.closed(this.writableFinished)
}

/** The functions are shared by all responses: a closure for each would cost more than what it sees. */
export function observe(res: ServerResponse, observer: Observer): void {
  const observed: Observed = res
  observed[OBSERVER] = observer
  res.on('close', closeSeen)
  res.writeHead = writeHeadSeen
  res.write = writeSeen
  res.end = endSeen
}

const writeHeadSeen = function (this: Observed, status: number, reason?: string, headers?: OutgoingHttpHeaders) {
  this[OBSERVER]?.head(status, typeof reason === 'string' ? headers : reason)
  return plainWriteHead.call(this, status, reason, headers)
} as ServerResponse['writeHead']

const writeSeen = function (this: Observed, chunk: Chunk, encoding: BufferEncoding, callback?: () => void) {
  this[OBSERVER]?.chunk(chunk)
  return plainWrite.call(this, chunk, encoding, callback)
} as ServerResponse['write']

const endSeen = function (this: Observed, chunk: Chunk, encoding: BufferEncoding, callback?: () => void) {
  if (chunk !== undefined && typeof chunk !== 'function') this[OBSERVER]?.chunk(chunk)
  return plainEnd.call(this, chunk, encoding, callback)
} as ServerResponse['end']

export function intercept(res: ServerResponse, build: (wire: Wire) => ResponseLayer): void {
  const writeHead = res.writeHead.bind(res)
  const write = res.write.bind(res)
  const end = res.end.bind(res)
  const wire: Wire = {
    head: (status, headers) => void writeHead(status, headers.flat()),
    write: (chunk) => write(chunk),
    end: (chunk) => void (chunk === undefined ? end() : end(chunk)),
    cut(when) {
      const { socket } = res
      if (when === 'now') socket?.resetAndDestroy()
      else socket?.destroySoon()
    },
  }
  const top = build(wire)
  let isHeadGiven = false
  const head = (status: number, headers: HeaderPairs): void => {
    if (isHeadGiven) return
    isHeadGiven = true
    top.head(status, headers)
  }
  res.writeHead = ((status: number, reasonOrHeaders?: unknown, headers?: unknown) => {
    head(status, toPairs(typeof reasonOrHeaders === 'string' ? headers : reasonOrHeaders))
    return res
  }) as ServerResponse['writeHead']
  res.write = ((chunk: Chunk) => {
    head(res.statusCode, [])
    return top.write(chunk)
  }) as ServerResponse['write']
  res.end = ((chunk?: Chunk | (() => void)) => {
    head(res.statusCode, [])
    top.end(typeof chunk === 'function' ? undefined : chunk)
    return res
  }) as ServerResponse['end']
}

/** Heads as node:http takes them, flat or as an object, as pairs. */
export function toPairs(headers: unknown): HeaderPairs {
  if (headers === undefined || headers === null) return []
  if (Array.isArray(headers)) {
    const pairs: [string, string][] = []
    for (let i = 0; i + 1 < headers.length; i += 2) pairs.push([String(headers[i]), String(headers[i + 1])])
    return pairs
  }
  return Object.entries(headers as OutgoingHttpHeaders).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value as OutgoingHttpHeader]).map((one): [string, string] => [name, String(one)]),
  )
}
