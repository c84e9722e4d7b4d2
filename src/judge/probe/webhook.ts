// A small HTTP receiver on the loopback interface, so that push notifications can be judged by the bytes that
// arrive. It answers 200 unless told otherwise and keeps every delivery. What comes to another path than its own is none:
// the port may have been that of another program a moment ago, and its callers are not the agent.

import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { defined } from '../../base/defined.ts'
import type { JsonValue } from '../../model/json.ts'
import type { Exchange } from '../../trace/exchange.ts'

export interface Delivery {
  method: string
  path: string
  headers: readonly (readonly [string, string])[]
  body: string
  json: JsonValue | undefined
  atMs: number
  /** The same as evidence; the agent is the one who asked. */
  exchange: Exchange
}

const MAX_BODY_BYTES = 4 * 1024 * 1024

export class Webhook {
  readonly url: string
  readonly deliveries: Delivery[] = []
  /** Status of the answers, in order of arrival; 200 when exhausted. */
  answers: number[] = []
  /** Where a 3xx answer points to. */
  location: string | undefined
  /** Told of every delivery when it arrives. */
  onDelivery: (delivery: Delivery) => void = () => {}
  readonly #server: Server
  readonly #waiting = new Set<() => void>()

  private constructor(server: Server, url: string) {
    this.#server = server
    this.url = url
    const { pathname } = new URL(url)
    server.on('request', (request, response) => {
      if (request.url?.startsWith(pathname) !== true) {
        response.writeHead(404).end()
        return
      }
      const received = receive(request).then((delivery) => {
        this.deliveries.push(delivery)
        this.onDelivery(delivery)
        const { location } = this
        const status = this.answers.shift() ?? 200
        // A sender that listens need not make us wait for its own schedule.
        const hint = status === 503 ? { 'Retry-After': '1' } : {}
        response.writeHead(status, { ...hint, ...defined({ Location: location }) }).end()
        for (const wake of this.#waiting) wake()
      })
      // A sender that left in the middle has delivered nothing.
      received.catch(() => response.destroy())
    })
  }

  static async open(host = '127.0.0.1'): Promise<Webhook> {
    const server = createServer()
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen(0, host, resolve)
    })
    const { port } = server.address() as AddressInfo
    return new Webhook(server, `http://${host}:${port}/hook/${crypto.randomUUID()}`)
  }

  /** The first delivery, old or new, that fits; undefined once the time is over. */
  async until(fits: (delivery: Delivery) => boolean, timeoutMs: number): Promise<Delivery | undefined> {
    const deadline = performance.now() + timeoutMs
    for (;;) {
      const found = this.deliveries.find(fits)
      if (found !== undefined) return found
      const leftMs = deadline - performance.now()
      if (leftMs <= 0) return undefined
      await this.#nextArrival(leftMs)
    }
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise<void>((resolve) => this.#server.close(() => resolve()))
  }

  #nextArrival(timeoutMs: number): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer)
        this.#waiting.delete(done)
        resolve()
      }
      const timer = setTimeout(done, timeoutMs)
      this.#waiting.add(done)
    })
  }
}

async function receive(request: IncomingMessage): Promise<Delivery> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size <= MAX_BODY_BYTES) chunks.push(chunk)
  }
  const body = Buffer.concat(chunks).toString('utf8')
  const headers: [string, string][] = []
  for (let at = 0; at + 1 < request.rawHeaders.length; at += 2) {
    headers.push([request.rawHeaders[at] ?? '', request.rawHeaders[at + 1] ?? ''])
  }
  const { method = '', url: path = '' } = request
  const exchange: Exchange = {
    id: randomUUID(),
    startedAt: new Date().toISOString(),
    request: { method, url: `http://${request.headers.host ?? ''}${path}`, headers, body: Buffer.from(body) },
  }
  return { method, path, headers, body, json: parsed(body), atMs: performance.now(), exchange }
}

function parsed(body: string): JsonValue | undefined {
  try {
    return JSON.parse(body) as JsonValue
  } catch {
    return undefined
  }
}
