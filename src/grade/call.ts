// One call of the client, as the agent of a scenario received it: the bytes, and what they ask for.

import { jsonIn } from '../bindings/endpoint-client.ts'
import { operationAsked } from '../bindings/serving.ts'
import type { BindingId, Dialect } from '../dialects/dialect.ts'
import { DIALECTS } from '../dialects/index.ts'
import { isJsonObject, type JsonObject, type JsonValue, objectAt, textAt } from '../model/json.ts'
import type { Operation } from '../model/operation.ts'
import type { Exchange } from '../trace/exchange.ts'
import { isGrpcType } from './grpc-exchange.ts'

/** What a call is read from: one that was received, or one that was recorded. */
export interface ReceivedCall {
  readonly number: number
  readonly method: string
  /** Path and query. */
  readonly url: string
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** As text; of gRPC, the message in it as JSON. */
  readonly body: string
  readonly ending: 'open' | 'answered' | 'cut'
  readonly exchange: Exchange
}

export class Call {
  readonly number: number
  /** `second`: the other origin of the scenario. */
  readonly place: 'agent' | 'second'
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly #record: ReceivedCall
  readonly #root: string
  #json: { value: JsonValue | undefined } | undefined

  readonly #dialects: readonly Dialect[]

  /** `dialects`: what the agent of the scenario speaks. */
  constructor(record: ReceivedCall, place: Call['place'], root: string, dialects: readonly Dialect[]) {
    const [path = '', query = ''] = record.url.split('?', 2)
    this.number = record.number
    this.place = place
    this.method = record.method
    this.path = path
    this.query = new URLSearchParams(query)
    this.headers = record.headers
    this.body = record.body
    this.#record = record
    this.#root = root
    this.#dialects = dialects
  }

  get json(): JsonValue | undefined {
    this.#json ??= { value: jsonIn(this.body) }
    return this.#json.value
  }

  /** What it asks for in a version that the agent speaks; undefined for everything else. */
  get op(): Operation | undefined {
    const below = this.path.startsWith(this.#root) ? this.path.slice(this.#root.length) : this.path
    const isCard = this.method === 'GET' && DIALECTS.some(({ card }) => card.wellKnownPaths.includes(below))
    if (isCard) return 'getCard'
    return operationAsked(this.#dialects, { method: this.method, path: below, json: () => this.json })
  }

  get binding(): BindingId {
    if (isGrpcType(this.headers['content-type'])) return 'grpc'
    // JSON-RPC has an envelope; everything else is HTTP+JSON.
    return textAt(this.json, 'jsonrpc') !== undefined || textAt(this.json, 'method') !== undefined ? 'jsonrpc' : 'rest'
  }

  /** A message of the client, streamed or not. */
  get isMessage(): boolean {
    return this.op === 'sendMessage' || this.op === 'streamMessage'
  }

  get isCard(): boolean {
    return this.op === 'getCard'
  }

  /** The parameters: of JSON-RPC its `params`, else the body. */
  get params(): JsonObject {
    const { json } = this
    if (!isJsonObject(json)) return {}
    return textAt(json, 'jsonrpc') === undefined ? json : (objectAt(json, 'params') ?? {})
  }

  get message(): JsonObject | undefined {
    return objectAt(this.params, 'message') ?? camelCased(objectAt(this.params, 'request'))
  }

  /** The id of a JSON-RPC request. */
  get id(): JsonValue | undefined {
    return isJsonObject(this.json) ? this.json.id : undefined
  }

  get version(): string | undefined {
    return this.headers['a2a-version'] ?? this.query.get('A2A-Version') ?? undefined
  }

  /** How the client took the answer. */
  get ending(): 'open' | 'answered' | 'cut' {
    return this.#record.ending
  }

  get exchange(): Exchange {
    return this.#record.exchange
  }

  get label(): string {
    return `${this.method} ${this.path}${this.op === undefined || this.isCard ? '' : ` (${this.op})`}`
  }
}

/** A message as the proto of 0.3 names it, which readers of ProtoJSON take as well. */
function camelCased(message: JsonObject | undefined): JsonObject | undefined {
  if (message === undefined) return undefined
  const inCamel = (name: string) => name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
  return Object.fromEntries(Object.entries(message).map(([name, value]) => [inCamel(name), value]))
}
