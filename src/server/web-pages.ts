// Which web pages may use a place of the server where a request makes it call another host. Everywhere else pages of any
// origin may: an open agent is open. A browser says which page is asking in the Origin header, and no page can forge it.

import { sameMachine } from '../net/guard/reach.ts'
import { type Reply, withoutHeaders } from '../net/serve/reply.ts'
import type { ServerRequest } from '../net/serve/request.ts'

/** Why this request is refused, or undefined. `baseUrl` is where the server itself lives, never the Host header. */
export function refusePage(
  { headers }: ServerRequest,
  baseUrl: string,
  allowed: readonly string[],
): string | undefined {
  const { origin } = headers
  if (origin === undefined) return undefined
  const isKnown = [baseUrl, ...allowed].some((each) => sameMachine(originOf(each)) === sameMachine(origin))
  return isKnown
    ? undefined
    : 'Web pages of other origins may not use this agent: it calls others on behalf of whoever asks.'
}

/** The answer without the headers by which pages of other origins may read it. */
export function withoutCors(reply: Reply): Reply {
  return { ...reply, headers: withoutHeaders(reply.headers, (name) => name.startsWith('access-control-')) }
}

function originOf(url: string): string {
  return URL.parse(url)?.origin ?? url
}
