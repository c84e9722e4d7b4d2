// The chunks of a stream, taken one after the other. What an iterator of Node does, without its ways of ending: leaving does
// nothing to the stream, which is its reader's to decide about.

import type { Readable } from 'node:stream'
import type { MaybePromise } from '../base/maybe-promise.ts'
import { NetError } from './net-error.ts'

export class ChunkReader {
  readonly #stream: Readable
  readonly #ready: Buffer[] = []
  #isOver = false
  #failure: { readonly reason: unknown } | undefined
  #wake: (() => void) | undefined

  constructor(stream: Readable) {
    this.#stream = stream
    stream.on('data', this.#onData)
    stream.once('end', () => this.#end())
    stream.once('error', (reason) => this.#end({ reason }))
    stream.once('close', () => this.#end(stream.readableEnded ? undefined : { reason: cutShort(stream) }))
  }

  /** Undefined at the end; rejects with what broke the stream off, once what came before is taken. */
  next(): MaybePromise<Buffer | undefined> {
    const chunk = this.#ready.shift()
    if (chunk !== undefined) return chunk
    if (this.#failure !== undefined) return Promise.reject(this.#failure.reason as Error)
    if (this.#isOver) return undefined
    if (this.#stream.isPaused()) this.#stream.resume()
    return new Promise<void>((resolve) => {
      this.#wake = resolve
    }).then(() => this.next())
  }

  /** What still comes is not kept. */
  leave(): void {
    this.#stream.off('data', this.#onData)
    this.#end()
  }

  readonly #onData = (chunk: Buffer): void => {
    this.#ready.push(chunk)
    if (this.#wake === undefined) this.#stream.pause()
    else this.#woken()
  }

  #end(failure?: { readonly reason: unknown }): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#failure = failure
    this.#woken()
  }

  #woken(): void {
    const wake = this.#wake
    this.#wake = undefined
    wake?.()
  }
}

function cutShort(stream: Readable): Error {
  return stream.errored ?? new NetError('reset', 'The peer closed the connection.')
}
