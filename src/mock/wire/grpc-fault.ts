// The faults of the catalogue as calls of gRPC have them: what is a server-sent event elsewhere is a message here, an HTTP
// status is a status of gRPC, and the trailers can be missing. What only server-sent events or JSON can have leaves a call
// as it is. Loaded when a call of gRPC meets a fault.

import { PREFIX_BYTES, withPrefix } from '../../bindings/grpc/frames.ts'
import { decodeMessage } from '../../bindings/grpc/proto/decode.ts'
import { encodeMessage } from '../../bindings/grpc/proto/encode.ts'
import { type MessageType, schema } from '../../bindings/grpc/proto/schema.ts'
import { endOnly, outcomeHeaders } from '../../bindings/grpc/refusal.ts'
import { GRPC } from '../../bindings/grpc/status.ts'
import { isJsonObject, type JsonValue } from '../../model/json.ts'
import type { Feed, HeaderList, NoReply, Piece, Reply } from '../../net/serve/reply.ts'
import type { FaultAction } from '../faults/catalogue.ts'
import type { Fault } from '../faults/fault-shape.ts'
import { FaultyStream } from './faulty-stream.ts'
import { type FrameForm, sent } from './frame-faults.ts'
import { withStateNumber } from './payload.ts'
import { applyPayloadFault } from './payload-faults.ts'
import { Drip, piecesOf, relabelled, replacementFor } from './response-fault.ts'

/** A number no generation has a state for. */
const NO_STATE = 99
const TOO_LARGE = 2 ** 31 - 1

/** `path` is that of the call: it says what the messages are. */
export function applyGrpcFault(reply: Reply | NoReply, fault: Fault, path: string): Reply | NoReply {
  if ('ending' in reply) return reply
  const { action } = fault
  const { status, headers, body, trailers } = reply
  const isStream = typeof body === 'object' && !(body instanceof Uint8Array)
  const source: Feed<Piece> | undefined = isStream ? body.feed : body === undefined ? undefined : piecesOf([body])
  const replacement = grpcReplacement(fault) ?? replacementFor(fault, isStream)
  if (replacement !== undefined) {
    source?.close()
    return replacement
  }
  const relabelledHeaders = relabelled(fault, headers)
  const type = schema().rpc(path)?.response
  // An error is headers alone: there is no message to spoil.
  if (source === undefined || type === undefined) return { ...reply, headers: relabelledHeaders }
  const stream = new FaultyStream(source, fault, new GrpcForm(type, !isStream), !isStream)
  const feed = action.name === 'slow-drip' ? new Drip(stream, action.with) : stream
  const ending = isStream && body.kind === 'messages' ? () => body.trailers?.() ?? [] : () => trailers ?? []
  const spoiltEnd = endFor(action, ending)
  return {
    status,
    headers: relabelledHeaders,
    body: { kind: 'messages', feed, ...(spoiltEnd === undefined ? {} : { trailers: spoiltEnd }) },
  }
}

/** What a fault answers before anybody is asked; undefined when it needs something to spoil. */
export function grpcReplacement({ action }: Fault): Reply | undefined {
  if (action.name !== 'grpc-status') return undefined
  const { code, message = '' } = action.with
  return endOnly(outcomeHeaders({ code, message, details: [] }))
}

function endFor({ name }: FaultAction, usual: () => HeaderList): (() => HeaderList) | undefined {
  if (name === 'grpc-no-trailers') return undefined
  if (name !== 'jsonrpc-result-and-error') return usual
  return () => outcomeHeaders({ code: GRPC.internal, message: 'Both a result and an error.', details: [] })
}

class GrpcForm implements FrameForm<Buffer> {
  readonly #type: MessageType
  #unfinished = Buffer.alloc(0)

  readonly own: FrameForm<Buffer>['own']

  /** An answer of one message contradicts itself, a stream what it said before. */
  constructor(type: MessageType, isSingle: boolean) {
    this.#type = type
    this.own = {
      'grpc-oversized-message': (frame) => {
        const announced = Buffer.from(frame)
        announced.writeUInt32BE(TOO_LARGE, 1)
        return { send: [announced], ending: 'end' }
      },
      // A length that goes beyond the message.
      'jsonrpc-invalid-json': () => sent(withPrefix(Buffer.from([0, 0, 0, 0, 0, 0x0a, 0x7f, 0x01]))),
      'unknown-state': (frame) => sent(this.withPayload(frame, (payload) => withStateNumber(payload, NO_STATE))),
      ...(isSingle
        ? { 'illegal-transition': (frame) => sent(this.spoilt({ name: 'illegal-transition', with: {} }, frame)) }
        : {}),
    }
  }

  push(piece: Piece): readonly Buffer[] {
    const bytes = typeof piece === 'string' ? Buffer.from(piece) : piece
    this.#unfinished = this.#unfinished.length === 0 ? Buffer.from(bytes) : Buffer.concat([this.#unfinished, bytes])
    const frames: Buffer[] = []
    for (;;) {
      const size = this.#unfinished.length < PREFIX_BYTES ? 0 : PREFIX_BYTES + this.#unfinished.readUInt32BE(1)
      if (size === 0 || this.#unfinished.length < size) return frames
      frames.push(this.#unfinished.subarray(0, size))
      this.#unfinished = this.#unfinished.subarray(size)
    }
  }

  rest(): Piece {
    return this.#unfinished
  }

  half(frame: Buffer): Buffer {
    return frame.subarray(0, Math.max(1, Math.floor(frame.length / 2)))
  }

  payloadOf(frame: Buffer): JsonValue | undefined {
    try {
      return decodeMessage(this.#type, frame.subarray(PREFIX_BYTES))
    } catch {
      return undefined
    }
  }

  withPayload(frame: Buffer, change: (payload: JsonValue) => JsonValue): Buffer {
    const payload = this.payloadOf(frame)
    if (!isJsonObject(payload)) return frame
    try {
      return withPrefix(encodeMessage(this.#type, change(payload), { headroom: PREFIX_BYTES, skipsUnknown: true }))
    } catch {
      return frame
    }
  }

  spoilt(action: FaultAction, frame: Buffer): Buffer {
    return this.withPayload(frame, (payload) => {
      const text = JSON.stringify(payload)
      const changed = applyPayloadFault(action, text)
      return changed === text ? payload : (JSON.parse(changed) as JsonValue)
    })
  }
}
