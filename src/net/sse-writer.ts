// Server-sent events, the sending side: frames nobody can inject a field into, the headers that keep proxies from
// buffering, and one timer that keeps every idle stream alive.

import type { ServerResponse } from 'node:http'
import { CompactingSet } from '../base/compacting.ts'

export const SSE_HEADERS: Readonly<Record<string, string>> = {
  'Content-Type': 'text/event-stream',
  'Cache-Control': 'no-store',
  'X-Accel-Buffering': 'no',
}

/** Sends the head at once, so that the client knows its stream is open before the first event. */
export function startSse(res: ServerResponse, headers: Readonly<Record<string, string>> = {}): void {
  res.writeHead(200, { ...SSE_HEADERS, ...headers })
  res.flushHeaders()
}

/** One event. Line breaks in `data` become several data lines, which the reader joins again with LF. */
export function sseFrame(data: string, options?: { event?: string; id?: string | number }): string {
  let head = ''
  if (options !== undefined) {
    if (options.event !== undefined) head += `event: ${oneLine('event', options.event)}\n`
    if (options.id !== undefined) head += `id: ${oneLine('id', String(options.id))}\n`
  }
  if (!data.includes('\n') && !data.includes('\r')) return `${head}data: ${data}\n\n`
  return `${head}data: ${data.replace(/\r\n|\r|\n/g, '\ndata: ')}\n\n`
}

function oneLine(field: string, value: string): string {
  if (value.includes('\n') || value.includes('\r') || value.includes('\0')) {
    throw new TypeError(`The ${field} of a server-sent event must not contain a line break or NUL.`)
  }
  return value
}

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
