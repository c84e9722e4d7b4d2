// From a recording to a conversation the mock can play again: its calls in the order they were made, and the card.

import { SERVED_BINDINGS } from '../../bindings/serving.ts'
import type { DialectId } from '../../dialects/dialect.ts'
import { DIALECTS } from '../../dialects/index.ts'
import type { AgentCard } from '../../model/card.ts'
import { EXIT, ParleyError } from '../../model/errors.ts'
import { isJsonObject, type JsonValue } from '../../model/json.ts'
import type { Exchange } from '../../trace/exchange.ts'
import { readRecording } from '../../trace/record.ts'
import { parsePayload } from '../wire/payload.ts'
import { type RecordedCall, readExchange } from './read-exchange.ts'

export interface RecordedConversation {
  readonly calls: readonly RecordedCall[]
  /** The card as recorded, and whose it is. */
  readonly card: { readonly card: AgentCard; readonly generation: DialectId } | undefined
  /** One sentence when the recording breaks off. */
  readonly unfinished: string | undefined
  /** One line per exchange that cannot be played. */
  readonly skipped: readonly string[]
}

export async function loadRecording(path: string): Promise<RecordedConversation> {
  const { exchanges, unfinished } = await readRecording(path)
  const card = exchanges.map(cardIn).find((found) => found !== undefined)
  const dialects = generationsIn(exchanges, card?.generation)
  // Calls of gRPC are bytes; other recordings do not need the reader for them.
  if (exchanges.some(({ protocol }) => protocol === 'grpc'))
    for (const { recorded } of SERVED_BINDINGS) await recorded.load?.()
  const calls: RecordedCall[] = []
  const skipped: string[] = []
  for (const [index, exchange] of exchanges.entries()) {
    if (isCardFetch(exchange)) continue
    const read = readExchange(exchange, index + 1, dialects)
    if (read.ok) calls.push(read.call)
    else skipped.push(`Exchange ${index + 1} of ${path} is left out: ${read.why}.`)
  }
  if (calls.length === 0)
    throw new ParleyError(
      'recording-empty',
      `The recording ${path} has no A2A call that could be replayed${unfinished === undefined ? '' : ', and it was not finished'}; record a conversation first.`,
      { exitCode: EXIT.usage },
    )
  // Exchanges are written when they end; a conversation is told in the order it was begun.
  return { calls: calls.sort(byStart), card, unfinished, skipped }
}

/** Exchanges that began in the same millisecond are told apart by their ids, which count. */
function byStart(a: RecordedCall, b: RecordedCall): number {
  return a.startedMs - b.startedMs || a.id.localeCompare(b.id, 'en', { numeric: true })
}

function isCardFetch({ request }: Exchange): boolean {
  const { pathname } = new URL(request.url)
  return request.method === 'GET' && DIALECTS.some(({ card }) => card.wellKnownPaths.some((p) => pathname.endsWith(p)))
}

function cardIn(exchange: Exchange): RecordedConversation['card'] {
  if (!isCardFetch(exchange) || exchange.response?.status !== 200) return undefined
  const wire = parsePayload(Buffer.from(exchange.response.body).toString('utf8'))
  if (wire === undefined) return undefined
  // Most of one generation's card is readable in another's; only its own finds nothing wrong with it.
  const dialect =
    DIALECTS.find(({ card }) => card.issues(wire).length === 0) ?? DIALECTS.find(({ card }) => card.decode(wire).ok)
  const decoded = dialect?.card.decode(wire)
  return dialect !== undefined && decoded?.ok === true ? { card: decoded.value, generation: dialect.id } : undefined
}

/** The two oldest generations share method names; which of them was spoken shows in the names they do not share. */
function generationsIn(exchanges: readonly Exchange[], ofCard: DialectId | undefined): readonly DialectId[] {
  const methods = new Set(exchanges.map(({ request }) => methodIn(request.body)))
  const newest = DIALECTS.map(({ id }) => id)
  const oldest = DIALECTS.at(-1)
  const others = new Set(DIALECTS.slice(0, -1).flatMap((dialect) => Object.values(dialect.methods)))
  const speaksOldest =
    oldest !== undefined && Object.values(oldest.methods).some((name) => methods.has(name) && !others.has(name))
  if (!speaksOldest && ofCard !== oldest?.id) return newest.filter((id) => id !== oldest?.id)
  return oldest === undefined ? newest : [oldest.id, ...newest.slice(0, 1)]
}

function methodIn(body: Uint8Array): JsonValue | undefined {
  const json = parsePayload(Buffer.from(body).toString('utf8'))
  return isJsonObject(json) ? json.method : undefined
}
