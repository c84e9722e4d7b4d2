// What goes over the wire while a run goes on: every request from the moment it leaves to the moment it is answered
// or given up. Whoever has to know (progress, the budget of turns, the watch for an agent that dies) is told here.

import { isJsonObject } from '../../model/json.ts'
import type { Operation } from '../../model/operation.ts'
import type { NetErrorCode } from '../../net/net-error.ts'
import type { Exchange } from '../../trace/exchange.ts'
import type { OutgoingRequest } from './outgoing.ts'
import { limitOf } from './rate-limit.ts'
import { jsonIn } from './traces.ts'

export interface Call {
  /** `SendMessage`, `message/send`, `POST /message:send`; the method and path of anything else. */
  readonly label: string
  readonly op: Operation | undefined
  readonly request: OutgoingRequest
  readonly startedMs: number
  readonly timeoutMs: number
  /** Set when it is over; for a stream, when its head has come. */
  exchange?: Exchange
  /** An answer came; that of a gateway without an agent behind it does not count. */
  isAnswered: boolean
  fault?: NetErrorCode
  endedMs?: number
}

export interface CallWatcher {
  /** May it go out? What is thrown here is thrown to the check instead. */
  admit?(call: Call): void
  /** It goes out now. */
  began?(call: Call): void
  /** The check goes on when this has settled. */
  ended?(call: Call): void | Promise<void>
}

export class Calls {
  readonly #watchers: readonly CallWatcher[]
  readonly #now: () => number

  constructor(watchers: readonly CallWatcher[], now: () => number = () => performance.now()) {
    this.#watchers = watchers
    this.#now = now
  }

  begin(request: OutgoingRequest, timeoutMs: number): Call {
    const { op } = request
    const call: Call = { label: labelOf(request), op, request, startedMs: this.#now(), timeoutMs, isAnswered: false }
    for (const watcher of this.#watchers) watcher.admit?.(call)
    for (const watcher of this.#watchers) watcher.began?.(call)
    return call
  }

  async end(call: Call, exchange: Exchange, fault: NetErrorCode | undefined): Promise<void> {
    call.exchange = exchange
    call.isAnswered = exchange.response !== undefined && !isGatewayError(exchange)
    if (fault !== undefined) call.fault = fault
    call.endedMs = this.#now()
    for (const watcher of this.#watchers) await watcher.ended?.(call)
  }
}

/** A call made by hand is known by the method its body names. */
function labelOf(request: OutgoingRequest): string {
  const { label, method, url } = request
  if (label !== undefined) return label
  const body = jsonIn(request)
  if (isJsonObject(body) && typeof body.method === 'string') return body.method
  return `${method} ${URL.parse(url)?.pathname ?? url}`
}

/** No agent is behind it; one that says when to come back is there. */
export function isGatewayError(exchange: Exchange): boolean {
  const status = exchange.response?.status ?? 0
  return status >= 502 && status <= 504 && limitOf(exchange) === undefined
}
