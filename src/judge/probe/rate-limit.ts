// Answers that turn a caller away for now, or until he pays: they say nothing about what was asked. Limiting is what the text
// advises (1.0 §13.4), and it lets a server say when to come back (§3.3.2), so the judge does come back, and says so.

import { type Exchange, headerOf, isGrpcResponse, type RecordedResponse } from '../../trace/exchange.ts'
import { NotMeasured } from './check-failure.ts'
import { pause } from './pause.ts'

export interface Limit {
  /** For the report, without numbers: `the agent is rate limiting`. */
  reason: string
  /** The same with what it said: `HTTP 429, Retry-After: 30`. */
  words: string
  /** When to come back; undefined where that does not help. */
  waitMs: number | undefined
  /** Whether that is its own word. */
  isAdvised: boolean
}

const RATE_LIMITING = 'the agent is rate limiting'
const WANTS_PAYMENT = 'the agent answers HTTP 402 (payment required)'

/** Reasons for which checks did not run. */
export const TURNED_AWAY: ReadonlySet<string | undefined> = new Set([RATE_LIMITING, WANTS_PAYMENT])

/** Where nothing is said. */
const USUAL_WAIT_MS = 1_000
/** Longer requests may be refused for their size, with the same status. */
const SMALL_BYTES = 64 * 1024
const [RESOURCE_EXHAUSTED, UNAVAILABLE] = ['8', '14']

export function limitOf({ request, response }: Exchange, now = Date.now()): Limit | undefined {
  if (response === undefined) return undefined
  const { status } = response
  if (status === 402) return { reason: WANTS_PAYMENT, words: 'HTTP 402', waitMs: undefined, isAdvised: false }
  const headers = isGrpcResponse(response) ? [...response.trailers, ...response.headers] : response.headers
  const advised = headerOf(headers, 'retry-after') ?? retryInfo(response)
  const advisedMs = waitOf(advised, now)
  const limited = (words: string): Limit => ({
    reason: RATE_LIMITING,
    words: advised === undefined ? words : `${words}, Retry-After: ${advised.trim()}`,
    waitMs: advisedMs ?? USUAL_WAIT_MS,
    isAdvised: advisedMs !== undefined,
  })
  if (isGrpcResponse(response)) {
    const code = headerOf(headers, 'grpc-status')
    if (code === RESOURCE_EXHAUSTED && request.body.length < SMALL_BYTES) return limited('gRPC RESOURCE_EXHAUSTED')
    return code === UNAVAILABLE && advised !== undefined ? limited('gRPC UNAVAILABLE') : undefined
  }
  if (status === 429 || (status === 503 && advised !== undefined)) return limited(`HTTP ${status}`)
  const isRpcError = status < 400 && advised !== undefined && /^\s*\{.*"error"\s*:/s.test(textOf(response.body))
  return isRpcError ? limited('an error') : undefined
}

/** The same advice as a detail of an error (google.rpc.RetryInfo): `3.5s`. */
function retryInfo(response: RecordedResponse): string | undefined {
  if (response.status < 400 || response.body.length > SMALL_BYTES) return undefined
  return /google\.rpc\.RetryInfo"[^}]*"retryDelay"\s*:\s*"(\d+(?:\.\d+)?)s"/.exec(textOf(response.body))?.[1]
}

/** Seconds, or a date (RFC 9110 §10.2.3). */
function waitOf(advised: string | undefined, now: number): number | undefined {
  const text = advised?.trim() ?? ''
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text) * 1_000
  const at = Date.parse(text)
  return Number.isNaN(at) ? undefined : Math.max(0, at - now)
}

function textOf(body: Uint8Array): string {
  return new TextDecoder().decode(body.subarray(0, SMALL_BYTES))
}

/** Nothing was learned about what was asked. */
export function turnedAway({ reason, words, waitMs }: Limit): NotMeasured {
  const wanted = waitMs === undefined ? 'an agent that answers without payment' : 'an agent that allows more requests'
  return new NotMeasured(`${reason} (${words})`, wanted, undefined, reason)
}

/** No request waits longer at a time, and no run longer in all: what takes longer is not measured. */
const MOST_AT_A_TIME_MS = 10_000
const MOST_IN_ALL_MS = 120_000
const MOST_TIMES = 5
/** Whoever was turned away twice waits a little, and longer each time, whatever the agent says. */
const LEAST_MS = 20

/** Whom one check was asked to leave alone, the others leave alone as well. */
export class Patience {
  readonly #freeAtMs = new Map<string, number>()
  readonly #onLimit: () => void
  #leftMs = MOST_IN_ALL_MS

  constructor(onLimit: () => void) {
    this.#onLimit = onLimit
  }

  /** Waits until this origin may be asked. */
  async turn(origin: string, signal: AbortSignal): Promise<void> {
    const waitMs = (this.#freeAtMs.get(origin) ?? 0) - performance.now()
    if (waitMs > 0) await pause(waitMs, signal)
  }

  /** Shall the request go out once more? `before`: how often it was turned away already. */
  mayRepeat(origin: string, limit: Limit, before: number): boolean {
    this.#onLimit()
    if (limit.waitMs === undefined) return false
    const waitMs = Math.max(limit.waitMs, before === 0 ? 0 : LEAST_MS * 2 ** before)
    if (waitMs > Math.min(MOST_AT_A_TIME_MS, this.#leftMs) || before >= MOST_TIMES) return false
    const [now, known] = [performance.now(), this.#freeAtMs.get(origin) ?? 0]
    const freeAtMs = Math.max(known, now + waitMs)
    this.#leftMs -= freeAtMs - Math.max(known, now)
    this.#freeAtMs.set(origin, freeAtMs)
    return true
  }
}
