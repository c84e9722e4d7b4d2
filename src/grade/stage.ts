// Where a scenario is played: an agent of our own on loopback that behaves as the scenario says, a second origin where one
// is needed, and a record of everything the client sends.

import { type MaybePromise, mapMaybePromise } from '../base/maybe-promise.ts'
import { BINDINGS, isHttp1 } from '../bindings/registry.ts'
import { A2AClient } from '../client/index.ts'
import type { BindingId, Dialect } from '../dialects/dialect.ts'
import { DIALECTS, dialectById } from '../dialects/index.ts'
import type { AgentCard } from '../model/card.ts'
import { isJsonObject, type JsonObject } from '../model/json.ts'
import { type Task, textOf } from '../model/task.ts'
import { type Certified, makeAuthority, serverCertificate } from '../net/certificates.ts'
import { DEFAULT_LIMITS } from '../net/limits.ts'
import { createListener, type Listener } from '../net/serve/http-listener.ts'
import { nodeHandler } from '../net/serve/node-handler.ts'
import { errorReply, type Handler, jsonReply, type NoReply, type Reply } from '../net/serve/reply.ts'
import { derivedRequest, knownBody, type ServerRequest } from '../net/serve/request.ts'
import { type A2AServer, type Agent, createServer } from '../server/index.ts'
import { Call } from './call.ts'
import { CallRecord } from './call-record.ts'
import { type Delivered, deliver, type Notification } from './deliveries.ts'
import type { Scenario, Surface, World } from './scenario.ts'

const LIMITS = DEFAULT_LIMITS
/** A call of our own, to bring the agent into a state; the client under test has no part in it. */
const OUR_OWN = 'x-parley-stage'

export class Stage {
  readonly surface: Surface
  readonly calls: Call[] = []
  readonly deliveries: Delivered[] = []
  readonly #world: World
  readonly #dialect: Dialect
  readonly #server: A2AServer
  /** Of this scenario alone. */
  readonly #authority = makeAuthority('An authority of a scenario')
  #second: Listener | undefined
  /** The last task that was there before the client came. */
  seeded: string | undefined
  /** Of the first task the client was told of. */
  firstTaskId: string | undefined
  firstContextId: string | undefined
  #origin = ''
  #secondOrigin = ''

  static async open(scenario: Scenario, surface: Surface, port = 0): Promise<Stage> {
    const stage = new Stage(scenario, surface)
    await stage.#listen(port)
    return stage
  }

  private constructor(scenario: Scenario, surface: Surface) {
    this.surface = surface
    this.#world = scenario.world(surface)
    this.#dialect = dialectById(surface.version)
    const { agent: scripted = sayHello, push = false, speaks = [surface.version], path = '' } = this.#world
    this.#server = createServer({
      card: cardOf(scenario, push),
      agent: (message, context) => {
        this.firstTaskId ??= context.taskId
        this.firstContextId ??= context.contextId
        return scripted(message, context)
      },
      path: path === '' ? '/' : path,
      dialects: speaks,
      maxConcurrentTasks: 1_000,
      allowPrivateWebhooks: true,
      grpc: this.#bindings.includes('grpc'),
      ...(this.#world.secured !== undefined && { tls: serverCertificate(this.#authority) }),
      intercept: (request, answer) => this.#intercept(request, answer),
    })
  }

  /** Where the client is pointed. */
  get target(): string {
    return this.#world.target?.(this) ?? this.url
  }

  /** Where the agent lives, without a slash at the end. */
  get url(): string {
    return `${this.#origin}${this.#world.path ?? ''}`
  }

  get origin(): string {
    return this.#origin
  }

  /** Another origin on loopback, which keeps a record as well. */
  get secondUrl(): string {
    return this.#secondOrigin
  }

  /** The authority (PEM) of every certificate here. */
  get authority(): string {
    return this.#authority.cert
  }

  /** For a receiver of the client on this machine. */
  certificate(): Certified {
    return serverCertificate(this.#authority)
  }

  get cardUrl(): string {
    return `${this.url}${this.#dialect.card.wellKnownPaths[0] ?? ''}`
  }

  /** A task that is there before the client comes. */
  async seed(text: string, options: { returnImmediately?: boolean } = {}): Promise<Task> {
    using client = A2AClient.fromCard(this.#card(), { origin: this.#origin, headers: [[OUR_OWN, 'seed']] })
    const message = { messageId: crypto.randomUUID(), role: 'ROLE_USER' as const, parts: [{ text }] }
    const result = await client.sendMessage({ message, configuration: { returnImmediately: true, ...options } })
    if ('message' in result) throw new Error('The agent of this scenario makes no tasks.')
    this.seeded = result.task.id
    return result.task
  }

  /** The card, for a scenario that serves it somewhere else. */
  cardReply(): Reply {
    return jsonReply(200, this.#card())
  }

  /** The card before the scenario changes it. */
  card(): JsonObject {
    return this.#plainCard()
  }

  /** Tells the receiver of the client something, and remembers what it answered. */
  async deliver(url: string, notification: Notification): Promise<void> {
    this.deliveries.push(await deliver(url, notification, this.authority))
  }

  async close(): Promise<void> {
    await Promise.all([this.#server.close({ graceMs: 0 }), this.#second?.close({ graceMs: 0 })])
  }

  async #listen(port: number): Promise<void> {
    this.#second = createListener(nodeHandler((request) => this.#record(request, 'second', () => notHere(request))))
    this.#secondOrigin = (await this.#second.listen({ port: 0, host: '127.0.0.1' })).url
    try {
      this.#origin = (await this.#server.listen({ port })).url
    } catch (error) {
      await this.close()
      throw error
    }
  }

  #intercept(request: ServerRequest, answer: Handler): MaybePromise<Reply | NoReply> {
    if (request.headers[OUR_OWN] !== undefined) return answer(request)
    return this.#record(request, 'agent', (passed) => this.#replyWithCard(passed) ?? answer(passed))
  }

  #record(request: ServerRequest, place: Call['place'], answer: Handler): MaybePromise<Reply | NoReply> {
    const goOn = (body: Buffer): MaybePromise<Reply | NoReply> => {
      const origin = place === 'agent' ? this.#originOf(request) : this.#secondOrigin
      const record = new CallRecord(this.calls.length + 1, request, body, origin)
      const { speaks = [this.surface.version], path = '' } = this.#world
      const call = new Call(record, place, path, speaks.map(dialectById))
      this.calls.push(call)
      const isSpoken = call.isCard || place === 'second' || this.#speaks(call)
      const next = () => (isSpoken ? answer(derivedRequest(request, { body: knownBody(body) })) : notHere(request))
      const reply = this.#world.answer === undefined ? next() : this.#world.answer(call, next, this)
      return mapMaybePromise(reply, (said) => record.observe(said))
    }
    return request.body.isEmpty ? goOn(Buffer.alloc(0)) : mapMaybePromise(request.body.read(LIMITS), goOn)
  }

  #originOf({ takesTrailers }: ServerRequest): string {
    if (takesTrailers !== true) return this.#origin
    return this.#world.secured === undefined ? `http://${this.#interfaceUrl}` : this.#interfaceUrl
  }

  get #bindings(): readonly BindingId[] {
    return this.#world.bindings ?? [this.surface.binding]
  }

  #speaks(call: Call): boolean {
    return call.method === 'GET' || this.#bindings.includes(call.binding)
  }

  /** Where the interface of the scenario is; gRPC has an address of its own and no path. */
  get #interfaceUrl(): string {
    const [grpc] = this.#server.grpc
    if (!isHttp1(this.surface.binding) && grpc !== undefined)
      return `${this.#world.secured === undefined ? '' : 'https://'}127.0.0.1:${grpc.port}`
    return this.url === this.#origin ? `${this.url}/` : this.url
  }

  #replyWithCard({ method, path }: ServerRequest): Reply | undefined {
    const { cardPaths = this.#dialect.card.wellKnownPaths.slice(0, 1), path: root = '' } = this.#world
    const isWellKnown = DIALECTS.some(({ card }) => card.wellKnownPaths.some((known) => path.endsWith(known)))
    const isCard = cardPaths.some((known) => path === `${root}${known}`)
    if (method !== 'GET' || !(isWellKnown || isCard || path === '/' || path === root)) return undefined
    return isCard ? this.cardReply() : errorReply(404, 'There is no card here.')
  }

  #card(): JsonObject {
    const card = this.#plainCard()
    return this.#world.card?.(card, this) ?? card
  }

  #plainCard(): JsonObject {
    const { binding } = this.surface
    const card: AgentCard = {
      ...cardOf({ id: 'scenario', about: 'An agent of a scenario.' }, this.#world.push ?? false),
      supportedInterfaces: [
        {
          url: this.#interfaceUrl,
          protocolBinding: BINDINGS[binding].cardName,
          protocolVersion: this.#dialect.cardVersion,
        },
      ],
    }
    const { wire } = this.#dialect.card.encode(card)
    if (!isJsonObject(wire)) throw new Error('A card is an object.')
    return wire
  }
}

function cardOf({ id, about }: Pick<Scenario, 'id' | 'about'>, push: boolean): Omit<AgentCard, 'supportedInterfaces'> {
  return {
    name: `Scenario ${id}`,
    description: about,
    version: '1.0.0',
    capabilities: { streaming: true, pushNotifications: push },
    defaultInputModes: ['text/plain', 'application/json', '*/*'],
    defaultOutputModes: ['text/plain', 'application/json'],
    skills: [{ id: 'talk', name: 'Talk', description: 'Answers what it is asked.', tags: ['test'] }],
  }
}

/** A task that ends well, with one artifact. */
const sayHello: Agent = async (message, context) => {
  await context.status('TASK_STATE_WORKING')
  await context.artifact({ artifactId: 'answer', parts: [{ text: `You said: ${textOf(message)}` }] })
  await context.complete()
}

/** Works until it is canceled. */
export const works: Agent = async (_message, context) => {
  await context.status('TASK_STATE_WORKING')
  await new Promise((resolve) => context.signal.addEventListener('abort', resolve, { once: true }))
}

function notHere({ path }: ServerRequest): Reply {
  return errorReply(404, `There is nothing at ${path.slice(0, 200)}.`)
}
