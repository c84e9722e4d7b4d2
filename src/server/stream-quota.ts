// How many event streams may be open: in all, and for one authenticated caller. Whoever asks for one more is told to
// come back; anonymous callers are one crowd, so only the total bounds them.

import type { Call, EventFeed, Service } from '../bindings/service.ts'
import { A2AError } from '../model/errors.ts'
import { ANONYMOUS } from '../model/scope.ts'
import type { Limits } from '../net/limits.ts'

const RETRY_AFTER_SECONDS = 5

export class StreamQuota {
  readonly #limits: Pick<Limits, 'streams' | 'streamsPerCaller'>
  readonly #byCaller = new Map<string, number>()
  #open = 0

  constructor(limits: Pick<Limits, 'streams' | 'streamsPerCaller'>) {
    this.#limits = limits
  }

  get open(): number {
    return this.#open
  }

  /** Counts one more stream; the returned function gives it back, once. Throws when there is no room. */
  take({ subject, tenant }: Pick<Call, 'subject' | 'tenant'>): () => void {
    const { streams, streamsPerCaller } = this.#limits
    if (this.#open >= streams) throw exhausted('This server has as many open streams as it can hold.')
    const caller = subject === ANONYMOUS ? undefined : `${tenant}\u0000${subject}`
    const count = caller === undefined ? 0 : (this.#byCaller.get(caller) ?? 0)
    if (count >= streamsPerCaller)
      throw exhausted(`You have ${count} open streams, which is the limit; close one first.`)
    this.#open++
    if (caller !== undefined) this.#byCaller.set(caller, count + 1)
    let isTaken = true
    return () => {
      if (!isTaken) return
      isTaken = false
      this.#open--
      if (caller === undefined) return
      const left = (this.#byCaller.get(caller) ?? 1) - 1
      if (left === 0) this.#byCaller.delete(caller)
      else this.#byCaller.set(caller, left)
    }
  }
}

/** The same service, whose streams count against the quota while they are open. */
export function withStreamQuota(service: Service, quota: StreamQuota): Service {
  return {
    call: (op, request, call) => service.call(op, request, call),
    async stream(op, request, call) {
      const giveBack = quota.take(call)
      try {
        return counted(await service.stream(op, request, call), giveBack)
      } catch (error) {
        giveBack()
        throw error
      }
    },
  }
}

function counted(feed: EventFeed, giveBack: () => void): EventFeed {
  return {
    opening: feed.opening,
    openingSeq: feed.openingSeq,
    next: () => feed.next(),
    close() {
      giveBack()
      feed.close()
    },
  }
}

function exhausted(message: string): A2AError {
  return new A2AError('ResourceExhausted', message, { retryAfterSeconds: RETRY_AFTER_SECONDS })
}
