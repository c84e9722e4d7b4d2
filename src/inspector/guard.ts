// Who may talk to the inspector: the page it served itself, in the browser of whoever holds the link, and nothing else. Any
// web page can make a browser on this machine send requests here, so the Host (DNS rebinding), the Origin and the
// Sec-Fetch headers are checked before anything else, and nothing is ever allowed across origins.

import { isLoopback } from '../net/guard/loopback.ts'
import { errorReply, type Reply } from '../net/serve/reply.ts'
import type { ServerRequest } from '../net/serve/request.ts'

export const CALLBACK_PATH = '/oauth/callback'

export interface GuardedPlace {
  readonly port: number
  /** Other names it is reached by, when it is served beyond loopback. */
  readonly hosts: readonly string[]
  readonly isPublic: boolean
}

/** On every answer, whatever it is. */
export const SAFE_HEADERS: readonly string[] = [
  ...['Cache-Control', 'no-store'],
  ...['X-Content-Type-Options', 'nosniff'],
  ...['X-Frame-Options', 'DENY'],
  ...['Referrer-Policy', 'no-referrer'],
  ...['Cross-Origin-Opener-Policy', 'same-origin'],
  ...['Cross-Origin-Resource-Policy', 'same-origin'],
]

/** The refusal, or undefined when the request may be looked at. */
export function refusalOf(request: ServerRequest, place: GuardedPlace): Reply | undefined {
  const { headers, method, path, peer } = request
  const host = (headers.host ?? '').toLowerCase()
  const own = hostsOf(place)
  if (!place.isPublic && !isLoopback(peer.address ?? '')) return refused('The inspector answers only on this machine.')
  if (!own.includes(host)) return refused(`The Host must be ${own.join(' or ')}.`)
  if (method === 'OPTIONS') return refused('Other origins may not use the inspector.')
  const { origin } = headers
  if (origin !== undefined && origin !== `http://${host}`) return refused('Other origins may not use the inspector.')
  return siteRefusal(request, path.startsWith('/api/'))
}

/**
 * `same-site` is not enough: another port of this machine is the same site. A person who types or clicks the address is
 * `none` or `cross-site`, but then navigates, and only to the page itself.
 */
function siteRefusal({ headers, method, path }: ServerRequest, isApi: boolean): Reply | undefined {
  const site = headers['sec-fetch-site']
  if (site === undefined || site === 'same-origin') return undefined
  if (isApi) return refused('Other origins may not use the inspector.')
  const isNavigation = headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document'
  const isPage = path === '/' || path === CALLBACK_PATH
  return method === 'GET' && isNavigation && isPage ? undefined : refused('Other origins may not use the inspector.')
}

export function hostsOf({ port, hosts }: GuardedPlace): string[] {
  const names = [...new Set(['127.0.0.1', 'localhost', '[::1]', ...hosts])]
  return names.flatMap((name) => (port === 80 ? [name, `${name}:80`] : [`${name}:${port}`]))
}

function refused(message: string): Reply {
  return errorReply(403, message, SAFE_HEADERS)
}
