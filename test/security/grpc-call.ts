// Raw calls of gRPC on node:http2: what a call is answered with, as bytes and as its status, and nothing a client library
// would hide.

import { type ClientHttp2Session, connect, type IncomingHttpHeaders } from 'node:http2'
import { decodeMessage } from '../../src/bindings/grpc/proto/decode.ts'
import { encodeMessage } from '../../src/bindings/grpc/proto/encode.ts'
import { schema } from '../../src/bindings/grpc/proto/schema.ts'
import type { Dialect } from '../../src/dialects/dialect.ts'
import type { JsonObject } from '../../src/model/json.ts'
import type { Operation } from '../../src/model/operation.ts'

export interface GrpcAnswer {
  /** Of HTTP; 0 when the stream was reset before it. */
  status: number
  /** grpc-status; undefined when the call ended without one. */
  code: number | undefined
  message: string
  /** Headers and trailers, without the moment. */
  headers: string[]
  body: Buffer
  /** Of RST_STREAM; 0 for a good end. */
  reset: number
}

/** With its prefix. */
export function framed(message: Buffer, flag = 0): Buffer {
  const prefix = Buffer.alloc(5)
  prefix[0] = flag
  prefix.writeUInt32BE(message.length, 1)
  return Buffer.concat([prefix, message])
}

export function requestOf(path: string, json: JsonObject): Buffer {
  const type = schema().rpc(path)?.request
  if (type === undefined) throw new Error(`there is no ${path}`)
  return framed(encodeMessage(type, json, { skipsUnknown: true }))
}

/** The messages of an answer as JSON text. */
export function textOf(path: string, body: Buffer): string {
  const type = schema().rpc(path)?.response
  const said: string[] = []
  for (let at = 0; type !== undefined && at + 5 <= body.length; ) {
    const end = at + 5 + body.readUInt32BE(at + 1)
    said.push(JSON.stringify(decodeMessage(type, body.subarray(at + 5, end))))
    at = end
  }
  return said.join('\n')
}

export function grpcPath({ grpc }: Dialect, op: Operation): string | undefined {
  const name = grpc?.rpcs[op]
  return grpc === undefined || name === undefined ? undefined : `/${grpc.service}/${name}`
}

export interface RawOptions {
  headers?: Readonly<Record<string, string>>
  /** Ends the call as soon as it has said something. */
  untilText?: boolean
}

/** One call; whatever happens to it is the answer. */
export function callGrpc(
  session: ClientHttp2Session,
  path: string,
  body: Buffer,
  { headers = {}, untilText = false }: RawOptions = {},
): Promise<GrpcAnswer> {
  return new Promise((resolve) => {
    const lower = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
    const head = { 'content-type': 'application/grpc', te: 'trailers' }
    const stream = session.request({ ':method': 'POST', ':path': path, ...head, ...lower })
    const found: IncomingHttpHeaders = {}
    const chunks: Buffer[] = []
    stream.on('error', () => {})
    stream.on('response', (some) => Object.assign(found, some))
    stream.on('trailers', (some) => Object.assign(found, some))
    stream.on('data', (chunk: Buffer) => {
      chunks.push(chunk)
      if (untilText) stream.close()
    })
    stream.on('close', () => {
      const code = found['grpc-status']
      const shown = Object.entries(found).filter(([name]) => name !== 'date')
      resolve({
        status: Number(found[':status'] ?? 0),
        code: code === undefined ? undefined : Number(code),
        message: decodeURIComponent(String(found['grpc-message'] ?? '')),
        headers: shown.map(([name, value]) => `${name}: ${String(value)}`),
        body: Buffer.concat(chunks),
        reset: stream.rstCode,
      })
    })
    stream.end(body)
  })
}

export function openSession(port: number): ClientHttp2Session {
  const session = connect(`http://127.0.0.1:${port}`)
  session.on('error', () => {})
  return session
}
