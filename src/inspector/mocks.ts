// Mocks the page looks into: started here, or running elsewhere on this machine. Both are driven over the control interface
// that every mock has, so there is one way to do it.

import { parseScript } from '../mock/script/load-script.ts'
import { scriptFromCard } from '../mock/script/script-from-card.ts'
import { MockServer } from '../mock/server.ts'
import { EXIT, ParleyError } from '../model/errors.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../model/json.ts'
import { isLoopback } from '../net/guard/loopback.ts'
import { HttpClient } from '../net/http-client.ts'
import { badRequest } from './asked.ts'
import type { OpenAgent } from './open-agent.ts'
import type { Change, MockView } from './views.ts'

interface KeptMock {
  view: MockView
  token: string
  /** Set for one that was started here. */
  server?: MockServer
}

export class Mocks {
  readonly #mocks = new Map<string, KeptMock>()
  readonly #http = new HttpClient()
  readonly #publish: (change: Change) => void
  #count = 0

  constructor(publish: (change: Change) => void) {
    this.#publish = publish
  }

  views(): MockView[] {
    return [...this.#mocks.values()].map(({ view }) => view)
  }

  /** From a script; without one, described as the card of an agent that is open. */
  async start(scriptText: string | undefined, agent: OpenAgent | undefined): Promise<string> {
    const text = scriptText ?? cardScript(agent)
    const script = parseScript(text, 'the script')
    const server = new MockServer({ script })
    await server.start()
    return this.#keep({ url: server.url, name: script.agent.name, isOwn: true }, server.adminToken, server)
  }

  async attach(url: string, token: string): Promise<string> {
    const place = URL.parse(/^https?:/.test(url) ? url : `http://${url}`)
    if (place === null || !isLoopback(place.hostname.replace(/^localhost$/, '127.0.0.1')))
      throw badRequest('A mock can be looked into on this machine only: give the address it printed.')
    await this.#ask({ url: place.origin, token }, 'GET', 'status')
    return this.#keep({ url: place.origin, name: `mock at ${place.host}`, isOwn: false }, token)
  }

  async look(id: string): Promise<JsonObject> {
    const mock = this.#find(id)
    const [journal, faults] = await Promise.all([this.control(id, 'GET', 'journal'), this.control(id, 'GET', 'faults')])
    return { mock: { ...mock.view }, journal, faults }
  }

  control(id: string, method: string, what: string, body?: JsonValue): Promise<JsonValue> {
    const { view, token } = this.#find(id)
    return this.#ask({ url: view.url, token }, method, what, body)
  }

  async stop(id: string): Promise<void> {
    const { server } = this.#find(id)
    this.#mocks.delete(id)
    this.#publish({ kind: 'mock-closed', id })
    await server?.stop()
  }

  async close(): Promise<void> {
    this.#http.close()
    for (const { server } of this.#mocks.values()) await server?.stop()
  }

  async #ask(mock: { url: string; token: string }, method: string, what: string, body?: JsonValue): Promise<JsonValue> {
    const isText = typeof body === 'string'
    const response = await this.#http.request({
      ...{ method, url: `${mock.url}/__parley/${what}` },
      headers: [
        ['Authorization', `Bearer ${mock.token}`],
        ...(body === undefined ? [] : [['Content-Type', isText ? 'application/yaml' : 'application/json'] as const]),
      ],
      ...(body === undefined ? {} : { body: isText ? body : JSON.stringify(body) }),
    })
    const text = await response.text()
    const json = text === '' ? null : (JSON.parse(text) as JsonValue)
    if (response.status < 400) return json
    const error = isJsonObject(json) && isJsonObject(json.error) ? json.error : {}
    const message = typeof error.message === 'string' ? error.message : `The mock answered HTTP ${response.status}.`
    throw new ParleyError('mock-refused', message, { exitCode: EXIT.failed })
  }

  #keep(view: Omit<MockView, 'id'>, token: string, server?: MockServer): string {
    const id = `m${++this.#count}`
    this.#mocks.set(id, { view: { id, ...view }, token, ...(server === undefined ? {} : { server }) })
    this.#publish({ kind: 'mock', mock: { id, ...view } })
    return id
  }

  #find(id: string): KeptMock {
    const found = this.#mocks.get(id)
    if (found !== undefined) return found
    throw badRequest('This mock was stopped; start it again.')
  }
}

function cardScript(agent: OpenAgent | undefined): string {
  const discovery = agent?.discovery
  if (discovery?.card === undefined) throw badRequest('Give a script, or open an agent whose card can be read.')
  return scriptFromCard(discovery.card, discovery.readings[0]?.dialect ?? '1.0')
}
