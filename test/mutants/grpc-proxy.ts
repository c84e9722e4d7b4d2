// A gRPC server that passes every call on to a correct one and makes one thing wrong on the way, and the card that names it.

import { createServer as createHttp } from 'node:http'
import {
  type ClientHttp2Session,
  connect,
  createServer,
  type IncomingHttpHeaders,
  type ServerHttp2Stream,
} from 'node:http2'
import type { AddressInfo, Server } from 'node:net'
import { FrameReader, withPrefix } from '../../src/bindings/grpc/frames.ts'
import { decodeMessage } from '../../src/bindings/grpc/proto/decode.ts'
import { encodeMessage } from '../../src/bindings/grpc/proto/encode.ts'
import { schema } from '../../src/bindings/grpc/proto/schema.ts'
import type { JsonObject } from '../../src/model/json.ts'

/** One call as it goes back to the client; everything may be changed. */
export interface GrpcReply {
  readonly rpc: string
  readonly request: JsonObject
  head: Record<string, string>
  messages: Buffer[]
  trailers: Record<string, string> | undefined
  /** Ends the call without its end. */
  cut?: 'reset' | 'hang'
}

export interface GrpcMutation {
  /** Changes the metadata the agent sees. */
  metadata?: (headers: Record<string, string>, rpc: string) => void
  /** Trailers instead of the agent's answer; the agent is not asked. */
  answer?: () => Record<string, string> | undefined
  reply?: (reply: GrpcReply) => void
  card?: (card: JsonObject) => void
}

const read = { maxBytes: 4 * 1024 * 1024, encoding: undefined }

export interface MutantAgent {
  url: string
  close(): void
}

export async function startGrpcMutant(
  agentUrl: string,
  grpcPort: number,
  mutation: GrpcMutation,
): Promise<MutantAgent> {
  const behind = connect(`http://127.0.0.1:${grpcPort}`)
  behind.on('error', () => {})
  const front = createServer()
  front.on('stream', (stream, headers) => {
    stream.on('error', () => {})
    const chunks: Buffer[] = []
    stream.on('data', (chunk: Buffer) => chunks.push(chunk))
    stream.once('end', () => {
      void replyTo(behind, mutation, headers, Buffer.concat(chunks)).then((reply) => send(stream, reply))
    })
  })
  const port = await portOf(front)
  const card = (await (await fetch(`${agentUrl}/.well-known/agent-card.json`)).json()) as JsonObject
  card.supportedInterfaces = [{ url: `http://127.0.0.1:${port}`, protocolBinding: 'GRPC', protocolVersion: '1.0' }]
  mutation.card?.(card)
  const cards = createHttp((_, res) => res.setHeader('content-type', 'application/json').end(JSON.stringify(card)))
  return {
    url: `http://127.0.0.1:${await portOf(cards)}`,
    close() {
      behind.destroy()
      front.close()
      cards.close()
      cards.closeAllConnections()
    },
  }
}

function portOf(server: Server): Promise<number> {
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port)))
}

/** What the agent behind answers to a call, changed. */
async function replyTo(
  behind: ClientHttp2Session,
  mutation: GrpcMutation,
  headers: IncomingHttpHeaders,
  body: Buffer,
): Promise<GrpcReply> {
  const path = String(headers[':path'])
  const passed = metadataOf(headers)
  mutation.metadata?.(passed, path.slice(path.lastIndexOf('/') + 1))
  const trailers = mutation.answer?.()
  const head = { 'content-type': 'application/grpc' }
  const answer = trailers === undefined ? await ask(behind, path, passed, body) : { head, messages: [], trailers }
  const type = schema().rpc(path)
  const [message] = new FrameReader(read).push(body)
  const request = (
    type === undefined || message === undefined ? {} : decodeMessage(type.request, message)
  ) as JsonObject
  const reply: GrpcReply = { rpc: type?.name ?? path, request, ...answer }
  mutation.reply?.(reply)
  return reply
}

function send(stream: ServerHttp2Stream, reply: GrpcReply) {
  if (stream.destroyed || reply.cut === 'hang') return
  if (reply.cut === 'reset') return stream.close(2)
  const isAlone = reply.messages.length === 0 && reply.trailers !== undefined
  if (isAlone) return stream.respond({ ':status': 200, ...reply.head, ...reply.trailers }, { endStream: true })
  stream.respond({ ':status': 200, ...reply.head }, { waitForTrailers: reply.trailers !== undefined })
  stream.once('wantTrailers', () => stream.sendTrailers(reply.trailers ?? {}))
  for (const each of reply.messages) stream.write(withPrefix(Buffer.concat([Buffer.alloc(5), each])))
  stream.end()
}

function ask(behind: ClientHttp2Session, path: string, headers: Record<string, string>, body: Buffer) {
  return new Promise<Omit<GrpcReply, 'rpc' | 'request'>>((resolve) => {
    const call = behind.request({ ':method': 'POST', ':path': path, ...headers })
    const found = {
      head: {} as Record<string, string>,
      messages: [] as Buffer[],
      trailers: {} as Record<string, string>,
    }
    const reader = new FrameReader(read)
    call.on('error', () => {})
    call.once('response', (head, flags) => {
      const all = metadataOf(head)
      const isEnd = (flags & 1) === 1
      for (const [name, value] of Object.entries(all))
        (isEnd && /^(grpc-|www-)/.test(name) ? found.trailers : found.head)[name] = value
    })
    call.on('data', (chunk: Buffer) => found.messages.push(...reader.push(chunk)))
    call.once('trailers', (trailers) => Object.assign(found.trailers, metadataOf(trailers)))
    call.once('close', () => resolve(found))
    call.end(body)
  })
}

function metadataOf(headers: IncomingHttpHeaders): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => (name.startsWith(':') ? [] : [[name, String(value)]])),
  )
}

/** The messages as JSON, changed and put back. */
export function editJson(reply: GrpcReply, edit: (json: JsonObject) => JsonObject | undefined): void {
  const type = [...schema().files.values()]
    .flatMap(({ package: scope, services }) => services.map(({ name }) => `/${scope}.${name}/${reply.rpc}`))
    .map((path) => schema().rpc(path))
    .find((rpc) => rpc?.path.startsWith('/lf.'))
  if (type === undefined) return
  reply.messages = reply.messages.flatMap((bytes) => {
    const edited = edit(decodeMessage(type.response, bytes) as JsonObject)
    return edited === undefined ? [] : [encodeMessage(type.response, edited)]
  })
}

export function editStatus(reply: GrpcReply, edit: (status: JsonObject) => void): void {
  const packed = reply.trailers?.['grpc-status-details-bin']
  if (packed === undefined || reply.trailers === undefined) return
  const type = schema().message('google.rpc.Status')
  const status = decodeMessage(type, Buffer.from(packed, 'base64')) as JsonObject
  edit(status)
  reply.trailers['grpc-status-details-bin'] = encodeMessage(type, status).toString('base64')
}
