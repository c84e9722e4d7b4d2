// Goes through the places where a card may be and keeps what each of them answered: "which URL did you look at?" is the
// first question when there is none. How a request is sent and what counts as a card is the caller's; the order, the
// redirects, the patience with an agent that wakes up and who sees credentials are the same for everybody.

import type { HeaderPairs } from '../net/http-request.ts'
import type { CardPlaces } from './target.ts'

export interface CardAnswer {
  /** Undefined when there was no response. */
  readonly status: number | undefined
  readonly location: string | undefined
  readonly text: string
  /** What went wrong instead: 'ECONNREFUSED', 'Nothing is listening at …'. */
  readonly failure?: string
  /** The other URLs of this origin would fail the same way. */
  readonly isOriginDown?: boolean
}

export interface CardAttempt<A extends CardAnswer = CardAnswer> {
  url: string
  /** Where the answer came from, after redirects. */
  source: string
  /** 'HTTP 404', 'HTTP 200, not JSON', 'ECONNREFUSED', … */
  outcome: string
  answer: A
}

export interface CardSearch<A extends CardAnswer, Card> {
  /** `origin` is the one the person named; what a redirect leads to is the agent's choice. */
  ask(url: string, headers: [string, string][], origin: string): Promise<A>
  /** Headers that identify the user to this URL; none where they do not belong. */
  credentialsFor(url: string, origin: string): HeaderPairs
  /** Credentials are held back until the card is refused without them. */
  readonly isPublicFirst?: boolean
  /** How long an agent that answers 502, 503 or 504 is given to wake up. */
  readonly warmUpMs?: number
  /** The card in the body of a 200, or a remark on why it is none. */
  read(text: string, at: { url: string; source: string; places: CardPlaces }): { card?: Card; remark?: string }
  /** An answer after which nothing else is tried. */
  isFinal?(answer: A): boolean
  onAttempt?(attempt: CardAttempt<A>): void
}

export interface FoundCard<A extends CardAnswer, Card> {
  attempts: CardAttempt<A>[]
  card?: Card
  from?: CardAttempt<A>
}

const MAX_REDIRECTS = 5
const FIRST_PAUSE_MS = 100

/**
 * Servers that know several generations choose the card by this header; without it some answer in the form before 1.0. It
 * names the first version of the newest form, which every later server knows.
 */
const CARD_VERSION: readonly [string, string] = ['A2A-Version', '1.0']

export async function findCard<A extends CardAnswer, Card>(
  origins: readonly CardPlaces[],
  search: CardSearch<A, Card>,
): Promise<FoundCard<A, Card>> {
  const attempts: CardAttempt<A>[] = []
  for (const places of origins) {
    for (const url of places.urls) {
      const { answer, source } = await fetchCard(url, places.origin, search)
      const { card, remark } = answer.status === 200 ? search.read(answer.text, { url, source, places }) : {}
      const said = answer.failure ?? `HTTP ${answer.status}`
      const attempt = { url, source, outcome: remark === undefined ? said : `${said}, ${remark}`, answer }
      attempts.push(attempt)
      search.onAttempt?.(attempt)
      if (card !== undefined) return { attempts, card, from: attempt }
      if (search.isFinal?.(answer)) return { attempts }
      if (answer.isOriginDown) break
    }
  }
  return { attempts }
}

async function fetchCard<A extends CardAnswer>(
  start: string,
  origin: string,
  search: CardSearch<A, unknown>,
): Promise<{ answer: A; source: string }> {
  const until = performance.now() + (search.warmUpMs ?? 0)
  let source = start
  let isIdentified = search.isPublicFirst !== true
  let redirects = 0
  for (let pauseMs = FIRST_PAUSE_MS; ; ) {
    const credentials = search.credentialsFor(source, origin)
    const headers: [string, string][] = [['Accept', 'application/json'], [...CARD_VERSION]]
    if (isIdentified) headers.push(...credentials.map(([name, value]): [string, string] => [name, value]))
    const answer = await search.ask(source, headers, origin)
    const { status = 0, location } = answer
    if (status >= 300 && status < 400 && location !== undefined) {
      if (++redirects > MAX_REDIRECTS)
        return { source, answer: { ...answer, failure: `more than ${MAX_REDIRECTS} redirects` } }
      if (!URL.canParse(location, source))
        return { source, answer: { ...answer, failure: 'a redirect to something that is not a URL' } }
      source = new URL(location, source).href
    } else if ((status === 401 || status === 403) && !isIdentified && credentials.length > 0) {
      isIdentified = true
    } else if (status >= 502 && status <= 504 && performance.now() + pauseMs < until) {
      await new Promise((resolve) => setTimeout(resolve, pauseMs))
      pauseMs *= 2
    } else {
      return { source, answer }
    }
  }
}
