// What a mutant is: a correct agent behind one small, wrong thing. Everything it may change is a member of `Mutation`;
// results and events are handed over without the envelope, so that one mutant serves both bindings.

import type { JsonObject, JsonValue } from '../../src/model/json.ts'
import type { Operation } from '../../src/model/operation.ts'
import type { BaseName } from './bases.ts'

export interface Call {
  /** Undefined for the card and for what is no call of the protocol. */
  readonly op: Operation | undefined
  readonly isCard: boolean
  readonly isRpc: boolean
  method: string
  /** With query. */
  path: string
  headers: Record<string, string>
  /** How the names of the headers were written, by their names in lower case. */
  readonly spelling: Readonly<Record<string, string>>
  body: JsonValue | undefined
  text: string
  /** The params of JSON-RPC, or the body and the query of REST. */
  readonly params: JsonObject
  /** The task the request names, in whatever place. */
  readonly taskId: string | undefined
  /** Lives as long as the mutant. */
  readonly memory: Map<string, JsonValue>
  /** Asks the correct agent something of one's own, as JSON. */
  ask(change: Partial<Pick<Call, 'method' | 'path' | 'headers' | 'text'>>): Promise<Reply>
}

export interface Reply {
  status: number
  headers: Record<string, string>
  text: string
}

export interface StreamSoFar {
  /** Events already sent to the client. */
  readonly sent: JsonObject[]
  readonly call: Call
}

export interface Delivery {
  method: string
  url: string
  headers: Record<string, string>
  body: JsonValue
  /** How many went to that url before. */
  readonly before: number
}

export type ResultEdit = (result: JsonObject, call: Call) => JsonValue | undefined | Promise<JsonValue | undefined>

export interface Mutation {
  /** Answers instead of the agent. */
  answer?: (call: Call) => Reply | undefined | Promise<Reply | undefined>
  /** Changes the request before the agent sees it. */
  request?: (call: Call) => void | Promise<void>
  /** Changes results in place or returns others; `any` sees all of them. */
  result?: Partial<Record<Operation | 'any', ResultEdit>>
  /** Changes the error object; what it returns replaces it. */
  error?: (error: JsonObject, reply: Reply, call: Call) => JsonObject | undefined
  card?: (card: JsonObject, reply: Reply) => JsonObject | undefined
  /** Changes the finished reply. */
  reply?: (reply: Reply, call: Call) => void | Promise<void>
  /** What is sent in place of an event; undefined sends the event, changed in place or not. */
  event?: (event: JsonObject, stream: StreamSoFar) => JsonValue[] | undefined | Promise<JsonValue[] | undefined>
  /** What comes after the last event, and whether the connection stays open. */
  ends?: (stream: StreamSoFar) => { more?: JsonValue[]; staysOpen?: boolean; breaks?: boolean }
  /** Changes the finished text of an SSE frame. */
  frame?: (text: string, stream: StreamSoFar) => string
  /**
   * Changes a notification on its way to the webhook; `lost` keeps it from arriving, `acknowledged` hides the answer,
   * `followed` goes where the webhook redirects to.
   */
  delivery?: (delivery: Delivery, memory: Map<string, JsonValue>) => 'lost' | 'acknowledged' | 'followed' | undefined
  /** Holds all events back until the end. */
  buffers?: true
  /** How the bytes of answers and streams travel. */
  wire?: {
    /** In pieces of so many bytes, without Content-Length. */
    pieces?: number
    /** After a while. */
    delayMs?: number
    /** Compressed, when the client takes that. */
    gzip?: true
    /** In ISO 8859-1 instead of UTF-8; streams stay as they are. */
    latin1?: true
    /** Header names in capitals. */
    capitals?: true
  }
}

export interface Mutant extends Mutation {
  readonly name: string
  /** What a sloppy implementer did. */
  readonly story: string
  readonly of: BaseName
}

export function mutant(name: string, story: string, mutation: Mutation, of: BaseName = 'spec'): Mutant {
  return { name, story, of, ...mutation }
}

/** The member behind a dotted path, numbers being indexes. */
export function at(json: JsonValue | undefined, path: string): JsonValue | undefined {
  let found: JsonValue | undefined = json
  for (const name of path.split('.')) {
    if (Array.isArray(found)) found = found[Number(name)]
    else if (typeof found === 'object' && found !== null) found = found[name]
    else return undefined
  }
  return found
}

/** Sets a member where its parent exists; removes it when the value is undefined. */
export function put(json: JsonValue | undefined, path: string, value: JsonValue | undefined): undefined {
  const names = path.split('.')
  const last = names.pop() ?? ''
  const parent = names.length === 0 ? json : at(json, names.join('.'))
  if (Array.isArray(parent)) {
    if (value === undefined) parent.splice(Number(last), 1)
    else parent[Number(last)] = value
  } else if (typeof parent === 'object' && parent !== null) {
    if (value === undefined) delete parent[last]
    else parent[last] = value
  }
  return undefined
}

/** Visits every object inside, itself included. */
export function each(json: JsonValue | undefined, visit: (object: JsonObject) => unknown): undefined {
  if (Array.isArray(json)) for (const item of json) each(item, visit)
  else if (typeof json === 'object' && json !== null) {
    visit(json)
    for (const item of Object.values(json)) each(item, visit)
  }
  return undefined
}

export function list(json: JsonValue | undefined, path: string): JsonValue[] {
  const found = at(json, path)
  return Array.isArray(found) ? found : []
}

export function text(json: JsonValue | undefined, path: string): string {
  const found = at(json, path)
  return typeof found === 'string' ? found : ''
}

/** The task inside a result, wrapped or bare. */
export function taskIn(result: JsonObject): JsonObject {
  const wrapped = result.task
  return typeof wrapped === 'object' && wrapped !== null && !Array.isArray(wrapped) ? wrapped : result
}

let instants = 0

/** A time that was never given out before. */
export function anotherInstant(): string {
  return new Date(Date.now() + ++instants * 1_000).toISOString()
}

/** A value as text, whatever it is. */
export function word(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? null)
}
