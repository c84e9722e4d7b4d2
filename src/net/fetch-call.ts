// One HTTP request through a fetch that was given: the same request, time limits, record and answer as over our own
// connections. What fetch decides by itself (connections, certificates, compression, names of headers) stays with it.

import { Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'
import { EarlyEnd, within } from './early-end.ts'
import type { ExchangeRecorder } from './exchange-recorder.ts'
import type { FetchFunction, HeaderPairs, HttpRequest } from './http-request.ts'
import { HttpResponse } from './http-response.ts'
import { NetError, toNetError } from './net-error.ts'

/** Fetch sets them itself, and refuses them from anybody else. */
const ITS_OWN = new Set(['host', 'connection', 'content-length', 'accept-encoding', 'transfer-encoding'])

export interface FetchCall {
  fetch: FetchFunction
  url: URL
  request: HttpRequest
  headers: HeaderPairs
  body: Uint8Array
  timeoutMs: number
  recorder: ExchangeRecorder
}

export async function sendByFetch({ fetch, url, request, headers, body, timeoutMs, recorder }: FetchCall) {
  const { origin } = url
  const aborter = new AbortController()
  let source: Readable | undefined
  const end = new EarlyEnd({
    destroy(reason) {
      aborter.abort(reason)
      source?.destroy(reason)
    },
  })
  const { deadline, release } = within(timeoutMs, { end, origin, recorder, signal: request.signal })
  try {
    if (end.reason !== undefined) throw end.reason
    const asked = fetch(url.href, {
      method: request.method ?? 'GET',
      headers: headers.filter(([name]) => !ITS_OWN.has(name.toLowerCase())).map(([name, value]) => [name, value]),
      ...(body.length > 0 ? { body: body as Uint8Array<ArrayBuffer> } : {}),
      redirect: 'manual',
      signal: aborter.signal,
    })
    const response = await orAborted(asked, aborter.signal)
    recorder.begin(response.status, [...response.headers].flat())
    source = response.body === null ? Readable.from([]) : Readable.fromWeb(response.body as ReadableStream)
    let isComplete = false
    source.once('end', () => {
      isComplete = true
    })
    return new HttpResponse({
      ...{ status: response.status, stream: source, isComplete: () => isComplete, isInflated: true },
      ...{ end, origin, recorder, release, deadline, request },
    })
  } catch (error) {
    release()
    throw end.reason ?? failureOf(error, origin)
  }
}

/** A fetch that does not listen to its signal must not hold the caller. */
function orAborted<T>(asked: Promise<T>, signal: AbortSignal): Promise<T> {
  const aborted = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true })
  })
  return Promise.race([asked, aborted])
}

/** Node's fetch hides why it failed in the cause; another may throw anything. */
function failureOf(error: unknown, origin: string): NetError {
  const cause = error instanceof Error ? error.cause : undefined
  if (cause instanceof Error && 'code' in cause) return toNetError(cause, origin)
  const why = error instanceof Error ? error.message : String(error)
  return new NetError('unreachable', `The fetch given to the client failed for ${origin}: ${why}`, { cause: error })
}
