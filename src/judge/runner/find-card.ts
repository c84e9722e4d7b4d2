// From what a person types to a card: a bare host, a base URL, a card URL or a card file. Every address tried is
// kept with its outcome, because "which URL did you look at?" is the first question when it fails.

import { readFile, stat } from 'node:fs/promises'
import { EXIT, ParleyError } from '../../model/errors.ts'
import { isJsonObject, type JsonObject } from '../../model/json.ts'
import { reachOf } from '../../net/guard/reach.ts'
import { refusePath } from '../../net/typed-path.ts'
import { type Exchange, headerOf } from '../../trace/exchange.ts'
import { parsed } from '../probe/answer.ts'
import { excessOf } from '../probe/json-limits.ts'
import type { Wire } from '../probe/wire.ts'

export interface CardAttempt {
  url: string
  /** "HTTP 404", "Nothing is listening at …". */
  outcome: string
  exchange?: Exchange
}

export interface FoundCard {
  attempts: CardAttempt[]
  card?: JsonObject
  cardUrl?: string
  exchange?: Exchange
}

const WELL_KNOWN = ['/.well-known/agent-card.json', '/.well-known/agent.json']
const MAX_REDIRECTS = 5
/** How long an agent that answers 502, 503 or 504 is given to wake up. */
const WARM_UP_MS = 15_000
const FIRST_PAUSE_MS = 100

export interface FindCardOptions {
  timeoutMs: number
  signal: AbortSignal
  /** Sent only when the card is refused without them. */
  credentials: readonly (readonly [string, string])[]
}

export async function findCard(target: string, wire: Wire, options: FindCardOptions): Promise<FoundCard> {
  const file = await cardFile(target)
  if (file !== undefined) return { attempts: [{ url: target, outcome: 'read' }], card: file }
  const attempts: CardAttempt[] = []
  for (const url of cardUrls(target)) {
    const exchange = await fetchCard(url, wire, options)
    const text = exchange.response === undefined ? '' : new TextDecoder().decode(exchange.response.body)
    const json = parsed(text)
    const status = exchange.response?.status
    const isCard = status === 200 && isJsonObject(json)
    const outcome =
      exchange.failure ??
      `HTTP ${status}${isCard || status !== 200 ? '' : `, ${excessOf(text) ?? 'not a JSON object'}`}`
    attempts.push({ url, outcome, exchange })
    if (isCard) return { attempts, card: json, cardUrl: url, exchange }
    // A host that cannot be reached will not be reached at another path.
    const fault = wire.faultOf(exchange)
    if (fault === 'unreachable' || fault === 'tls' || fault === 'timeout') break
  }
  return { attempts }
}

/** The addresses a card may be at, best first. */
export function cardUrls(target: string): string[] {
  const base = targetUrl(target)
  if (base.pathname.endsWith('.json')) return [base.href]
  const path = base.pathname.replace(/\/$/, '')
  const roots = path === '' ? [''] : [path, '']
  return roots.flatMap((root) => WELL_KNOWN.map((wellKnown) => `${base.origin}${root}${wellKnown}`))
}

export function targetUrl(target: string): URL {
  const hasScheme = /^[a-z][a-z0-9+.-]*:\/\//i.test(target)
  const isLocal = /^(localhost|127\.|\[?::1|0\.0\.0\.0|[^/]*:\d+(\/|$))/i.test(target)
  const url = URL.parse(hasScheme ? target : `${isLocal ? 'http' : 'https'}://${target}`)
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    throw new ParleyError('bad-target', `'${target}' is neither a URL, a host, nor a card file.`, {
      exitCode: EXIT.usage,
      hint: 'Give a base URL such as http://localhost:9999, a card URL, or the path of a card file.',
    })
  }
  return url
}

async function cardFile(target: string): Promise<JsonObject | undefined> {
  if (/^https?:\/\//i.test(target)) return undefined
  const isFile = await stat(target).then(
    (found) => found.isFile(),
    () => false,
  )
  if (!isFile) {
    refusePath(target)
    return undefined
  }
  const json = parsed(await readFile(target, 'utf8'))
  if (isJsonObject(json)) return json
  throw new ParleyError('not-a-card', `The file ${target} is not a JSON object, so it is no agent card.`, {
    exitCode: EXIT.usage,
  })
}

async function fetchCard(url: string, wire: Wire, options: FindCardOptions): Promise<Exchange> {
  const until = performance.now() + Math.min(WARM_UP_MS, options.timeoutMs)
  // What the person typed is free; where the agent redirects to is the agent's choice.
  const { origin } = new URL(url)
  const reach = reachOf({ named: [origin], allowsNeighbours: true })
  let address = url
  let withCredentials = false
  let redirects = 0
  for (let pauseMs = FIRST_PAUSE_MS; ; ) {
    const headers: [string, string][] = [
      ['Accept', 'application/json'],
      // Some servers choose the form of the card by this header, and answer with an old form without it.
      ['A2A-Version', '1.0'],
    ]
    if (withCredentials && new URL(address).origin === origin)
      headers.push(...options.credentials.map(([name, value]): [string, string] => [name, value]))
    const exchange = await wire.send({ method: 'GET', url: address, headers, body: undefined }, { ...options, reach })
    const status = exchange.response?.status ?? 0
    const location = headerOf(exchange.response?.headers ?? [], 'location')
    if (status >= 300 && status < 400 && location !== undefined) {
      if (++redirects > MAX_REDIRECTS) return { ...exchange, failure: `more than ${MAX_REDIRECTS} redirects` }
      if (!URL.canParse(location, address)) return { ...exchange, failure: 'a redirect to something that is no URL' }
      address = new URL(location, address).href
    } else if ((status === 401 || status === 403) && !withCredentials && options.credentials.length > 0) {
      withCredentials = true
    } else if (status >= 502 && status <= 504 && performance.now() + pauseMs < until) {
      await new Promise((resolve) => setTimeout(resolve, pauseMs))
      pauseMs *= 2
    } else {
      return exchange
    }
  }
}
