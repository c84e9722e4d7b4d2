// What has arrived of a request body, kept under the limits however it is cut into pieces.

import type { Limits } from '../limits.ts'
import { HttpFault } from './http-fault.ts'
import { type Receiving, receivingBodies } from './receiving-bodies.ts'

/** How large a body may be, and how long it may take. */
export type BodyLimits = Pick<Limits, 'bodyBytes' | 'receivingBytes'>

export const NO_BYTES = Buffer.alloc(0)

const MANY_PIECES = 1_024
const SMALL_PIECE = 16
/** Smaller pieces are copied together: each would take a few hundred bytes of its own otherwise. */
const KEPT_PIECE = 4_096
const STAGE_BYTES = 16 * 1024

export class IncomingBody implements Receiving {
  readonly cut: () => void
  readonly #limits: BodyLimits
  readonly #declared: number | undefined
  #size = 0
  #count = 0
  readonly #kept: Buffer[] = []
  /** Small pieces, copied together; `#staged` bytes of it are used. */
  #stage: Buffer | undefined
  #staged = 0

  /** `declared` is the length the head announces, `cut` ends the connection. Throws when that is too much already. */
  constructor(limits: BodyLimits, declared: number | undefined, cut: () => void) {
    if (declared !== undefined && declared > limits.bodyBytes) throw bodyTooLarge(limits.bodyBytes)
    this.#limits = limits
    this.#declared = declared
    this.cut = cut
  }

  /** Why no more of it is wanted; undefined when all is well. */
  add(piece: Buffer): HttpFault | undefined {
    this.#keep(piece)
    const { bodyBytes, receivingBytes } = this.#limits
    if (this.#size > bodyBytes) return bodyTooLarge(bodyBytes)
    // A body in crumbs takes more time to read than all the rest of the request.
    if (this.#count > MANY_PIECES && this.#size < this.#count * SMALL_PIECE)
      return new HttpFault('aborted', 'The body comes in too many small chunks.')
    if (this.#size !== this.#declared) receivingBodies.add(this, piece.length, receivingBytes)
    return undefined
  }

  /** No more is to come, for whatever reason. */
  end(): void {
    if (this.#count > 0) receivingBodies.remove(this)
  }

  whole(): Buffer {
    this.#unstage()
    const [first = NO_BYTES] = this.#kept
    return this.#kept.length <= 1 ? first : Buffer.concat(this.#kept, this.#size)
  }

  #keep(piece: Buffer): void {
    this.#size += piece.length
    // Most bodies are one piece.
    if (this.#count++ === 0 || piece.length >= KEPT_PIECE) {
      this.#unstage()
      this.#kept.push(piece)
      return
    }
    if (this.#stage !== undefined && this.#staged + piece.length > STAGE_BYTES) this.#unstage()
    this.#stage ??= Buffer.allocUnsafe(STAGE_BYTES)
    this.#staged += piece.copy(this.#stage, this.#staged)
  }

  #unstage(): void {
    if (this.#stage === undefined) return
    this.#kept.push(this.#stage.subarray(0, this.#staged))
    this.#stage = undefined
    this.#staged = 0
  }
}

export function bodyTooLarge(maxBytes: number): HttpFault {
  return new HttpFault('too-large', `The body is larger than ${maxBytes} bytes.`)
}

export function bodyAborted(): HttpFault {
  return new HttpFault('aborted', 'The connection closed before the whole body had arrived.')
}
