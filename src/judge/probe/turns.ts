// How many turns of the agent a run takes: messages that make it work, which may cost money. A message that is
// refused costs none; one that is never answered may have, so it counts.

import { isJsonObject } from '../../model/json.ts'
import type { Exchange } from '../../trace/exchange.ts'
import { parsed } from './answer.ts'
import type { Call, CallWatcher } from './calls.ts'
import { NotMeasured } from './check-failure.ts'
import type { OutgoingRequest } from './outgoing.ts'

export interface TurnOptions {
  /** No message is sent that could be one more. */
  max?: number | undefined
  /** What the user allowed, when some of it is used up already. */
  allowed?: number
  /** Told of every turn whose length is known. */
  onTurn?(span: Span): void
  /** Told of every message that was not answered in time. */
  onLate?(): void
}

export interface Span {
  startedMs: number
  endedMs: number
}

export class Turns implements CallWatcher {
  readonly #max: number
  readonly #allowed: number
  readonly #onTurn: TurnOptions['onTurn']
  readonly #onLate: TurnOptions['onLate']
  readonly #took = new WeakSet<Exchange>()
  #used = 0

  constructor({ max = Number.POSITIVE_INFINITY, allowed = max, onTurn, onLate }: TurnOptions = {}) {
    this.#max = max
    this.#allowed = allowed
    this.#onTurn = onTurn
    this.#onLate = onLate
  }

  /** Those under way included, because it is not known yet whether they are refused. */
  get used(): number {
    return this.#used
  }

  /** Was this exchange one? */
  took(exchange: Exchange): boolean {
    return this.#took.has(exchange)
  }

  admit({ request }: Call): void {
    if (isMessage(request) && this.#used >= this.#max) throw tooManyTurns(this.#allowed)
  }

  began({ request }: Call): void {
    if (isMessage(request)) this.#used++
  }

  ended({ request, exchange, fault, startedMs, endedMs = startedMs }: Call): void {
    if (!isMessage(request) || exchange === undefined) return
    if (fault === 'unreachable' || isRefused(exchange)) {
      this.#used--
      return
    }
    this.#took.add(exchange)
    if (fault === 'timeout') this.#onLate?.()
    if (request.op === 'sendMessage' && fault === undefined) this.#onTurn?.({ startedMs, endedMs })
  }
}

export function tooManyTurns(max: number): NotMeasured {
  const flag = `--max-turns ${max}`
  return new NotMeasured(`it would exceed ${flag}`, 'a higher --max-turns', undefined, flag)
}

const MESSAGE_METHOD =
  /"(SendMessage|SendStreamingMessage|message\/send|message\/stream|tasks\/send|tasks\/sendSubscribe)"/
const MESSAGE_PATH = /\/message:(send|stream)$/

/** Could it make the agent work? What a check made up by hand is told by its words. */
function isMessage({ op, url, body, isEmpty }: OutgoingRequest): boolean {
  if (isEmpty === true) return false
  if (op !== undefined) return op === 'sendMessage' || op === 'streamMessage'
  if (MESSAGE_PATH.test(URL.parse(url)?.pathname ?? '')) return true
  return body !== undefined && MESSAGE_METHOD.test(new TextDecoder().decode(body))
}

function isRefused({ response }: Exchange): boolean {
  if (response === undefined) return false
  if (response.status >= 400) return true
  if (response.body.length > MOST_READ_BYTES) return false
  const body = parsed(new TextDecoder().decode(response.body))
  return isJsonObject(body) && isJsonObject(body.error)
}

/** Errors are short. */
const MOST_READ_BYTES = 256 * 1024
