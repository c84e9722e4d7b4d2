// One HTTP request to a URL a peer chose (webhook, JWKS, card, OAuth metadata). Never follows a redirect, never uses
// a proxy from the environment, never reuses a connection. Whatever goes wrong, the peer may be told only
// UNREACHABLE, so that a caller cannot scan ports through us; `detail` is for the operator's log.

import type { LookupFunction } from 'node:net'
import { http, https } from '../node-http.ts'
import { guardUrl } from './guarded-lookup.ts'
import type { GuardOptions } from './guarded-url.ts'

export interface GuardedRequest {
  readonly url: string
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
  /** From the start of resolution to the end of the answer. */
  readonly timeoutMs?: number
  readonly signal?: AbortSignal
  /** Extra trusted certificates, for private authorities. */
  readonly ca?: string
}

export interface GuardedAnswer {
  readonly ok: true
  readonly status: number
  /** Lower-case names; repeated fields joined with a comma. */
  readonly headers: ReadonlyMap<string, string>
  /** At most 64 KiB; never to be shown to the peer that chose the URL. */
  readonly body: Buffer
  readonly isTruncated: boolean
}

export interface GuardedFailure {
  readonly ok: false
  readonly reason: 'refused' | 'unresolved' | 'unreachable'
  /** For the operator; names addresses, so it must not reach the peer. */
  readonly detail: string
}

export const UNREACHABLE = 'The URL could not be reached.'

const MAX_BODY_BYTES = 64 * 1024
const TIMEOUT_MS = 15_000

export async function guardedRequest(
  request: GuardedRequest,
  options: GuardOptions,
): Promise<GuardedAnswer | GuardedFailure> {
  const timeoutMs = request.timeoutMs ?? TIMEOUT_MS
  const deadline = AbortSignal.timeout(timeoutMs)
  const signal = request.signal === undefined ? deadline : AbortSignal.any([deadline, request.signal])
  const verdict = await guardUrl(request.url, options)
  if (!verdict.ok) return { ok: false, reason: verdict.reason, detail: verdict.refusal }
  try {
    return await exchange(request, verdict.url, verdict.lookup, signal)
  } catch (error) {
    const detail = deadline.aborted ? `no answer within ${timeoutMs} ms` : codeOf(error)
    return { ok: false, reason: 'unreachable', detail }
  }
}

function exchange(
  request: GuardedRequest,
  url: URL,
  lookup: LookupFunction,
  signal: AbortSignal,
): Promise<GuardedAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<GuardedAnswer>()
  const body = request.body === undefined ? undefined : Buffer.from(request.body)
  const send = url.protocol === 'http:' ? http.request : https().request
  const outgoing = send(url, {
    method: request.method ?? 'GET',
    headers: {
      ...request.headers,
      ...(body === undefined ? {} : { 'content-length': String(body.length) }),
      'accept-encoding': 'identity',
      connection: 'close',
    },
    // A fresh agent: no socket shared between callers, and none of the proxy settings of the global one.
    agent: false,
    lookup,
    signal,
    ...(request.ca === undefined ? {} : { ca: request.ca }),
  })
  outgoing.on('error', reject)
  outgoing.on('response', (response) => {
    const chunks: Buffer[] = []
    let size = 0
    const finish = (isTruncated: boolean): void => {
      const headers = new Map<string, string>()
      for (const [name, values] of Object.entries(response.headersDistinct))
        headers.set(name, (values ?? []).join(', '))
      const whole = Buffer.concat(chunks).subarray(0, MAX_BODY_BYTES)
      resolve({ ok: true, status: response.statusCode ?? 0, headers, body: whole, isTruncated })
    }
    response.on('data', (chunk: Buffer) => {
      chunks.push(chunk)
      size += chunk.length
      if (size <= MAX_BODY_BYTES) return
      finish(true)
      response.destroy()
    })
    response.on('end', () => finish(false))
    response.on('error', reject)
  })
  outgoing.end(body)
  return promise
}

/** Only the code: Node's messages may contain header values, which are secrets here. */
function codeOf(error: unknown): string {
  if (error instanceof AggregateError) return codeOf(error.errors[0])
  if (error instanceof Error && 'code' in error && typeof error.code === 'string') return error.code
  return 'the request failed'
}
