// The wire tap between a client and a server: passes everything on as it is, keeps it as evidence, and serves a card that
// offers one interface alone, at the tap.

import { type IncomingMessage, type ServerResponse, request as sendRequest } from 'node:http'
import { jsonIn } from '../bindings/endpoint-client.ts'
import { isJsonObject, type JsonObject } from '../model/json.ts'
import { createListener, type Listener } from '../net/serve/http-listener.ts'
import type { HttpExchange } from '../trace/exchange.ts'

/** Of one body; more is passed on, not kept. */
const MAX_KEPT_BYTES = 256 * 1024
/** Of this connection alone (RFC 9110 §7.6.1). */
const HOP_BY_HOP = new Set([
  'connection',
  'keep-alive',
  'transfer-encoding',
  'upgrade',
  'proxy-connection',
  'te',
  'host',
])

export class WireTap {
  readonly exchanges: HttpExchange[] = []
  readonly #upstream: URL
  readonly #narrow: (card: JsonObject, tapUrl: string) => JsonObject
  #listener: Listener | undefined
  #url = ''

  /** `narrow` makes the card of the server one with the interface under test. */
  static async open(upstream: string, narrow: (card: JsonObject, tapUrl: string) => JsonObject): Promise<WireTap> {
    const tap = new WireTap(upstream, narrow)
    await tap.#listen()
    return tap
  }

  private constructor(upstream: string, narrow: (card: JsonObject, tapUrl: string) => JsonObject) {
    this.#upstream = new URL(upstream)
    this.#narrow = narrow
  }

  /** Where the client is pointed: the path of the server, at the tap. */
  get url(): string {
    const { pathname } = this.#upstream
    return `${this.#url}${pathname === '/' ? '' : pathname.replace(/\/$/, '')}`
  }

  async close(): Promise<void> {
    await this.#listener?.close({ graceMs: 0 })
  }

  async #listen(): Promise<void> {
    this.#listener = createListener((req, res) => this.#pass(req, res))
    this.#url = (await this.#listener.listen({ port: 0, host: '127.0.0.1' })).url
  }

  async #pass(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const pieces: Buffer[] = []
    for await (const piece of req) pieces.push(piece as Buffer)
    const exchange = this.#begin(req, Buffer.concat(pieces))
    const isCard = req.method === 'GET' && req.url?.includes('/.well-known/') === true
    await new Promise<void>((resolve) => {
      const upstream = sendRequest(
        new URL(req.url ?? '/', this.#upstream.origin),
        { method: req.method ?? 'GET', headers: passedOn(req, isCard) },
        (answer) => void this.#passBack(answer, res, exchange, isCard).finally(resolve),
      )
      upstream.on('error', (error) => {
        exchange.failure = error.message
        res.destroy()
        resolve()
      })
      res.on('close', () => upstream.destroy())
      upstream.end(Buffer.from(exchange.request.body))
    })
  }

  #begin(req: IncomingMessage, body: Buffer): HttpExchange {
    const headers = Object.entries(req.headersDistinct).flatMap(([name, values = []]) =>
      values.map((value): [string, string] => [name, value]),
    )
    const exchange: HttpExchange = {
      id: `call-${this.exchanges.length + 1}`,
      startedAt: new Date().toISOString(),
      request: { method: req.method ?? 'GET', url: `${this.#url}${req.url ?? '/'}`, headers, body },
    }
    this.exchanges.push(exchange)
    return exchange
  }

  async #passBack(
    answer: IncomingMessage,
    res: ServerResponse,
    exchange: HttpExchange,
    isCard: boolean,
  ): Promise<void> {
    const status = answer.statusCode ?? 502
    const headers = Object.entries(answer.headersDistinct).flatMap(([name, values = []]) =>
      values.map((value): [string, string] => [name, value]),
    )
    const kept: Buffer[] = []
    let count = 0
    exchange.response = { status, headers, body: Buffer.alloc(0) }
    const sent = headers.filter(([name]) => !HOP_BY_HOP.has(name) && !(isCard && name === 'content-length'))
    try {
      if (!isCard) res.writeHead(status, sent.flat())
      for await (const piece of answer as AsyncIterable<Buffer>) {
        if (count < MAX_KEPT_BYTES) kept.push(piece.subarray(0, MAX_KEPT_BYTES - count))
        count += piece.byteLength
        if (!isCard) res.write(piece)
      }
      if (isCard) res.writeHead(status, sent.flat())
    } catch (error) {
      exchange.response.incomplete = error instanceof Error ? error.message : String(error)
      res.destroy()
    }
    const body = Buffer.concat(kept)
    exchange.response.body = body
    if (count > MAX_KEPT_BYTES) exchange.response.incomplete = `${count} bytes were sent in all`
    res.end(isCard ? this.#cardOf(body) : undefined)
  }

  #cardOf(body: Buffer): Buffer | string {
    const card = jsonIn(body.toString('utf8'))
    return isJsonObject(card) ? JSON.stringify(this.#narrow(card, this.#url)) : body
  }
}

function passedOn(req: IncomingMessage, isCard: boolean): Record<string, string[]> {
  const entries = Object.entries(req.headersDistinct).filter(([name]) => !HOP_BY_HOP.has(name))
  // A card is changed on its way, so it must be readable and whole.
  const changed = isCard ? entries.filter(([name]) => !/^(accept-encoding|if-)/.test(name)) : entries
  return Object.fromEntries(changed.map(([name, values = []]) => [name, values]))
}
