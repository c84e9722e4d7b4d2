// What was answered and not read yet: bytes that wait in this process because the peer does not take them. They are
// counted on each connection and over all; too many of them, or bytes that do not move for too long, and a connection is
// cut: of all that wait, the one whose reader has not taken anything for the longest.

import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Limits } from '../limits.ts'

const LOOK_EVERY_MS = 1_000

export type UnreadLimits = Pick<Limits, 'unreadBytes' | 'unreadBytesPerSocket' | 'unreadTimeoutMs'>

interface Unread {
  bytes: number
  /** What the operating system has taken over so far. */
  readonly taken: number
  readonly movedAt: number
  /** An event stream: how long its reader may take is decided where it is written. */
  isStream: boolean
  readonly onClose: () => void
}

const bySocket = new WeakMap<Socket, UnreadBytes>()

/** To be called when a stream wrote more than its reader took at once. */
export function noteUnreadStream({ socket }: ServerResponse): void {
  if (socket !== null) bySocket.get(socket)?.note(socket, true)
}

export class UnreadBytes {
  readonly #limits: UnreadLimits
  readonly #now: () => number
  /** Whoever has not moved for the longest comes first. */
  readonly #waiting = new Map<Socket, Unread>()
  #total = 0
  #timer: NodeJS.Timeout | undefined

  constructor(limits: UnreadLimits, now = () => performance.now()) {
    this.#limits = limits
    this.#now = now
  }

  /** As of the last look. */
  get total(): number {
    return this.#total
  }

  watch(socket: Socket): void {
    bySocket.set(socket, this)
  }

  /** Something was written that may have to wait for its reader. */
  note(socket: Socket, isStream = false): void {
    if (socket.writableLength === 0 && this.#waiting.size === 0) return
    const known = this.#waiting.get(socket)
    if (known === undefined) this.#add(socket, isStream)
    else {
      this.#total += socket.writableLength - known.bytes
      known.bytes = socket.writableLength
      known.isStream ||= isStream
    }
    const { unreadBytes, unreadBytesPerSocket } = this.#limits
    if (socket.writableLength > unreadBytesPerSocket) this.#cut(socket)
    if (this.#total > unreadBytes) this.look()
  }

  /** Sees who has read how much since the last look, and cuts those who read nothing for too long, or hold too much. */
  look(): void {
    const now = this.#now()
    for (const [socket, unread] of [...this.#waiting]) {
      if (takenBy(socket) !== unread.taken) {
        this.#forget(socket)
        this.#add(socket, unread.isStream)
      } else if (!unread.isStream && now - unread.movedAt >= this.#limits.unreadTimeoutMs) this.#cut(socket)
    }
    for (const socket of this.#waiting.keys()) {
      if (this.#total <= this.#limits.unreadBytes) break
      this.#cut(socket)
    }
  }

  stop(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  #add(socket: Socket, isStream: boolean): void {
    const bytes = socket.writableLength
    if (bytes === 0 || socket.destroyed) return
    const onClose = () => this.#forget(socket)
    this.#waiting.set(socket, { bytes, taken: takenBy(socket), movedAt: this.#now(), isStream, onClose })
    this.#total += bytes
    socket.once('close', onClose)
    const everyMs = Math.max(1, Math.min(LOOK_EVERY_MS, Math.floor(this.#limits.unreadTimeoutMs / 4)))
    this.#timer ??= setInterval(() => this.look(), everyMs).unref()
  }

  #cut(socket: Socket): void {
    this.#forget(socket)
    socket.destroy()
  }

  #forget(socket: Socket): void {
    const unread = this.#waiting.get(socket)
    if (unread === undefined) return
    this.#waiting.delete(socket)
    this.#total -= unread.bytes
    socket.off('close', unread.onClose)
    if (this.#waiting.size === 0) this.stop()
  }
}

function takenBy(socket: Socket): number {
  return socket.bytesWritten - socket.writableLength
}
