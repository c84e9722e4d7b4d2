// Reads a request body into one Buffer that never exceeds the limit, however it is framed or compressed.
// Fails only with HttpFault.

import type { IncomingMessage } from 'node:http'
import { brotliDecompress, gunzip, inflate } from 'node:zlib'
import { type MaybePromise, mapMaybePromise } from '../base/maybe-promise.ts'
import { HttpFault } from './http-fault.ts'
import { DEFAULT_LIMITS } from './limits.ts'
import { receivingBodies } from './receiving-bodies.ts'
import type { ServerRequest } from './serve/request.ts'

/** A body may grow this much when decompressed; small ones may grow more, since they cannot hurt. */
const MAX_RATIO = 100
const RATIO_FREE_BYTES = 64 * 1024

const NOTHING = Buffer.alloc(0)

type Inflate = (
  input: Buffer,
  options: { maxOutputLength: number },
  done: (error: Error | null, output: Buffer) => void,
) => void

const INFLATERS = new Map<string, Inflate>([
  ['gzip', gunzip],
  ['x-gzip', gunzip],
  ['deflate', inflate],
  ['br', brotliDecompress],
])

/** The body of a request, its Content-Encoding undone. */
export function readBody(
  request: Pick<ServerRequest, 'headers' | 'body'>,
  maxBytes: number,
  inAll: number = DEFAULT_LIMITS.receivingBytes,
): MaybePromise<Buffer> {
  const limits = { bodyBytes: maxBytes, receivingBytes: inAll }
  const encoding = request.headers['content-encoding']
  if (encoding === undefined) return request.body.read(limits)
  const name = encoding.trim().toLowerCase()
  if (name === '' || name === 'identity') return request.body.read(limits)
  const inflater = INFLATERS.get(name)
  if (inflater === undefined)
    throw new HttpFault('unsupported-encoding', 'The Content-Encoding must be gzip, deflate, br or identity.')
  return mapMaybePromise(request.body.read(limits), (compressed) =>
    compressed.length === 0 ? compressed : decompress(inflater, compressed, maxBytes),
  )
}

/**
 * The bytes of a body as they arrive at node:http. Of bodies that are arriving, those that are still silent are cut when
 * all of them have more than `inAll` bytes.
 */
export function readRaw(req: IncomingMessage, maxBytes: number, inAll: number): MaybePromise<Buffer> {
  // The parser admits only digits here, and a message without either header has no body.
  const header = req.headers['content-length']
  const declared = header === undefined ? undefined : Number(header)
  if (declared === undefined && req.headers['transfer-encoding'] === undefined) return NOTHING
  if (declared !== undefined && declared > maxBytes) throw tooLarge(maxBytes)

  return new Promise((resolve, reject) => {
    const pieces = new Pieces()
    const settle = () => {
      req.off('data', onData)
      req.off('end', onEnd)
      req.off('error', onGone)
      req.off('close', onGone)
      if (pieces.count > 0) receivingBodies.remove(req)
    }
    const onData = (chunk: Buffer) => {
      pieces.add(chunk)
      if (pieces.size > maxBytes) {
        settle()
        req.pause() // The rest is not wanted; node:http discards it once the answer is sent.
        reject(tooLarge(maxBytes))
      } else if (pieces.areTooSmall) {
        settle()
        reject(new HttpFault('aborted', TOO_SMALL))
        // An answer would have to wait until all of them have been read.
        req.socket.destroy()
      } else if (pieces.size !== declared) receivingBodies.add(req, chunk.length, inAll)
    }
    const onEnd = () => {
      settle()
      resolve(pieces.whole())
    }
    const onGone = () => {
      settle()
      reject(new HttpFault('aborted', 'The connection closed before the whole body had arrived.'))
    }
    req.on('data', onData)
    req.on('end', onEnd)
    req.on('error', onGone)
    req.on('close', onGone)
  })
}

const TOO_SMALL = 'The body comes in more small pieces than anybody needs.'
const MANY_PIECES = 1_024
const SMALL_PIECE = 16
/** Smaller pieces are copied together: each would take a few hundred bytes of its own otherwise. */
const KEPT_PIECE = 4_096
const STAGE_BYTES = 16 * 1024

/** What has arrived of a body. */
class Pieces {
  size = 0
  count = 0
  readonly #kept: Buffer[] = []
  /** Small pieces, copied together; `#staged` bytes of it are used. */
  #stage: Buffer | undefined
  #staged = 0

  /** A body in crumbs takes more time to read than all the rest of the request. */
  get areTooSmall(): boolean {
    return this.count > MANY_PIECES && this.size < this.count * SMALL_PIECE
  }

  add(piece: Buffer): void {
    this.size += piece.length
    // Most bodies are one piece.
    if (this.count++ === 0 || piece.length >= KEPT_PIECE) {
      this.#unstage()
      this.#kept.push(piece)
      return
    }
    if (this.#stage !== undefined && this.#staged + piece.length > STAGE_BYTES) this.#unstage()
    this.#stage ??= Buffer.allocUnsafe(STAGE_BYTES)
    this.#staged += piece.copy(this.#stage, this.#staged)
  }

  whole(): Buffer {
    this.#unstage()
    const [first = NOTHING] = this.#kept
    return this.#kept.length <= 1 ? first : Buffer.concat(this.#kept, this.size)
  }

  #unstage(): void {
    if (this.#stage === undefined) return
    this.#kept.push(this.#stage.subarray(0, this.#staged))
    this.#stage = undefined
    this.#staged = 0
  }
}

function decompress(inflater: Inflate, compressed: Buffer, maxBytes: number): Promise<Buffer> {
  const byRatio = Math.max(RATIO_FREE_BYTES, compressed.length * MAX_RATIO)
  return new Promise((resolve, reject) => {
    inflater(compressed, { maxOutputLength: Math.min(maxBytes, byRatio) }, (error, output) => {
      if (error === null) resolve(output)
      else if (Object.assign({ code: '' }, error).code !== 'ERR_BUFFER_TOO_LARGE') {
        reject(new HttpFault('bad-encoding', 'The body is not what its Content-Encoding says.'))
      } else if (byRatio < maxBytes) {
        reject(new HttpFault('too-large', `The body is compressed more than ${MAX_RATIO} to 1.`))
      } else reject(tooLarge(maxBytes))
    })
  })
}

function tooLarge(maxBytes: number): HttpFault {
  return new HttpFault('too-large', `The body is larger than ${maxBytes} bytes.`)
}
