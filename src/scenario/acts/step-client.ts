// The runner's voice on one interface: operations and raw requests out, everything that came back kept as bytes and
// as the object assertions are about. Judges nothing.

import type { RawError } from '../../bindings/probe.ts'
import { BINDINGS } from '../../bindings/registry.ts'
import { joinUrl } from '../../bindings/rest/probe.ts'
import { type Answer, readAnswer } from '../../judge/probe/answer.ts'
import type { OutgoingRequest } from '../../judge/probe/outgoing.ts'
import type { RawEvent } from '../../judge/probe/raw.ts'
import { RawStream, type StreamEnd } from '../../judge/probe/raw-stream.ts'
import type { Surface } from '../../judge/probe/surface.ts'
import type { Wire } from '../../judge/probe/wire.ts'
import type { JsonObject, JsonValue } from '../../model/json.ts'
import { isStreaming, type Operation, type StreamingOperation } from '../../model/operation.ts'
import type { Exchange } from '../../trace/exchange.ts'
import type { RawStep } from './document-shape.ts'
import { eventView, wireParams } from './draft-names.ts'
import { StepNotMeasured } from './outcome.ts'

export interface StepResponse {
  exchange: Exchange
  /** 0 when there was no answer. */
  status: number
  headers: JsonObject
  /** What `expect`, `capture` and `until` look at. */
  root: JsonValue | undefined
  error: RawError | undefined
  /** Of a stream, under the names of the draft; the whole payloads for raw steps. */
  events?: JsonValue[]
  seen?: readonly RawEvent[]
  end?: StreamEnd
}

export interface SpeakerOptions {
  surface: Surface
  wire: Wire
  cardUrl: string | undefined
  credentials: readonly (readonly [string, string])[]
  timeoutMs: number
  /** Ends the test. */
  signal: AbortSignal
}

const WELL_KNOWN = /^\/\.well-known\/agent(-card)?\.json$/

export class StepClient {
  readonly exchanges: Exchange[] = []
  readonly #options: SpeakerOptions
  readonly #open = new Set<RawStream>()
  #requestId = 0

  constructor(options: SpeakerOptions) {
    this.#options = options
  }

  get surface(): Surface {
    return this.#options.surface
  }

  async call(op: Operation, params: JsonObject, timeoutMs?: number): Promise<StepResponse> {
    if (op === 'getCard') return this.#card()
    if (isStreaming(op)) return this.collect(await this.stream(op, params, timeoutMs))
    const exchange = await this.#send(this.#outgoing(op, params), timeoutMs)
    return responseOf(readAnswer(this.surface.binding, op, exchange))
  }

  async stream(op: StreamingOperation, params: JsonObject, timeoutMs?: number): Promise<RawStream> {
    return this.#openStream(this.#outgoing(op, params), op, timeoutMs)
  }

  /** Reads a stream to its end. */
  async collect(stream: RawStream): Promise<StepResponse> {
    await stream.rest()
    this.#open.delete(stream)
    if (stream.refused !== undefined) return responseOf(stream.refused)
    const events = stream.events.map(eventView)
    const { error } = stream
    const root: JsonObject = error === undefined ? { events } : { events, error: error.json }
    return { ...headOf(stream.exchange), root, error, events, seen: stream.events, ...endOf(stream) }
  }

  /** The bytes a test wrote, to the interface or to a path below it. */
  async raw(wanted: RawStep['raw'], body: string | undefined, withCredentials: boolean): Promise<StepResponse> {
    const headers = [...(wanted.headers ?? [])]
    const named = new Set(headers.map(([name]) => name.toLowerCase()))
    const { credentials } = this.#options
    if (withCredentials) headers.push(...credentials.filter(([name]) => !named.has(name.toLowerCase())).map(pair))
    const outgoing: OutgoingRequest = {
      method: wanted.method,
      url: this.#rawUrl(wanted.path),
      headers,
      body: body === undefined ? undefined : new TextEncoder().encode(body),
    }
    const stream = await this.#openStream(outgoing, undefined)
    if (stream.refused !== undefined) {
      const { exchange, error, body: json, text } = stream.refused
      return { ...headOf(exchange), root: json ?? (text === '' ? undefined : text), error }
    }
    await stream.rest()
    this.#open.delete(stream)
    const events = stream.payloads.map((payload) => payload ?? null)
    return {
      ...headOf(stream.exchange),
      root: { events },
      error: stream.error,
      events,
      seen: stream.events,
      ...endOf(stream),
    }
  }

  close(): void {
    for (const stream of this.#open) stream.close()
  }

  async #card(): Promise<StepResponse> {
    const { cardUrl, surface } = this.#options
    if (cardUrl === undefined) throw new StepNotMeasured('the card was given as a file, so there is none to fetch')
    const headers: [string, string][] = [['Accept', 'application/json']]
    const { versionHeader } = surface.dialect
    if (versionHeader !== undefined) headers.push(['A2A-Version', versionHeader])
    const exchange = await this.#send({ method: 'GET', url: cardUrl, headers, body: undefined })
    return responseOf(readAnswer('rest', 'getCard', exchange))
  }

  #outgoing(op: Operation, given: JsonObject): OutgoingRequest {
    const { surface, credentials } = this.#options
    if (!surface.dialect.has(op)) throw new StepNotMeasured(`this version of A2A has no operation ${op}`)
    const params = wireParams(op, given, surface)
    const outgoing = BINDINGS[surface.binding].probe.encode(surface, op, params, ++this.#requestId)
    const { versionHeader } = surface.dialect
    if (versionHeader !== undefined) outgoing.headers.push(['A2A-Version', versionHeader])
    outgoing.headers.push(...credentials.map(pair))
    return outgoing
  }

  async #send(outgoing: OutgoingRequest, timeoutMs = this.#options.timeoutMs): Promise<Exchange> {
    const { wire, signal } = this.#options
    const exchange = await wire.send(outgoing, { timeoutMs, signal })
    this.exchanges.push(exchange)
    return exchange
  }

  async #openStream(
    outgoing: OutgoingRequest,
    op: StreamingOperation | undefined,
    timeoutMs = this.#options.timeoutMs,
  ): Promise<RawStream> {
    const { wire, signal, surface } = this.#options
    const opened = await wire.open(outgoing, { timeoutMs, signal })
    this.exchanges.push(opened.exchange)
    const deadline = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)])
    const source = 'next' in opened ? opened : readAnswer(surface.binding, op, opened.exchange)
    const stream = new RawStream(surface, source, { onFrame() {}, onEvent() {} }, deadline)
    this.#open.add(stream)
    return stream
  }

  /** `/` is the interface itself, the well-known path is where the card was found, the rest is below the interface. */
  #rawUrl(path: string): string {
    const { surface, cardUrl } = this.#options
    if (/^https?:\/\//i.test(path)) {
      if (URL.parse(path)?.origin === new URL(surface.url).origin) return path
      throw new StepNotMeasured(`${path} is not on the server under test`)
    }
    if (path === '/') return surface.url
    if (WELL_KNOWN.test(path) && cardUrl !== undefined) return cardUrl
    return joinUrl(surface.url, path)
  }
}

function responseOf(answer: Answer): StepResponse {
  const { exchange, error } = answer
  const root = error === undefined ? answer.result : { error: error.json }
  return { ...headOf(exchange), root, error }
}

function headOf(exchange: Exchange): Pick<StepResponse, 'exchange' | 'status' | 'headers'> {
  const headers: JsonObject = {}
  for (const [name, value] of exchange.response?.headers ?? []) {
    const known = headers[name.toLowerCase()]
    headers[name.toLowerCase()] = typeof known === 'string' ? `${known}, ${value}` : value
  }
  return { exchange, status: exchange.response?.status ?? 0, headers }
}

function endOf({ end }: RawStream): { end?: StreamEnd } {
  return end === undefined ? {} : { end }
}

function pair([name, value]: readonly [string, string]): [string, string] {
  return [name, value]
}
