// Sends exactly these bytes and collects what comes back: for questions no correct HTTP client would ask.
// Never throws for what the peer does; how it ended is part of the answer.

import { connect, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'

export interface RawRequest {
  host: string
  port: number
  /** Sent one after the other; a pause needs a second connection or `onConnect`. */
  bytes: string | Uint8Array | readonly (string | Uint8Array)[]
  /** Speak TLS, accepting any certificate. */
  tls?: boolean
  deadlineMs?: number
  maxBytes?: number
  /** Send FIN after the bytes. */
  halfClose?: boolean
  /** Stops collecting once it says yes; otherwise the peer or the deadline ends it. */
  isEnough?: (received: Buffer) => boolean
  /** Called with the open socket after the bytes were written, for slow or interactive senders. */
  onConnect?: (socket: Socket) => void
}

export type RawEnding = 'closed' | 'reset' | 'unreachable' | 'deadline' | 'too-large' | 'enough'

export interface RawReply {
  bytes: Buffer
  ended: RawEnding
  durationMs: number
}

export function sendRaw(request: RawRequest): Promise<RawReply> {
  const { host, port, bytes, deadlineMs = 10_000, maxBytes = 1024 * 1024 } = request
  const started = performance.now()
  return new Promise((resolve) => {
    let received: Buffer[] = []
    let size = 0
    let isConnected = false
    const onReady = () => {
      isConnected = true
      for (const part of isList(bytes) ? bytes : [bytes]) socket.write(typeof part === 'string' ? latin1(part) : part)
      if (request.halfClose) socket.end()
      request.onConnect?.(socket)
    }
    const socket: Socket =
      request.tls === true
        ? connectTls({ host, port, rejectUnauthorized: false }, onReady)
        : connect({ host, port, noDelay: true }, onReady)
    const finish = (ended: RawEnding) => {
      clearTimeout(deadline)
      socket.destroy()
      resolve({ bytes: Buffer.concat(received, size), ended, durationMs: Math.round(performance.now() - started) })
    }
    const deadline = setTimeout(() => finish('deadline'), deadlineMs)
    socket.on('data', (chunk: Buffer) => {
      const kept = chunk.subarray(0, maxBytes - size)
      received.push(kept)
      size += kept.length
      if (kept.length < chunk.length) finish('too-large')
      else if (request.isEnough !== undefined) {
        received = [Buffer.concat(received, size)]
        if (received[0] !== undefined && request.isEnough(received[0])) finish('enough')
      }
    })
    socket.on('error', (error: Error & { code?: string }) => {
      finish(isConnected || error.code === 'ECONNRESET' ? 'reset' : 'unreachable')
    })
    socket.on('end', () => finish('closed'))
    socket.on('close', () => finish('closed'))
  })
}

/** The status of the first response in the bytes, if they begin with one. */
export function statusOf(bytes: Buffer): number | undefined {
  const match = /^HTTP\/1\.[01] (\d{3})(?: |\r\n)/.exec(bytes.toString('latin1', 0, 64))
  return match === null ? undefined : Number(match[1])
}

function isList(bytes: RawRequest['bytes']): bytes is readonly (string | Uint8Array)[] {
  return Array.isArray(bytes)
}

/** Strings stand for bytes here: U+00FF is the byte 0xFF. */
function latin1(text: string): Buffer {
  return Buffer.from(text, 'latin1')
}
