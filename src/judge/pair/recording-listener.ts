// Stands in front of an agent while another calls it, and writes down what passes: the proof that a message really
// went from one to the other. Cards that pass are rewritten so that the calls that follow come this way too.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { HttpClient } from '../../net/http-client.ts'
import type { HttpResponse } from '../../net/http-response.ts'
import type { Exchange } from '../../trace/exchange.ts'

/** Of the connection, not of the message. */
const NOT_FORWARDED = new Set([
  'host',
  'connection',
  'keep-alive',
  'transfer-encoding',
  'content-length',
  'content-encoding',
  'accept-encoding',
])
const MAX_BODY_BYTES = 8 * 1024 * 1024

export interface RecordingListenerOptions {
  http: HttpClient
  /** Addresses of the agent behind: its card's and its interfaces'. */
  urls: readonly string[]
  /** Sent with calls that bring no credentials, because the caller was given none. */
  credentials: readonly (readonly [string, string])[]
}

export class RecordingListener {
  readonly calls: Exchange[] = []
  readonly #server: Server
  readonly #origins: readonly string[]
  readonly #options: RecordingListenerOptions
  readonly #base: string

  private constructor(server: Server, options: RecordingListenerOptions) {
    this.#server = server
    this.#options = options
    this.#origins = [...new Set(options.urls.map((url) => new URL(url).origin))]
    this.#base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      this.#forward(request, response).catch(() => response.destroy())
    })
  }

  static async open(options: RecordingListenerOptions): Promise<RecordingListener> {
    const server = createServer()
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen(0, '127.0.0.1', resolve)
    })
    return new RecordingListener(server, options)
  }

  /** The address at which the agent behind is met through here. */
  addressOf(url: string): string {
    const { origin } = new URL(url)
    return `${this.#prefix(this.#origins.indexOf(origin))}${url.slice(origin.length)}`
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise<void>((resolve) => this.#server.close(() => resolve()))
  }

  #prefix(at: number): string {
    return `${this.#base}/agent-${at}`
  }

  async #forward(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [, at = '', path = ''] = /^\/agent-(\d+)(\/.*)?$/.exec(request.url ?? '') ?? []
    const origin = this.#origins[Number(at)]
    if (at === '' || origin === undefined) {
      response.writeHead(404).end()
      return
    }
    const answer = await this.#options.http.request({
      method: request.method ?? 'GET',
      url: `${origin}${path}`,
      headers: this.#headersOf(request),
      body: await bodyOf(request),
      freshConnection: true,
    })
    this.calls.push(answer.exchange)
    await this.#answer(answer, response)
  }

  #headersOf(request: IncomingMessage): [string, string][] {
    const headers: [string, string][] = []
    for (let at = 0; at + 1 < request.rawHeaders.length; at += 2) {
      const [name = '', value = ''] = request.rawHeaders.slice(at, at + 2)
      if (!NOT_FORWARDED.has(name.toLowerCase())) headers.push([name, value])
    }
    const given = new Set(headers.map(([name]) => name.toLowerCase()))
    const missing = this.#options.credentials.filter(([name]) => !given.has(name.toLowerCase()))
    return [...headers, ...missing.map(([name, value]): [string, string] => [name, value])]
  }

  async #answer(answer: HttpResponse, response: ServerResponse): Promise<void> {
    const headers = answer.headers.filter(([name]) => !NOT_FORWARDED.has(name.toLowerCase()))
    response.writeHead(answer.status, headers.flat())
    if (answer.contentType?.essence !== 'text/event-stream') {
      response.end(this.#rewritten((await answer.bytes()).toString('utf8')))
      return
    }
    for await (const { event, id, data } of answer.frames()) {
      if (event !== undefined) response.write(`event: ${event}\n`)
      if (id !== undefined) response.write(`id: ${id}\n`)
      response.write(`${data.replaceAll(/^/gm, 'data: ')}\n\n`)
    }
    response.end()
  }

  /** The agent's own addresses, wherever it states them. */
  #rewritten(text: string): string {
    return this.#origins.reduce((so, origin, at) => so.replaceAll(`"${origin}`, `"${this.#prefix(at)}`), text)
  }
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > MAX_BODY_BYTES) throw new Error('the call is too large')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
