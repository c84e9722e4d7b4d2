// Where a request carries its credentials, and nothing about whether they are good.

import type { IncomingHttpHeaders } from 'node:http'
import type { KeyLocation } from './auth-config.ts'
import { secretDigest } from './secret-digest.ts'

const MAX_NAME_LENGTH = 256

/** The part of a request that authentication looks at; Node's IncomingMessage is one. */
export interface AuthRequest {
  readonly headers: IncomingHttpHeaders
  readonly url?: string | undefined
  readonly socket: {
    readonly remoteAddress?: string | undefined
    /** These are present on TLS sockets: whether the handshake verified the certificate, and what it found. */
    readonly authorized?: boolean
    readonly authorizationError?: unknown
    getPeerX509Certificate?(): PeerCertificate | undefined
  }
}

/** Of node:crypto's X509Certificate; one line for each part of the subject, the rest escaped (RFC 2253). */
interface PeerCertificate {
  readonly subject?: string | undefined
  readonly subjectAltName?: string | undefined
  readonly validToDate: Date
}

export interface ShownCertificate {
  /** Who it was issued to: the same after it was renewed. */
  readonly name: string
  readonly expiresAtMs: number
  /** Whether an authority of the server vouches for it; otherwise the name is anybody's word. */
  readonly isVerified: boolean
}

/** The token of `Authorization: Bearer …`; undefined without the header, '' when it is there but is no such thing. */
export function bearerToken({ headers }: AuthRequest): string | undefined {
  const { authorization } = headers
  if (authorization === undefined) return undefined
  return /^bearer +([\x21-\x7e]+) *$/i.exec(authorization)?.[1] ?? ''
}

export function apiKeyIn(request: AuthRequest, location: KeyLocation, name: string): string | undefined {
  switch (location) {
    case 'header': {
      const value = request.headers[name.toLowerCase()]
      return Array.isArray(value) ? value.join(', ') : value
    }
    case 'query':
      return queryOf(request.url ?? '').get(name) ?? undefined
    case 'cookie':
      return cookieIn(request.headers.cookie, name)
  }
}

/** The certificate the client showed in the handshake. */
export function certificateIn({ socket }: AuthRequest): ShownCertificate | undefined {
  const certificate = socket.getPeerX509Certificate?.()
  if (certificate === undefined) return undefined
  // The whole subject: two people may share a common name. Workloads often have nothing but alternative names.
  const name = certificate.subject?.replaceAll('\n', ', ') || certificate.subjectAltName || ''
  const isVerified = socket.authorized === true && !socket.authorizationError && name !== ''
  return { name: shortName(name), expiresAtMs: certificate.validToDate.getTime(), isVerified }
}

/** Names become parts of keys, which databases bound. */
function shortName(name: string): string {
  return name.length <= MAX_NAME_LENGTH ? name : `sha256 ${secretDigest(name).toString('hex')}`
}

function queryOf(url: string): URLSearchParams {
  const at = url.indexOf('?')
  return new URLSearchParams(at === -1 ? '' : url.slice(at + 1))
}

function cookieIn(header: string | undefined, name: string): string | undefined {
  for (const pair of header?.split(';') ?? []) {
    const at = pair.indexOf('=')
    if (at !== -1 && pair.slice(0, at).trim() === name) return pair.slice(at + 1).trim()
  }
  return undefined
}
