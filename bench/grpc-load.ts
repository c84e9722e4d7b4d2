// The process that makes the load over gRPC, on node:http2: one call at a time on each connection, every answer checked; or
// subscribers that are held open, many on a connection, as gRPC has them.

import { type ClientHttp2Session, type ClientHttp2Stream, connect } from 'node:http2'
import { decodeMessage } from '../src/bindings/grpc/proto/decode.ts'
import { encodeMessage } from '../src/bindings/grpc/proto/encode.ts'
import { schema } from '../src/bindings/grpc/proto/schema.ts'
import type { JsonObject } from '../src/model/json.ts'
import { answerParent } from './child.ts'

/** One rpc with one request, and what a right answer is. */
export interface GrpcWork {
  name: string
  rpc: string
  request: JsonObject
  /** Part of the last message, as JSON. */
  marker: string
  messages: number
}

export type GrpcQuestion =
  | { do: 'load'; port: number; work: GrpcWork; connections: number; requests: number }
  | { do: 'ask'; port: number; work: GrpcWork }
  | { do: 'hold'; port: number; work: GrpcWork; subscribers: number; perConnection: number }
  | { do: 'drop' }

answerParent(async (question: GrpcQuestion) => {
  if (question.do === 'load') return load(question)
  if (question.do === 'ask') return { parts: (await ask(question)).map((part) => part.toString('base64')) }
  if (question.do === 'hold') return hold(question)
  return drop()
})

function pathOf({ rpc }: GrpcWork): string {
  return `/lf.a2a.v1.A2AService/${rpc}`
}

function bodyOf(work: GrpcWork): Buffer {
  const type = schema().rpc(pathOf(work))?.request
  if (type === undefined) throw new Error(`there is no rpc ${work.rpc}`)
  const body = encodeMessage(type, work.request, { headroom: 5 })
  body[0] = 0
  body.writeUInt32BE(body.length - 5, 1)
  return body
}

interface Asked {
  path: string
  body: Buffer
}

function begin(session: ClientHttp2Session, { path, body }: Asked): ClientHttp2Stream {
  const head = { 'content-type': 'application/grpc', te: 'trailers', 'a2a-version': '1.0' }
  const stream = session.request({ ':method': 'POST', ':path': path, ...head })
  stream.end(body)
  return stream
}

/** The messages of a call with their prefixes, once it has ended well. */
function call(session: ClientHttp2Session, asked: Asked): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const stream = begin(session, asked)
    const chunks: Buffer[] = []
    let status: unknown
    stream.on('data', (chunk: Buffer) => chunks.push(chunk))
    stream.on('response', (head) => (status ??= head['grpc-status']))
    stream.on('trailers', (trailers) => (status ??= trailers['grpc-status']))
    stream.on('error', reject)
    stream.on('close', () => {
      if (status === '0') resolve(Buffer.concat(chunks))
      else reject(new Error(`${asked.path} ended with ${String(status)}`))
    })
  })
}

function partsIn(body: Buffer): Buffer[] {
  const parts: Buffer[] = []
  for (let at = 0; at < body.length; ) {
    const end = at + 5 + body.readUInt32BE(at + 1)
    parts.push(body.subarray(at, end))
    at = end
  }
  return parts
}

function check(body: Buffer, { name, marker, messages, rpc }: GrpcWork): void {
  const parts = partsIn(body)
  const type = schema().rpc(`/lf.a2a.v1.A2AService/${rpc}`)?.response
  const last = parts.at(-1)?.subarray(5)
  const text = type === undefined || last === undefined ? '' : JSON.stringify(decodeMessage(type, last))
  if (parts.length < messages) throw new Error(`${name}: ${parts.length} of ${messages} messages`)
  if (!text.includes(marker)) throw new Error(`${name}: no ${marker} in ${text.slice(0, 300)}`)
}

async function ask({ port, work }: Extract<GrpcQuestion, { do: 'ask' }>): Promise<Buffer[]> {
  const session = connect(`http://127.0.0.1:${port}`)
  const body = await call(session, { path: pathOf(work), body: bodyOf(work) })
  session.close()
  check(body, work)
  return partsIn(body)
}

async function load({ port, work, connections, requests }: Extract<GrpcQuestion, { do: 'load' }>): Promise<void> {
  const asked = { path: pathOf(work), body: bodyOf(work) }
  let left = requests
  const worker = async (): Promise<void> => {
    const session = connect(`http://127.0.0.1:${port}`)
    while (left-- > 0) check(await call(session, asked), work)
    session.destroy()
  }
  await Promise.all(Array.from({ length: connections }, worker))
}

let sessions: ClientHttp2Session[] = []

async function hold(question: Extract<GrpcQuestion, { do: 'hold' }>): Promise<void> {
  const { port, work, subscribers, perConnection } = question
  const asked = { path: pathOf(work), body: bodyOf(work) }
  sessions = []
  for (let open = 0; open < subscribers; open += perConnection) {
    const session = connect(`http://127.0.0.1:${port}`)
    session.on('error', () => {})
    sessions.push(session)
    const some = Math.min(perConnection, subscribers - open)
    await Promise.all(
      Array.from({ length: some }, async () => {
        const stream = begin(session, asked)
        stream.on('error', () => {})
        await new Promise((resolve) => stream.once('data', resolve))
      }),
    )
  }
}

async function drop(): Promise<void> {
  for (const session of sessions) session.destroy()
  sessions = []
}
