// Request heads the HTTP parser lets through but the rest of the server should not have to handle: fields that may occur only once,
// a Host that is more than a host, framing an older intermediary would read differently, and targets that are not a
// plain path. Everything past this has `req.url` in origin-form.

import type { IncomingMessage } from 'node:http'
import type { Limits } from '../limits.ts'

export interface HeadRefusal {
  status: 400 | 414 | 431
  message: string
}

/** Undefined when the head may be served. Rewrites an absolute-form target to its path (RFC 9112 §3.2.2). */
export function checkRequestHead(
  req: IncomingMessage,
  limits: Pick<Limits, 'headerFields' | 'urlLength'>,
): HeadRefusal | undefined {
  const { rawHeaders } = req
  if (rawHeaders.length > limits.headerFields * 2) {
    return { status: 431, message: `The request has more than ${limits.headerFields} header fields.` }
  }
  const target = req.url ?? ''
  if (target.length > limits.urlLength) {
    return { status: 414, message: `The request target is longer than ${limits.urlLength} characters.` }
  }
  if (req.httpVersionMajor !== 1) return bad('The request is not HTTP/1.1.')
  const transferEncoding = req.headers['transfer-encoding']
  if (transferEncoding !== undefined) {
    // Other codings would reach the reader undone; and HTTP/1.0 has none, so a proxy in between may not see it.
    if (transferEncoding.toLowerCase() !== 'chunked') return bad('The Transfer-Encoding must be chunked.')
    if (req.httpVersionMinor === 0) return bad('HTTP/1.0 has no Transfer-Encoding.')
  }
  const repeated = repeatedField(rawHeaders)
  if (repeated !== undefined) return bad(`The header field ${repeated} occurs more than once.`)
  const { host } = req.headers
  if (host !== undefined && host !== lastHost && !isHost(host))
    return bad('The Host header field is not a host name and port.')

  if (target.charCodeAt(0) === SLASH) {
    // A path that begins with two slashes turns into a host name when resolved against a URL.
    return target.charCodeAt(1) === SLASH ? bad('The request target begins with two slashes.') : undefined
  }
  if (target === '*' && req.method === 'OPTIONS') return undefined
  const path = pathOfAbsoluteForm(target)
  if (path === undefined) return bad('The request target is neither a path nor an http URL.')
  req.url = path
  return undefined
}

const SLASH = 0x2f

/** Two of these have no meaning, and node:http would quietly take the first. */
const SINGLE = ['host', 'content-type', 'authorization', 'content-encoding']
const SINGLE_LENGTHS = new Set(SINGLE.map((name) => name.length))

function repeatedField(rawHeaders: readonly string[]): string | undefined {
  let seen = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? ''
    if (!SINGLE_LENGTHS.has(name.length)) continue
    const which = SINGLE.indexOf(name.toLowerCase())
    if (which === -1) continue
    if ((seen & (1 << which)) !== 0) return SINGLE[which]
    seen |= 1 << which
  }
  return undefined
}

/** The last one that was in order: most requests name the same. */
let lastHost = ''

/** A registered name, an IPv4 address or a bracketed IPv6 one, and perhaps a port; never user information. */
function isHost(host: string): boolean {
  if (!/^(?:[a-z0-9\-._~%!$&'()*+,;=]*|\[[0-9a-f:.]+\])(?::\d{0,5})?$/i.test(host)) return false
  lastHost = host
  return true
}

function pathOfAbsoluteForm(target: string): string | undefined {
  const match = /^https?:\/\/[^/?#@\\\s]+(\/[^#]*|\?[^#]*)?$/i.exec(target)
  if (match === null) return undefined
  const rest = match[1] ?? '/'
  if (rest.startsWith('//')) return undefined
  return rest.startsWith('?') ? `/${rest}` : rest
}

function bad(message: string): HeadRefusal {
  return { status: 400, message }
}
