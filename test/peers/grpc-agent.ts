// A gRPC server on somebody else's library, which answers what a test tells it to: bytes in, bytes out.

import { Metadata, Server, type ServiceDefinition, type UntypedServiceImplementation } from '@grpc/grpc-js'
import { decodeMessage } from '../../src/bindings/grpc/proto/decode.ts'
import { encodeMessage } from '../../src/bindings/grpc/proto/encode.ts'
import { schema } from '../../src/bindings/grpc/proto/schema.ts'
import { writeOutcome } from '../../src/bindings/grpc/status.ts'
import type { JsonObject, JsonValue } from '../../src/model/json.ts'
import { bindGrpc } from './bind-grpc.ts'

export interface GrpcReceived {
  rpc: string
  request: JsonValue
  metadata: Record<string, string>
}

/** Messages to send, as JSON or as bytes that no JSON would give, then how the call ends. */
export interface GrpcScript {
  messages?: (JsonValue | Buffer)[]
  error?: { code: number; message: string; details?: JsonObject[] }
}

export interface GrpcAgent {
  address: string
  received: GrpcReceived[]
  close(): void
}

const SERVICES = { 'lf.a2a.v1.A2AService': ['lf/a2a/v1/a2a.proto'], 'a2a.v1.A2AService': ['a2a/v1/a2a.proto'] }

export async function startGrpcAgent(answer: (call: GrpcReceived) => GrpcScript): Promise<GrpcAgent> {
  const server = new Server()
  const received: GrpcReceived[] = []
  for (const [name, [file = '']] of Object.entries(SERVICES)) {
    const declared = schema().files.get(file)?.services[0]
    const definition: Record<string, unknown> = {}
    const handlers: Record<string, unknown> = {}
    for (const { name: rpc } of declared?.rpcs ?? []) {
      const linked = schema().rpc(`/${name}/${rpc}`)
      if (linked === undefined) throw new Error(rpc)
      const { path, request, response, streamsResponses } = linked
      definition[rpc] = {
        path,
        requestStream: false,
        responseStream: streamsResponses,
        requestSerialize: (value: Buffer) => value,
        requestDeserialize: (bytes: Buffer) => decodeMessage(request, bytes),
        responseSerialize: (value: JsonValue | Buffer) =>
          Buffer.isBuffer(value) ? value : encodeMessage(response, value),
        responseDeserialize: (value: Buffer) => value,
      }
      handlers[rpc] = (
        call: {
          request: JsonValue
          metadata: Metadata
          write?(value: JsonValue | Buffer): void
          end?(): void
          emit(name: string, error: unknown): void
        },
        reply?: (error: unknown, value?: JsonValue | Buffer) => void,
      ) => {
        const known = { rpc, request: call.request, metadata: call.metadata.getMap() as Record<string, string> }
        received.push(known)
        const { messages = [], error } = answer(known)
        const failure = error === undefined ? undefined : failureOf(error)
        if (reply !== undefined) return reply(failure ?? null, messages[0])
        for (const message of messages) call.write?.(message)
        if (failure === undefined) call.end?.()
        else call.emit('error', failure)
      }
    }
    server.addService(definition as ServiceDefinition, handlers as UntypedServiceImplementation)
  }
  const port = await bindGrpc(server)
  return { address: `127.0.0.1:${port}`, received, close: () => server.forceShutdown() }
}

function failureOf({ code, message, details = [] }: NonNullable<GrpcScript['error']>) {
  const metadata = new Metadata()
  const packed = writeOutcome({ code, message, details }).find(([name]) => name.endsWith('-bin'))?.[1]
  if (packed !== undefined) metadata.set('grpc-status-details-bin', Buffer.from(packed, 'base64'))
  return { code, details: message, metadata }
}
