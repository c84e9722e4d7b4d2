// Why a peer could not be talked to. The sentence names the origin only: paths and queries may carry secrets.

import type { Exchange } from '../trace/exchange.ts'

/** How a connection failed. */
export type NetErrorCode =
  /** No connection: no such host, no listener, no route. */
  | 'unreachable'
  | 'timeout'
  /** The connection ended before the answer did. */
  | 'reset'
  | 'tls'
  /** A peer led to an address that must not be called. */
  | 'refused'
  | 'too-large'
  /** The caller's signal. */
  | 'aborted'
  /** Not HTTP, or something HTTP cannot carry. */
  | 'protocol'

/**
 * A connection that failed, or was ended by the caller (`aborted`).
 *
 * @example
 * ```ts
 * import { A2AClient, NetError } from 'a2a-parley/client'
 *
 * using client = await A2AClient.connect('localhost:9999/spec')
 * try {
 *   await client.getTask({ id: 't' }, { timeoutMs: 1_000 })
 * } catch (error) {
 *   if (!(error instanceof NetError && error.code === 'timeout')) throw error
 *   console.error('The agent took longer than a second.')
 * }
 * ```
 */
export class NetError extends Error {
  /** Always `NetError`. */
  override readonly name = 'NetError'
  /** What went wrong, for programs. */
  readonly code: NetErrorCode
  /** What was recorded until then; absent when nothing was sent. */
  exchange: Exchange | undefined

  constructor(code: NetErrorCode, message: string, options: { cause?: unknown; exchange?: Exchange } = {}) {
    super(message, { cause: options.cause })
    this.code = code
    this.exchange = options.exchange
  }
}

const UNREACHABLE = new Map<string, string>([
  ['ECONNREFUSED', 'Nothing is listening at'],
  ['ENOTFOUND', 'There is no such host:'],
  ['EAI_AGAIN', 'The name could not be resolved:'],
  ['EHOSTUNREACH', 'There is no route to'],
  ['ENETUNREACH', 'There is no route to'],
  ['EADDRNOTAVAIL', 'There is no route to'],
  ['ETIMEDOUT', 'No answer from'],
])
const RESET = new Set(['ECONNRESET', 'EPIPE', 'ERR_STREAM_PREMATURE_CLOSE', 'ERR_SOCKET_CLOSED'])
const TLS = /^(?:ERR_TLS_|ERR_SSL_|EPROTO$|CERT_|CRL_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|HOSTNAME_MISMATCH|INVALID_CA)/

/** No trusted authority has signed the certificate. */
export const UNKNOWN_AUTHORITY =
  /^(?:SELF_SIGNED_|DEPTH_ZERO_|UNABLE_TO_|CERT_SIGNATURE_FAILURE|CERT_UNTRUSTED|INVALID_CA)/
/** The peer said what it thinks of our certificate, or that it wants one. */
export const CERTIFICATE_ALERT = /_ALERT_(?:.*CERTIFICATE|UNKNOWN_CA)/

const TLS_FAULTS: readonly (readonly [RegExp, (origin: string) => string])[] = [
  [UNKNOWN_AUTHORITY, (origin) => `The certificate of ${origin} is of an unknown authority`],
  [/^CERT_HAS_EXPIRED$/, (origin) => `The certificate of ${origin} has expired`],
  [/^ERR_TLS_CERT_ALTNAME_INVALID$/, (origin) => `The certificate of ${origin} is for another name`],
  [/_ALERT_CERTIFICATE_REQUIRED$/, (origin) => `${origin} asks for a client certificate`],
  [CERTIFICATE_ALERT, (origin) => `${origin} does not accept the client certificate`],
]
const TLS_FAILED = (origin: string) => `There is no secure connection to ${origin}`

/** What node:http or node:tls reported, as a NetError; one that already is stays itself. */
export function toNetError(error: unknown, origin: string): NetError {
  if (error instanceof NetError) return error
  const code = codeOf(error)
  const unreachable = UNREACHABLE.get(code)
  if (unreachable !== undefined) {
    return new NetError('unreachable', `${unreachable} ${origin} (${code}).`, { cause: error })
  }
  if (RESET.has(code)) {
    return new NetError('reset', `${origin} closed the connection before the answer was complete.`, { cause: error })
  }
  if (error instanceof Error && /wrong version number|packet length too long|http request/i.test(error.message)) {
    return new NetError('tls', `${origin} does not speak TLS; try http:// instead.`, { cause: error })
  }
  if (TLS.test(code)) {
    const describe = TLS_FAULTS.find(([pattern]) => pattern.test(code))?.[1] ?? TLS_FAILED
    return new NetError('tls', `${describe(origin)} (${code}).`, { cause: error })
  }
  if (code === 'HPE_HEADER_OVERFLOW') {
    return new NetError('too-large', `${origin} answered with header fields that are too large.`, { cause: error })
  }
  const what = code.startsWith('HPE_') || code.startsWith('Z_') || code.startsWith('ERR_') ? ` (${code})` : ''
  return new NetError('protocol', `${origin} did not answer with valid HTTP${what}.`, { cause: error })
}

function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return ''
  const { code } = Object.assign({ code: undefined as unknown }, error)
  if (typeof code === 'string') return code
  // Several addresses were tried; the first failure speaks for all.
  return error instanceof AggregateError ? codeOf(error.errors[0]) : ''
}
