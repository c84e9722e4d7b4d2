// The HTTP client of a run, with limits no honest agent meets: a hostile one costs a bounded time and memory.

import { defined } from '../../base/defined.ts'
import type { Reach } from '../../net/guard/reach.ts'
import { HttpClient } from '../../net/http-client.ts'
import type { HttpClientDefaults, TlsOptions } from '../../net/http-request.ts'

/** Per task and per call. */
export const DEFAULT_TIMEOUT_MS = 60_000
/** For the whole run. */
export const DEFAULT_DEADLINE_MS = 15 * 60_000
/** Large enough for any honest answer, small enough that eight at a time do not hurt. */
const MAX_BODY_BYTES = 8 * 1024 * 1024

/** What whoever judges many agents holds in the hand: where requests may go, who asks, and what was answered. */
export type Conduct = Pick<HttpClientDefaults, 'reach' | 'userAgent' | 'onExchange'>

interface JudgeClientOptions {
  tls?: TlsOptions | undefined
  reach?: Reach | undefined
  conduct?: Conduct | undefined
}

export function judgeClient(timeoutMs: number, { tls, reach, conduct }: JudgeClientOptions = {}): HttpClient {
  return new HttpClient({
    maxBodyBytes: MAX_BODY_BYTES,
    maxEventBytes: MAX_BODY_BYTES,
    timeoutMs,
    idleTimeoutMs: timeoutMs,
    streamTimeoutMs: timeoutMs * 2,
    ...defined({ tls, reach }),
    ...conduct,
  })
}
