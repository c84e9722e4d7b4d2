// The card to judge, with the exchange of every place that was tried as evidence. Finding it is discovery's; the judge
// adds its own wire, tries without credentials first, and takes any JSON object for a card to be judged.

import { readFile } from 'node:fs/promises'
import { defined } from '../../base/defined.ts'
import { FOREIGN_CARD, isForeign } from '../../discovery/discover.ts'
import { type CardAttempt as Attempt, type CardAnswer, findCard as search } from '../../discovery/find-card.ts'
import { recognise } from '../../discovery/recognise.ts'
import { resolveTarget } from '../../discovery/target.ts'
import { EXIT, ParleyError } from '../../model/errors.ts'
import { isJsonObject, type JsonObject } from '../../model/json.ts'
import { reachOf } from '../../net/guard/reach.ts'
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

/** How long an agent that answers 502, 503 or 504 is given to wake up. */
const WARM_UP_MS = 15_000

export interface FindCardOptions {
  timeoutMs: number
  signal: AbortSignal
  /** Sent only when the card is refused without them. */
  credentials: readonly (readonly [string, string])[]
}

export async function findCard(target: string, wire: Wire, options: FindCardOptions): Promise<FoundCard> {
  const { credentials, timeoutMs } = options
  const place = resolveTarget(target, { hasCredentials: credentials.length > 0 })
  if (place.kind === 'file') return { attempts: [{ url: target, outcome: 'read' }], card: await cardFile(place.path) }
  const { attempts, card, from } = await search<CardAnswer & { exchange: Exchange }, JsonObject>(place.origins, {
    async ask(url, headers, origin) {
      // What the person typed is free; where the agent redirects to is the agent's choice.
      const reach = wire.reach ?? reachOf({ named: [origin], allowsNeighbours: true })
      const exchange = await wire.send({ method: 'GET', url, headers, body: undefined }, { ...options, reach })
      const { response, failure } = exchange
      const fault = wire.faultOf(exchange)
      return {
        exchange,
        status: response?.status,
        location: headerOf(response?.headers ?? [], 'location'),
        text: response === undefined ? '' : new TextDecoder().decode(response.body),
        ...defined({ failure }),
        isOriginDown: fault === 'unreachable' || fault === 'tls' || fault === 'timeout',
      }
    },
    credentialsFor: (url, origin) => (new URL(url).origin === origin ? credentials : []),
    isPublicFirst: true,
    warmUpMs: Math.min(WARM_UP_MS, timeoutMs),
    read(text, { url, places: { shared } }) {
      const json = parsed(text)
      if (!isJsonObject(json)) return { remark: excessOf(text) ?? 'not a JSON object' }
      const { interfaces } = recognise(json)
      // A card that names no interface at all is broken; whose it is cannot be told, so it is judged.
      return interfaces.length > 0 && isForeign(url, shared, interfaces) ? { remark: FOREIGN_CARD } : { card: json }
    },
  })
  const kept = attempts.map(asEvidence)
  if (card === undefined || from === undefined) return { attempts: kept }
  return { attempts: kept, card, cardUrl: from.url, exchange: from.answer.exchange }
}

function asEvidence({ url, outcome, answer }: Attempt<CardAnswer & { exchange: Exchange }>): CardAttempt {
  const { exchange, failure } = answer
  // The wire knows its exchanges; only what the search itself found wrong, such as too many redirects, is added.
  return { url, outcome, exchange: failure === exchange.failure ? exchange : { ...exchange, failure } }
}

async function cardFile(path: string): Promise<JsonObject> {
  const json = parsed(await readFile(path, 'utf8'))
  if (isJsonObject(json)) return json
  throw new ParleyError('not-a-card', `The file ${path} is not a JSON object, so it is not an agent card.`, {
    exitCode: EXIT.usage,
  })
}
