// A webhook as clients have one: keeps what arrives, answers what the test says, and wakes whoever waits for more.

import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { JsonObject } from '../../src/model/json.ts'

export interface Received {
  path: string
  headers: IncomingHttpHeaders
  text: string
  body: JsonObject
}

/** Undefined answers 200 at once. */
export type Reaction = (received: Received, res: ServerResponse) => void | Promise<void>

export class Webhook {
  readonly url: string
  readonly received: Received[] = []
  react: Reaction | undefined
  readonly #server
  readonly #waiting = new Set<() => void>()

  private constructor(server: ReturnType<typeof createServer>) {
    this.#server = server
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`
    server.on('request', (req, res) => void this.#receive(req, res))
  }

  async #receive(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of req) chunks.push(chunk as Buffer)
    const text = Buffer.concat(chunks).toString('utf8')
    const received = { path: req.url ?? '', headers: req.headers, text, body: JSON.parse(text) as JsonObject }
    this.received.push(received)
    if (this.react === undefined) res.writeHead(200).end()
    else void this.react(received, res)
    for (const wake of this.#waiting) wake()
  }

  static async open(react?: Reaction): Promise<Webhook> {
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const webhook = new Webhook(server)
    webhook.react = react
    return webhook
  }

  /** Resolves once the received deliveries satisfy the condition; the test's own time limit ends a vain wait. */
  async until(holds: (received: readonly Received[]) => boolean): Promise<readonly Received[]> {
    while (!holds(this.received)) {
      await new Promise<void>((resolve) => {
        const wake = () => {
          this.#waiting.delete(wake)
          resolve()
        }
        this.#waiting.add(wake)
      })
    }
    return this.received
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise<void>((resolve) => void this.#server.close(() => resolve()))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }
}

/** Answers these statuses in turn, then 200. */
export function answering(...statuses: readonly (number | readonly [number, Record<string, string>])[]): Reaction {
  const left = [...statuses]
  return (_, res) => {
    const next = left.shift() ?? 200
    const [status, headers] = typeof next === 'number' ? [next, {}] : next
    res.writeHead(status, headers).end()
  }
}
