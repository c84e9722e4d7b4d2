// One agent behind the proxy and the service that stands for it. It is mounted when the agent's card can be read, so a
// proxy starts without its agents and comes to life with them.

import type { ArtifactStore } from '../artifacts/artifact-store.ts'
import { defined } from '../base/defined.ts'
import { operatorDetail } from '../client/upstream-error.ts'
import { type DialectId, NEWEST_REVISION } from '../dialects/dialect.ts'
import { A2AError } from '../model/errors.ts'
import { checkLimits, type Limits } from '../net/limits.ts'
import type { AuthConfig } from '../server/auth/auth-config.ts'
import type { Log } from '../server/log.ts'
import type { MountOptions } from '../server/mount-options.ts'
import type { A2AServer } from '../server/server.ts'
import { Downstream, type DownstreamOptions, type Trouble, troubleOf } from './downstream.ts'
import { type CardOverrides, type ProxyPromises, proxyCard } from './proxy-card.ts'
import type { TranslationLoss } from './proxy-deps.ts'
import { ProxyService } from './proxy-service.ts'
import type { ProxyState } from './proxy-state.ts'

/** An agent behind the proxy. */
export interface AgentOptions extends DownstreamOptions {
  /** Its path on the proxy, and what separates its tasks from those of others. */
  readonly name: string
  /** Further paths under which it can be reached. */
  readonly aliases?: readonly string[]
  /** Members of its card to say otherwise. */
  readonly card?: CardOverrides
  /**
   * Cancel the task when the caller of a stream is gone.
   * @default false
   */
  readonly cancelOnDisconnect?: boolean
  /**
   * After a broken stream ask the agent once what became of the task; without it the task has failed.
   * @default false
   */
  readonly askAfterCut?: boolean
}

export interface ProxyContext {
  readonly artifacts: ArtifactStore | undefined
  readonly app: string
  /** Generations offered to callers, the card's first; undefined offers what the agent itself speaks. */
  readonly translate: readonly DialectId[] | undefined
  readonly auth: readonly AuthConfig[]
  readonly authenticate: MountOptions['authenticate']
  readonly promises: ProxyPromises
  /** Origins of web pages that may call without credentials. */
  readonly pages: readonly string[]
  readonly limits: Partial<Limits> | undefined
  readonly log: Log
  /** What the proxy knows, and the server its agents are mounted on. */
  opened(): Promise<{ readonly state: ProxyState; readonly server: A2AServer }>
  readonly onLoss: ((loss: TranslationLoss) => void) | undefined
}

/** Of 1.0, for the media type of webhook bodies. */

export class ProxiedAgent {
  readonly name: string
  /** '' is the root. */
  readonly paths: readonly string[]
  readonly #options: AgentOptions
  readonly #context: ProxyContext
  readonly #downstream: Downstream
  #service: ProxyService | undefined
  #starting: Promise<void> | undefined

  constructor(options: AgentOptions, paths: readonly string[], context: ProxyContext) {
    this.name = options.name
    this.paths = paths
    this.#options = options
    this.#context = context
    const onTrouble = (message: string) => context.log('warn', 'proxy-trouble', { agent: options.name, message })
    this.#downstream = new Downstream({ onTrouble, ...options })
  }

  get url(): string {
    return this.#downstream.url
  }

  /** Undefined when it is there; else why not. */
  async trouble(): Promise<Trouble | undefined> {
    if (this.isMounted) return this.#downstream.probe()
    try {
      await this.mount()
      return undefined
    } catch (error) {
      return troubleOf(error)
    }
  }

  get isMounted(): boolean {
    return this.#service !== undefined
  }

  /** Throws an A2AError when the agent has not been found yet. */
  mount(): Promise<void> {
    this.#starting ??= this.#start().finally(() => {
      this.#starting = undefined
    })
    return this.#starting
  }

  close(): void {
    this.#service?.close()
    this.#service = undefined
    this.#downstream.close()
  }

  async #start(): Promise<void> {
    const { card, issues, source } = await this.#downstream.connect()
    if (card === undefined) {
      const why = issues[0] === undefined ? '' : `: ${issues[0].pointer} ${issues[0].message}`
      throw unservable('its card is not a valid agent card', `The card at ${source} is not a valid agent card${why}.`)
    }
    const { artifacts, app, promises, translate, log, onLoss, limits, auth, authenticate, pages } = this.#context
    const spoken = await this.#downstream.speaks()
    const dialects = translate ?? spoken
    const [own] = spoken
    if (own === undefined)
      throw unservable(
        'its card names no interface that Parley supports',
        `The card at ${source} names no interface that Parley supports.`,
      )
    const input = proxyCard(card, this.#options.card ?? {}, promises)
    const onTrouble = (error: unknown) => log('warn', 'proxy-trouble', { message: operatorDetail(error) })
    const { state, server } = await this.#context.opened()
    const { tasks: store, bus, links, push, lookMs } = state
    const service = new ProxyService({
      ...{ name: this.name, downstream: this.#downstream, store, bus, links, lookMs, artifacts, app },
      push: input.capabilities.pushNotifications === true ? push.service(NEWEST_REVISION) : undefined,
      limits: checkLimits(limits),
      cancelsOnDisconnect: this.#options.cancelOnDisconnect ?? false,
      asksAfterCut: this.#options.askAfterCut ?? false,
      forwardOptions: { dialect: own, extensions: [] },
      card: () => ({ ...input, supportedInterfaces: [] }),
      dressed: (theirs) => ({ ...proxyCard(theirs, this.#options.card ?? {}, promises), supportedInterfaces: [] }),
      ...defined({ onLoss }),
      onTrouble,
    })
    const places = this.paths.map((path) => ({
      ...{ service, card: input, path: path || '/', dialects, auth },
      // The agent's card is the agent's business: what its rules lack, its callers may know how to live with.
      skipCardValidation: true,
      // Whoever has to show who he is cannot be borrowed by a web page; anybody else can.
      ...(auth.length > 0 ? {} : { pages }),
      ...defined({ authenticate }),
    }))
    await server.mount(...places)
    this.#service = service
    // Not awaited: a call for a task meanwhile asks the agent.
    if (links !== undefined) void service.resume().catch(onTrouble)
  }
}

/** What callers hear, with what the operator needs as its cause. */
function unservable(happened: string, detail: string): A2AError {
  return new A2AError('Unavailable', `The agent behind this proxy cannot be served: ${happened}.`, {
    cause: new Error(detail),
  })
}
