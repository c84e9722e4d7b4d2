// Which web pages may use a place of the server where a request makes it call somebody else. Everywhere else pages of any
// origin may: an open agent is open. A browser says which page is asking in the Origin header, and no page can forge it.

import type { IncomingMessage, OutgoingHttpHeader, OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { sameMachine } from '../net/guard/reach.ts'

/** Why this request is refused, or undefined. `baseUrl` is where the server itself lives, never the Host header. */
export function refusePage(req: IncomingMessage, baseUrl: string, allowed: readonly string[]): string | undefined {
  const { origin } = req.headers
  if (origin === undefined) return undefined
  const isKnown = [baseUrl, ...allowed].some((each) => sameMachine(originOf(each)) === sameMachine(origin))
  return isKnown
    ? undefined
    : 'Web pages of other origins may not use this agent: it calls others on behalf of whoever asks.'
}

/** Leaves out of whatever is answered the headers by which pages of other origins may read it. */
export function withoutCors(res: ServerResponse): void {
  const writeHead = res.writeHead.bind(res)
  res.writeHead = (status: number, ...rest: unknown[]) => {
    const headers = rest.findLast((each) => typeof each === 'object' && each !== null)
    return writeHead(status, stripped(headers as OutgoingHttpHeaders | OutgoingHttpHeader[] | undefined))
  }
}

function stripped(
  headers: OutgoingHttpHeaders | OutgoingHttpHeader[] = {},
): OutgoingHttpHeaders | OutgoingHttpHeader[] {
  if (Array.isArray(headers)) return headers.filter((_, at) => !isCors(String(headers[at - (at % 2)])))
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !isCors(name)))
}

function isCors(name: string): boolean {
  return name.toLowerCase().startsWith('access-control-')
}

function originOf(url: string): string {
  return URL.parse(url)?.origin ?? url
}
