// Where a request carries its credentials, and nothing about whether they are good.

import type { Peer, RequestHeaders } from '../../net/serve/request.ts'
import type { KeyLocation } from './auth-config.ts'
import { secretDigest } from './secret-digest.ts'

const MAX_NAME_LENGTH = 256

/** The part of a request that authentication looks at. */
export interface AuthRequest {
  /** In capitals: `POST`. */
  readonly method?: string | undefined
  /** Path and query. */
  readonly url?: string | undefined
  /** Names in lower case. */
  readonly headers: RequestHeaders
  /** Who is at the other end of the connection, as far as that is known. */
  readonly peer?: Peer | undefined
  /** @deprecated Use `peer`; only there where node:http received the request. */
  readonly socket?: {
    /** An IP address. */
    readonly remoteAddress?: string | undefined
  }
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
export function certificateIn({ peer }: AuthRequest): ShownCertificate | undefined {
  const certificate = peer?.certificate
  if (certificate === undefined) return undefined
  // The whole subject: two people may share a common name. Workloads often have nothing but alternative names.
  const name = certificate.subject?.replaceAll('\n', ', ') || certificate.subjectAltName || ''
  const isVerified = certificate.isVerified && name !== ''
  return { name: shortName(name), expiresAtMs: certificate.validTo.getTime(), isVerified }
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
