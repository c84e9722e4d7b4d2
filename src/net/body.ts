// Reads a request body into one Buffer that never exceeds the limit, however it is framed or compressed.
// Rejects only with HttpFault.

import type { IncomingMessage } from 'node:http'
import { brotliDecompress, gunzip, inflate } from 'node:zlib'
import { HttpFault } from './http-fault.ts'

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

export function readBody(req: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const encoding = req.headers['content-encoding']
  return encoding === undefined ? readRaw(req, maxBytes) : readEncoded(req, encoding, maxBytes)
}

async function readEncoded(req: IncomingMessage, encoding: string, maxBytes: number): Promise<Buffer> {
  const name = encoding.trim().toLowerCase()
  if (name === '' || name === 'identity') return readRaw(req, maxBytes)
  const inflater = INFLATERS.get(name)
  if (inflater === undefined) {
    throw new HttpFault('unsupported-encoding', 'The Content-Encoding must be gzip, deflate, br or identity.')
  }
  const compressed = await readRaw(req, maxBytes)
  return compressed.length === 0 ? compressed : decompress(inflater, compressed, maxBytes)
}

function readRaw(req: IncomingMessage, maxBytes: number): Promise<Buffer> {
  // The parser admits only digits here, and a message without either header has no body.
  const declared = req.headers['content-length']
  if (declared === undefined && req.headers['transfer-encoding'] === undefined) return Promise.resolve(NOTHING)
  if (declared !== undefined && Number(declared) > maxBytes) return Promise.reject(tooLarge(maxBytes))

  return new Promise((resolve, reject) => {
    let first: Buffer | undefined
    let chunks: Buffer[] | undefined
    let size = 0
    const settle = () => {
      req.off('data', onData)
      req.off('end', onEnd)
      req.off('error', onGone)
      req.off('close', onGone)
    }
    const onData = (chunk: Buffer) => {
      size += chunk.length
      if (size > maxBytes) {
        settle()
        req.pause() // The rest is not wanted; node:http discards it once the answer is sent.
        reject(tooLarge(maxBytes))
      } else if (first === undefined) {
        first = chunk
      } else {
        chunks ??= [first]
        chunks.push(chunk)
      }
    }
    const onEnd = () => {
      settle()
      resolve(chunks === undefined ? (first ?? NOTHING) : Buffer.concat(chunks, size))
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
