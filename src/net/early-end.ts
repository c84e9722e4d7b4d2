// Ending an HTTP request from our side, and remembering why: node:http reports every such end as a reset.

import type { ExchangeRecorder } from './exchange-recorder.ts'
import { NetError } from './net-error.ts'

/** What can be ended: a request of node:http, or one that fetch sends. */
interface Endable {
  destroy(reason: Error): unknown
}

export class EarlyEnd {
  /** Why we ended it; undefined when we did not. */
  reason: NetError | undefined
  readonly #req: Endable

  constructor(req: Endable) {
    this.#req = req
  }

  /** The first reason counts. */
  force(reason: NetError): void {
    this.reason ??= reason
    this.#req.destroy(reason)
  }
}

interface Patience {
  end: EarlyEnd
  origin: string
  recorder: ExchangeRecorder
  signal: AbortSignal | undefined
}

/** Ends the request when its time is over or its caller gives up; `release` stops both. */
export function within(timeoutMs: number, { end, origin, recorder, signal }: Patience) {
  const deadline = setTimeout(() => {
    const what = recorder.exchange.response === undefined ? 'did not answer' : 'did not finish its answer'
    end.force(new NetError('timeout', `${origin} ${what} within ${timeoutMs} ms.`))
  }, timeoutMs - recorder.elapsedMs())
  const onAbort = () => end.force(new NetError('aborted', 'The request was canceled.'))
  if (signal?.aborted === true) onAbort()
  else signal?.addEventListener('abort', onAbort, { once: true })
  const release = () => {
    clearTimeout(deadline)
    signal?.removeEventListener('abort', onAbort)
  }
  return { deadline, release }
}
