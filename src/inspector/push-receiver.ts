// A webhook for the agents that are open, on a port of its own, so that the guard of the page need not let agents in. What
// arrives is checked as `parley listen` checks it.

import { randomBytes } from 'node:crypto'
import { reportDelivery } from '../client/delivery-report.ts'
import { createListener, type Listener } from '../net/serve/http-listener.ts'
import { nodeHandler } from '../net/serve/node-handler.ts'
import { readBody } from '../net/serve/read-body.ts'
import { type Reply, wrongMethod } from '../net/serve/reply.ts'
import type { ServerRequest } from '../net/serve/request.ts'
import type { Redactor } from '../trace/redact.ts'
import type { DeliveryView } from './views.ts'

const PATH = '/webhook/'
const MAX_BODY_BYTES = 4 * 1024 * 1024
const MAX_SHOWN = 100_000
const MAX_DELIVERIES = 1_000

export class PushReceiver {
  readonly deliveries: DeliveryView[] = []
  readonly #tokens = new Map<string, string>()
  readonly #onDelivery: (delivery: DeliveryView) => void
  readonly #redactorOf: (agent: string) => Redactor
  #listener: Listener | undefined
  #url: Promise<string> | undefined
  #count = 0

  constructor(redactorOf: (agent: string) => Redactor, onDelivery: (delivery: DeliveryView) => void) {
    this.#redactorOf = redactorOf
    this.#onDelivery = onDelivery
  }

  /** Where the agent of this id may send its notifications, and with which token. */
  async webhookOf(agent: string): Promise<{ url: string; token: string }> {
    this.#url ??= this.#listen()
    const token = this.#tokens.get(agent) ?? randomBytes(24).toString('base64url')
    this.#tokens.set(agent, token)
    this.#redactorOf(agent).register(token)
    return { url: `${await this.#url}${PATH}${agent}`, token }
  }

  async close(): Promise<void> {
    await this.#listener?.close({ graceMs: 100 })
  }

  async #listen(): Promise<string> {
    this.#listener = createListener(nodeHandler((request) => this.#receive(request)))
    return (await this.#listener.listen({ port: 0, host: '127.0.0.1' })).url
  }

  async #receive(request: ServerRequest): Promise<Reply> {
    if (request.method !== 'POST') return wrongMethod('POST')
    const agent = request.path.startsWith(PATH) ? request.path.slice(PATH.length) : ''
    const token = this.#tokens.get(agent)
    if (token === undefined) return { status: 404, headers: [] }
    const body = await readBody(request, MAX_BODY_BYTES)
    const report = reportDelivery(request.headers, body, (given) => given === token)
    const answered = report.token === 'right' ? 200 : 401
    const { generation, kind, taskId, state, issues } = report
    const delivery: DeliveryView = {
      ...{ number: ++this.#count, at: new Date().toISOString(), agent, token: report.token, answered, issues },
      ...(generation === undefined ? {} : { generation }),
      ...(kind === undefined ? {} : { kind }),
      ...(taskId === undefined ? {} : { taskId }),
      ...(state === undefined ? {} : { state }),
      body: this.#redactorOf(agent).text(body.toString('utf8')).slice(0, MAX_SHOWN),
    }
    this.deliveries.push(delivery)
    if (this.deliveries.length > MAX_DELIVERIES) this.deliveries.shift()
    this.#onDelivery(delivery)
    return { status: answered, headers: [] }
  }
}
