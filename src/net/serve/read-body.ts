// Undoes the Content-Encoding of a request body, so that nothing it grows to exceeds the limit. Fails only with HttpFault.

import { brotliDecompress, gunzip, inflate } from 'node:zlib'
import { type MaybePromise, mapMaybePromise } from '../../base/maybe-promise.ts'
import { DEFAULT_LIMITS } from '../limits.ts'
import { HttpFault } from './http-fault.ts'
import { bodyTooLarge } from './incoming-body.ts'
import type { ServerRequest } from './request.ts'

/** A body may grow this much when decompressed; small ones may grow more, since they cannot hurt. */
const MAX_RATIO = 100
const RATIO_FREE_BYTES = 64 * 1024

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

function decompress(inflater: Inflate, compressed: Buffer, maxBytes: number): Promise<Buffer> {
  const byRatio = Math.max(RATIO_FREE_BYTES, compressed.length * MAX_RATIO)
  return new Promise((resolve, reject) => {
    inflater(compressed, { maxOutputLength: Math.min(maxBytes, byRatio) }, (error, output) => {
      if (error === null) resolve(output)
      else if (Object.assign({ code: '' }, error).code !== 'ERR_BUFFER_TOO_LARGE') {
        reject(new HttpFault('bad-encoding', 'The body is not what its Content-Encoding says.'))
      } else if (byRatio < maxBytes) {
        reject(new HttpFault('too-large', `The body is compressed more than ${MAX_RATIO} to 1.`))
      } else reject(bodyTooLarge(maxBytes))
    })
  })
}
