// Where a request carries its credentials, and nothing about whether they are good.

import type { IncomingHttpHeaders } from 'node:http'
import type { KeyLocation } from './auth-config.ts'

/** The part of a request that authentication looks at; Node's IncomingMessage is one. */
export interface AuthRequest {
  readonly headers: IncomingHttpHeaders
  readonly url?: string | undefined
  readonly socket: {
    readonly remoteAddress?: string | undefined
    /** Present on TLS sockets. */
    readonly authorized?: boolean
    getPeerCertificate?(): { subject?: { CN?: string | string[] }; valid_to?: string } | null
  }
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

/** Common name of the certificate TLS verified; undefined when there is none. */
export function certificateName({ socket }: AuthRequest): string | undefined {
  if (socket.authorized !== true) return undefined
  const name = socket.getPeerCertificate?.()?.subject?.CN
  return typeof name === 'string' && name !== '' ? name : undefined
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
