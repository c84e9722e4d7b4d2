// Answers of scripted agents, spelled by the version and binding of the scenario, down to the single byte where that is
// what the scenario is about.

import { setTimeout as pause } from 'node:timers/promises'
import { isEnveloped, isHttp1 } from '../bindings/registry.ts'
import { dialectById } from '../dialects/index.ts'
import { A2AError, type A2AErrorKind, type A2AErrorOptions } from '../model/errors.ts'
import type { StreamEvent } from '../model/event.ts'
import type { JsonObject, JsonValue } from '../model/json.ts'
import type { Operation, OperationResult } from '../model/operation.ts'
import type { Artifact, Part, Task, TaskState } from '../model/task.ts'
import { type Feed, type HeaderList, jsonReply, type Piece, type Reply } from '../net/serve/reply.ts'
import type { Call } from './call.ts'
import { grpcAnswer, grpcEnd, grpcMessage, grpcStream } from './grpc-replies.ts'
import type { Surface } from './scenario.ts'

export const TASK_ID = 'task-1'
export const CONTEXT_ID = 'context-1'
const WHEN = '2026-01-01T00:00:00.000Z'

export function taskIn(state: TaskState, more: Partial<Task> = {}): Task {
  return { id: TASK_ID, contextId: CONTEXT_ID, status: { state, timestamp: WHEN }, ...more }
}

export function status(state: TaskState, text?: string): StreamEvent {
  const message = text === undefined ? undefined : agentSays(text)
  const said = { state, timestamp: WHEN, ...(message !== undefined && { message }) }
  return { statusUpdate: { taskId: TASK_ID, contextId: CONTEXT_ID, status: said } }
}

export function chunk(text: string, more: { append?: boolean; lastChunk?: boolean; id?: string } = {}): StreamEvent {
  const { id = 'answer', ...flags } = more
  return { artifactUpdate: { taskId: TASK_ID, contextId: CONTEXT_ID, artifact: artifact([{ text }], id), ...flags } }
}

export function artifact(parts: Part[], artifactId = 'answer'): Artifact {
  return { artifactId, parts }
}

export function agentSays(text: string) {
  return { messageId: 'message-1', contextId: CONTEXT_ID, role: 'ROLE_AGENT' as const, parts: [{ text }] }
}

/** The beginning, the middle and the end of what most agents stream. */
export const WHOLE_STREAM: readonly StreamEvent[] = [
  { task: taskIn('TASK_STATE_SUBMITTED') },
  status('TASK_STATE_WORKING'),
  chunk('one '),
  chunk('two ', { append: true }),
  chunk('three', { append: true, lastChunk: true }),
  status('TASK_STATE_COMPLETED'),
]
export const WHOLE_TEXT = 'one two three'
export const DONE: Task = taskIn('TASK_STATE_COMPLETED', { artifacts: [artifact([{ text: WHOLE_TEXT }])] })

/** A result, in its envelope where there is one. */
export function result<O extends Operation>(surface: Surface, call: Call, op: O, value: OperationResult<O>): Reply {
  const wire = codecOf(surface).encodeResult(op, value).wire
  return answered(surface, call, wire)
}

/** The answer to a message; to a client that asked for a stream, as its only event. */
export function reply(surface: Surface, call: Call, value: OperationResult<'sendMessage'>): Reply {
  return call.op === 'streamMessage' ? streamOf(surface, call, [value]) : result(surface, call, 'sendMessage', value)
}

/** The same, with JSON of 1.0 that the model does not know. */
export function wireReply(surface: Surface, call: Call, wire: JsonValue): Reply {
  if (call.op !== 'streamMessage') return answered(surface, call, wire)
  return streamOfFrames(surface, [frameOf(surface, call, wire)])
}

/** Any JSON in the place of a result. */
export function answered({ binding, version }: Surface, call: Call, wire: JsonValue): Reply {
  if (!isHttp1(binding)) return grpcAnswer(grpcMessage(call, wire))
  if (isEnveloped(binding)) return jsonReply(200, enveloped(call, { result: wire }))
  return { status: 200, headers: ['Content-Type', dialectById(version).mediaType()], body: JSON.stringify(wire) }
}

export function refused(surface: Surface, call: Call, kind: A2AErrorKind, options: A2AErrorOptions = {}): Reply {
  const errors = dialectById(surface.version).errors()
  const error = new A2AError(kind, `The agent of this scenario answers ${kind}.`, options)
  if (isEnveloped(surface.binding))
    return jsonReply(errors.jsonRpcHttpStatus(kind), enveloped(call, { error: errors.encodeJsonRpc(error) }))
  if (!isHttp1(surface.binding)) return grpcEnd(errors.encodeGrpc(error))
  const { status: code, body } = errors.encodeRest(error)
  return jsonReply(code, body)
}

/** The data of each event, in its envelope. */
export function payloads(surface: Surface, call: Call, events: readonly StreamEvent[]): string[] {
  return events.map((event) => payload(surface, call, codecOf(surface).encodeEvent(event).wire))
}

export function payload({ binding }: Surface, call: Call, wire: JsonValue): string {
  return JSON.stringify(isEnveloped(binding) ? enveloped(call, { result: wire }) : wire)
}

function enveloped(call: Call, content: JsonObject): JsonObject {
  return { jsonrpc: '2.0', id: call.id ?? null, ...content }
}

export function frame(data: string, end = '\n'): string {
  return `data: ${data}${end}${end}`
}

/** Server-sent events, byte for byte; `cut` ends the connection instead of the stream, `open` never ends it. */
export function eventStream(
  pieces: readonly Piece[],
  ending: 'end' | 'cut' | 'open' = 'end',
  headers: HeaderList = [],
): Reply {
  const type = ['Content-Type', 'text/event-stream', 'Cache-Control', 'no-cache']
  return { status: 200, headers: [...type, ...headers], body: { kind: 'messages', feed: piecesOf(pieces, ending) } }
}

export function streamOf(surface: Surface, call: Call, events: readonly StreamEvent[]): Reply {
  const frames = framesOf(surface, call, events)
  return streamOfFrames(surface, frames.length <= MOST_PIECES ? frames : grouped(frames))
}

/** Each event as it goes over the wire: a server-sent event, or a message of gRPC. */
export function framesOf(surface: Surface, call: Call, events: readonly StreamEvent[]): Buffer[] {
  return events.map((event) => frameOf(surface, call, codecOf(surface).encodeEvent(event).wire))
}

export function frameOf(surface: Surface, call: Call, wire: JsonValue): Buffer {
  return !isHttp1(surface.binding) ? grpcMessage(call, wire) : Buffer.from(frame(payload(surface, call, wire)))
}

/** A stream of the binding of the scenario; `cut` and `open` as of `eventStream`. */
export function streamOfFrames(
  { binding }: Surface,
  frames: readonly Piece[],
  ending: 'end' | 'cut' | 'open' = 'end',
): Reply {
  return !isHttp1(binding) ? grpcStream(piecesOf(frames, ending)) : eventStream(frames, ending)
}

const CUT_AFTER_MS = 50
/** More than these come in groups, as they would from a busy agent. */
const MOST_PIECES = 200

function grouped(frames: readonly Buffer[]): Buffer[] {
  const groups: Buffer[] = []
  for (let at = 0; at < frames.length; at += MOST_PIECES) groups.push(Buffer.concat(frames.slice(at, at + MOST_PIECES)))
  return groups
}

export function piecesOf(pieces: readonly Piece[], ending: 'end' | 'cut' | 'open' = 'end'): Feed<Piece> {
  let at = 0
  return {
    async next() {
      const piece = pieces[at++]
      // One turn each, so that they arrive as pieces.
      await new Promise((resolve) => void setImmediate(resolve))
      if (piece !== undefined || ending === 'end') return piece
      if (ending === 'cut') {
        // A reset may overtake what was sent right before it, and then the client would be judged by its luck.
        await pause(CUT_AFTER_MS)
        throw new Error('The scenario cuts the connection here.')
      }
      return new Promise(() => {})
    },
    close() {},
  }
}

export function text(status_: number, contentType: string, body: string, headers: HeaderList = []): Reply {
  return { status: status_, headers: ['Content-Type', contentType, ...headers], body }
}

/** A changed copy of the card's first interface. */
export function withInterfaces(card: JsonObject, change: (first: JsonObject) => JsonObject[]): JsonObject {
  const [first] = (card.supportedInterfaces ?? []) as JsonObject[]
  return { ...card, supportedInterfaces: change(first ?? {}) }
}

function codecOf({ version, binding }: Surface) {
  const codec = dialectById(version).codecs[binding]
  if (codec === undefined) throw new Error(`${version} has no ${binding}.`)
  return codec
}
