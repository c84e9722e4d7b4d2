// Comments for event streams that have nothing to say, so that no proxy in between closes them as idle: one timer for all of
// them.

import type { ServerResponse } from 'node:http'
import { CompactingSet } from '../../base/compacting.ts'

const COMMENT = ':\n\n'
const SLOTS = 15
/** A stream whose buffered bytes did not move for this many periods is dead. */
const STALLED_PERIODS = 2

interface Idle {
  res: ServerResponse
  delivered: number
  stalled: number
}

export interface KeepAliveOptions {
  intervalMs?: number
}

/**
 * Writes a comment to every registered stream once per interval, spread over the interval, with one timer however
 * many streams there are. A peer that takes no bytes for two intervals is disconnected; its response emits 'close'.
 */
export class KeepAlive {
  readonly #tickMs: number
  readonly #slots: CompactingSet<Idle>[] = Array.from({ length: SLOTS }, () => new CompactingSet())
  #current = 0
  #size = 0
  #timer: NodeJS.Timeout | undefined

  constructor({ intervalMs = 15_000 }: KeepAliveOptions = {}) {
    this.#tickMs = Math.max(1, Math.round(intervalMs / SLOTS))
  }

  get size(): number {
    return this.#size
  }

  /** Returns how to take it out again; a response that closes takes itself out. */
  add(res: ServerResponse): () => void {
    const slot = this.#slots[this.#current]
    if (slot === undefined || res.destroyed) return () => {}
    const idle: Idle = { res, delivered: deliveredBytes(res), stalled: 0 }
    slot.add(idle)
    this.#size++
    this.#timer ??= setInterval(() => this.#tick(), this.#tickMs).unref()
    const remove = () => {
      if (!slot.delete(idle)) return
      this.#size--
      res.off('close', remove)
      if (this.#size === 0) this.stop()
    }
    res.once('close', remove)
    return remove
  }

  stop(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  #tick(): void {
    this.#current = (this.#current + 1) % SLOTS
    for (const idle of this.#slots[this.#current] ?? []) touch(idle)
  }
}

function touch(idle: Idle): void {
  const { res } = idle
  if (res.writableEnded || res.destroyed) return
  const delivered = deliveredBytes(res)
  idle.stalled = res.writableLength > 0 && delivered === idle.delivered ? idle.stalled + 1 : 0
  idle.delivered = delivered
  if (idle.stalled >= STALLED_PERIODS) res.destroy()
  // A stream with bytes waiting needs no comment, and must not collect any.
  else if (res.writableLength === 0) res.write(COMMENT)
}

/** What the operating system took over; bytesWritten alone also counts what still waits in the socket. */
function deliveredBytes({ socket }: ServerResponse): number {
  return socket === null ? 0 : socket.bytesWritten - socket.writableLength
}
