// A client of ours with one fault: in what it sends, in what it reads, or in what it says of it.

import type { StreamItem } from '../../../src/bindings/endpoint-client.ts'
import type { ClientOptions } from '../../../src/client/index.ts'
import { ownClient } from '../../../src/grade/clients/own-client.ts'
import type { Assignment, ClientExit, GradedClient } from '../../../src/grade/graded-client.ts'
import type { Intent } from '../../../src/grade/intent.ts'
import type { JsonObject, JsonValue } from '../../../src/model/json.ts'
import type { Task } from '../../../src/model/task.ts'

/** A request on its way out; whatever is set is sent. */
export interface Sent {
  method: string
  url: URL
  headers: Headers
  /** Undefined for what has no body, or none of JSON. */
  json: JsonObject | undefined
  /** What is asked of a token server. */
  form: URLSearchParams | undefined
  /** The parameters: of JSON-RPC its `params`. */
  params: JsonObject
  message: JsonObject | undefined
  /** JSON-RPC. */
  rpc: string | undefined
  isCard: boolean
  /** How many requests of this scenario went out before it, cards left out. */
  at: number
}

export interface Faults {
  /** Given to the client itself; over gRPC there is nothing else to change in between. */
  options?: Partial<ClientOptions>
  /** Its time limit, when it will not end by itself. */
  timeoutMs?: number
  /** What its user wants, as it takes it. */
  intent?: (intent: Intent) => Intent
  request?: (sent: Sent) => void
  /** Answered without being sent. */
  instead?: (sent: Sent) => Response | undefined
  card?: (card: JsonObject, url: string) => void
  json?: (answer: JsonObject, sent: Sent) => void
  /** The text of an answer that is no card. */
  text?: (body: string) => string
  reply?: (reply: Response, sent: Sent) => Response
  /** The pieces of a stream, before they are read. */
  pieces?: (pieces: Buffer[]) => Buffer[]
  before?: (assignment: Assignment) => Promise<void>
  after?: (exit: ClientExit, assignment: Assignment) => Promise<void> | void
  exit?: (exit: ClientExit, assignment: Assignment) => Partial<ClientExit>
}

export interface Mutant {
  /** What is wrong with it. */
  readonly id: string
  /** The claim that notices. */
  readonly breaks: string
  /** Claims that cannot help noticing as well. */
  readonly also?: readonly string[]
  readonly faults: Faults
}

export function mutantClient({ id, faults }: Mutant): GradedClient {
  return {
    name: id,
    async run(assignment, timeoutMs, signal) {
      await faults.before?.(assignment)
      let count = 0
      const through: Partial<ClientOptions> =
        assignment.surface.binding === 'grpc' ? {} : { fetch: (url, init) => send(url, init, faults, () => count++) }
      const own = ownClient({ ...through, ...faults.options })
      const intent = faults.intent?.(assignment.intent) ?? assignment.intent
      const exit = await own.run({ ...assignment, intent }, faults.timeoutMs ?? timeoutMs, signal)
      await faults.after?.(exit, assignment)
      return { ...exit, ...faults.exit?.(exit, assignment) }
    },
    async close() {},
  }
}

async function send(url: string, init: RequestInit, faults: Faults, next: () => number): Promise<Response> {
  const isCard = (init.method ?? 'GET') === 'GET' && /card|agent\.json|\/$/.test(new URL(url).pathname)
  const json = jsonIn(init.body)
  const params = json === undefined ? {} : 'jsonrpc' in json ? (json.params as JsonObject) : json
  const sent: Sent = {
    ...{ method: init.method ?? 'GET', url: new URL(url), headers: new Headers(init.headers), json, params, isCard },
    ...{ message: params.message as JsonObject | undefined, rpc: json?.method as string | undefined },
    at: isCard ? -1 : next(),
    form: formIn(init),
  }
  const id = json?.id
  faults.request?.(sent)
  const given = faults.instead?.(sent)
  if (given !== undefined) return given
  const plain = sent.form === undefined ? (init.body ?? null) : sent.form.toString()
  const body = sent.json === undefined ? plain : JSON.stringify(sent.json)
  const reply = await fetch(sent.url, { ...init, method: sent.method, headers: sent.headers, body })
  return read(faults.reply?.(reply, sent) ?? reply, sent, faults, id)
}

async function read(reply: Response, sent: Sent, faults: Faults, id: JsonValue | undefined): Promise<Response> {
  const type = reply.headers.get('content-type') ?? ''
  const { status, headers } = reply
  if (type.startsWith('text/event-stream')) {
    if (faults.pieces === undefined || reply.body === null) return reply
    return new Response(streamOf(faults.pieces(await piecesIn(reply.body))), { status, headers })
  }
  if (!type.includes('json') || status === 304) return reply
  const whole = await reply.text()
  const text = sent.isCard ? whole : (faults.text?.(whole) ?? whole)
  const answer = jsonIn(text)
  if (answer === undefined) return new Response(text, { status, headers })
  if (sent.isCard) faults.card?.(answer, sent.url.href)
  else faults.json?.(answer, sent)
  // Whatever id went out, the client knows its own.
  if (id !== undefined && 'jsonrpc' in answer) answer.id = id
  return Response.json(answer, { status, headers: { 'content-type': type } })
}

async function piecesIn(body: ReadableStream<Uint8Array>): Promise<Buffer[]> {
  const pieces: Buffer[] = []
  try {
    for await (const piece of body) pieces.push(Buffer.from(piece))
  } catch {
    // A scenario cut it; what came is read.
  }
  return pieces
}

function streamOf(pieces: readonly Buffer[]): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      for (const piece of pieces) controller.enqueue(piece)
      controller.close()
    },
  })
}

function formIn({ headers, body }: RequestInit): URLSearchParams | undefined {
  const isForm = new Headers(headers).get('content-type')?.includes('form') === true
  return isForm ? new URLSearchParams(Buffer.from(body as string).toString()) : undefined
}

function jsonIn(body: unknown): JsonObject | undefined {
  if (typeof body !== 'string' && !(body instanceof Uint8Array)) return undefined
  try {
    const value = JSON.parse(Buffer.from(body as string).toString()) as JsonValue
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** Post a message past the client, as a careless program would. */
export async function blurt(url: string, text = 'hello', headers: Record<string, string> = {}): Promise<void> {
  const message = { messageId: crypto.randomUUID(), role: 'ROLE_USER', parts: [{ text }] }
  const body = JSON.stringify({ jsonrpc: '2.0', id: crypto.randomUUID(), method: 'SendMessage', params: { message } })
  await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'a2a-version': '1.0', ...headers },
    body,
  })
    .then((reply) => reply.text())
    .catch(() => undefined)
}

const DONE = { id: 'task-1', contextId: 'context-1', status: { state: 'TASK_STATE_COMPLETED' } } satisfies Task

/** A program that catches every error, and takes the task for done. */
export const swallows: Faults = {
  options: {
    interceptors: [
      {
        sendMessage: (call, next) => next(call).catch(() => ({ task: DONE })),
        async *streamMessage(call, next) {
          try {
            yield* next(call)
          } catch {
            yield { event: { task: DONE } } as StreamItem
          }
        },
      },
    ],
  },
}

/** A program that takes the end of a stream, however it came, for the end of the task. */
export const endIsEnd: Faults = {
  options: {
    interceptors: [
      {
        async *streamMessage(call, next) {
          try {
            for await (const item of next({ ...call, options: { ...call.options } })) yield item
          } catch {
            // It does not ask why.
          }
          yield { event: { task: DONE } } as StreamItem
        },
      },
    ],
  },
}
