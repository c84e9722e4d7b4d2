// One agent the user opened: found, looked at, logged in to, and ready to be called in any of its ways. Credentials live
// here and in the clients made here; the view that leaves has none.

import { tokenSourceOf } from '../auth/token-provider.ts'
import { A2AClient, type ClientOptions } from '../client/a2a-client.ts'
import { loginTokens } from '../client/agent-login.ts'
import { reachForTarget } from '../client/agent-reach.ts'
import { inspectAgent } from '../client/inspect-agent.ts'
import type { BindingId, DialectId } from '../dialects/dialect.ts'
import { originOf } from '../discovery/credentials.ts'
import { type Attempt, type Discovery, discover } from '../discovery/discover.ts'
import { EXIT, ParleyError } from '../model/errors.ts'
import type { JsonObject } from '../model/json.ts'
import type { Reach } from '../net/guard/reach.ts'
import { HttpClient } from '../net/http-client.ts'
import { Redactor } from '../trace/redact.ts'
import { signaturesOf } from './card-signatures.ts'
import { cardView } from './card-view.ts'
import { credentialsOf, type GivenCredentials } from './credentials.ts'
import { errorView } from './error-view.ts'
import type { LoginCallbacks } from './login-callbacks.ts'
import type { AgentView, AuthForm } from './views.ts'
import type { WireLog } from './wire-log.ts'

export interface AgentContext {
  readonly wire: WireLog
  readonly callbacks: LoginCallbacks
  readonly callbackUrl: string
  readonly env: NodeJS.ProcessEnv
  /** Replaces the usual rule about where agents may lead. */
  readonly reach?: Reach | undefined
  onChange(agent: OpenAgent): void
}

export interface AgentRequest {
  readonly id: string
  readonly target: string
  readonly auth: AuthForm
  readonly allowOrigins: readonly string[]
  /** From the flags of the command, for the agent named there. */
  readonly standing?: ClientOptions | undefined
}

export class OpenAgent {
  readonly id: string
  readonly request: AgentRequest
  readonly redactor = new Redactor()
  readonly #context: AgentContext
  readonly #stop = new AbortController()
  readonly #clients = new Map<string, A2AClient>()
  #http: HttpClient | undefined
  #options: ClientOptions = {}
  #discovery: Discovery | undefined
  #attempts: Attempt[] = []
  #view: AgentView

  constructor(request: AgentRequest, context: AgentContext) {
    this.id = request.id
    this.request = request
    this.#context = context
    const { id, target } = request
    this.#view = { id, target, name: target, status: 'connecting', attempts: [], auth: '', ways: [], streams: false }
  }

  get view(): AgentView {
    return this.#view
  }

  /** What a judge or another client of this agent is given. */
  get options(): ClientOptions {
    return this.#options
  }

  get discovery(): Discovery {
    if (this.#discovery !== undefined) return this.#discovery
    throw new ParleyError('not-connected', 'This agent is not connected; connect again.', { exitCode: EXIT.usage })
  }

  get http(): HttpClient {
    if (this.#http !== undefined) return this.#http
    throw new ParleyError('not-connected', 'This agent is not connected; connect again.', { exitCode: EXIT.usage })
  }

  /** Never rejects: what goes wrong is in the view. */
  async connect(): Promise<void> {
    try {
      const given = credentialsOf(this.request.auth, this.redactor, this.#context.env)
      await this.#connect(given)
    } catch (error) {
      if (this.#stop.signal.aborted) return
      const { login: _, ...view } = this.#view
      this.#change({ ...view, status: 'failed', error: errorView(error, this.redactor) })
    }
  }

  async #connect(given: GivenCredentials): Promise<void> {
    const { request } = this
    const { standing = {}, target } = request
    for (const secret of [standing.bearer, standing.apiKey, ...(standing.headers ?? []).map(([, value]) => value)])
      if (secret !== undefined) this.redactor.register(secret)
    const { reach } = this.#context
    const allowOrigins = [...(standing.allowOrigins ?? []), ...request.allowOrigins]
    const options: ClientOptions = {
      ...standing,
      ...given.options,
      allowOrigins,
      ...(reach === undefined ? {} : { reach }),
    }
    const isStanding =
      request.auth.kind === 'none' && Object.keys(standing).some((name) => /bearer|apiKey|headers|tls/.test(name))
    // Also for whoever judges an agent whose card cannot be found.
    this.#options = options
    this.#change({ ...this.#view, auth: isStanding ? 'credentials of the command line' : given.summary })
    const http = new HttpClient({
      ...(options.tls === undefined ? {} : { tls: options.tls }),
      ...optional('reach', reachForTarget(target, options)),
      ...this.#context.wire.hooks(this.id, target, this.redactor),
    })
    this.#http = http
    const discovery = await discover(target, {
      ...options,
      ...{ http, signal: this.#stop.signal },
      onAttempt: (attempt) => {
        this.#attempts = [...this.#attempts, attempt]
        this.#change({ ...this.#view, attempts: this.#attempts })
      },
    })
    this.#discovery = discovery
    if (given.login !== undefined) await this.#logIn(given.login, discovery, http)
    const client = this.client()
    this.#settle(client)
    const inspection = await inspectAgent(discovery, { ...this.#options, ...(await this.#bearer()) })
    const signatures = await signaturesOf(discovery, http)
    this.#change({ ...this.#view, card: { ...cardView(discovery, inspection), signatures } })
  }

  async #logIn(request: NonNullable<GivenCredentials['login']>, discovery: Discovery, http: HttpClient): Promise<void> {
    const { callbacks, callbackUrl } = this.#context
    const tokens = await loginTokens(discovery, request, {
      ...{ http, signal: this.#stop.signal, allowOrigins: this.#options.allowOrigins },
      tell: () => {},
      prompt: ({ kind, url, ...more }) =>
        this.#change({ ...this.#view, status: 'login', login: { kind, url: checkedUrl(url), ...more } }),
      redirect: async () => callbacks.open(callbackUrl),
      onTokens: ({ accessToken, refreshToken = '' }) => {
        this.redactor.register(accessToken)
        this.redactor.register(refreshToken)
      },
    })
    await tokens.token()
    this.#options = { ...this.#options, tokens }
  }

  async #bearer(): Promise<{ bearer?: string }> {
    const { tokens } = this.#options
    return tokens === undefined ? {} : { bearer: await tokenSourceOf(tokens).token() }
  }

  /** For whoever takes one token and keeps it: the judge. */
  async heldOptions(): Promise<ClientOptions> {
    const { tokens: _, ...rest } = this.#options
    return { ...optional('reach', this.#context.reach), ...rest, ...(await this.#bearer()) }
  }

  #settle(client: A2AClient): void {
    const { discovery } = this
    const { binding, dialect, url } = client.endpoint
    const { login: _, error: __, ...view } = this.#view
    this.#change({
      ...view,
      status: 'open',
      name: discovery.card?.name ?? this.request.target,
      endpoint: { url, binding, version: dialect },
      ways: client.choice.candidates.map(({ binding: own, dialect: { id }, isDeclared }) => ({
        ...{ binding: own, version: id, isDeclared },
      })),
      streams: discovery.card?.capabilities.streaming === true,
      card: cardView(discovery),
    })
  }

  /** A client that speaks as the card prefers, or in the way that was chosen for one message. */
  client(
    way: {
      binding?: BindingId | undefined
      version?: DialectId | undefined
      extensions?: readonly string[] | undefined
    } = {},
  ): A2AClient {
    const { binding, version, extensions = [] } = way
    const name = JSON.stringify([binding, version, extensions])
    const known = this.#clients.get(name)
    if (known !== undefined) return known
    const made = new A2AClient(
      this.discovery,
      {
        ...this.#options,
        ...(binding === undefined ? {} : { transports: [binding] }),
        ...(version === undefined ? {} : { versions: [version] }),
        ...(extensions.length === 0 ? {} : { extensions }),
      },
      this.http,
    )
    this.#clients.set(name, made)
    return made
  }

  /** What is spoken may turn out with the first answer. */
  settle(): void {
    const { endpoint } = this.#view
    if (endpoint === undefined) return
    const { binding, dialect, url } = this.client().endpoint
    if (endpoint.version === dialect && endpoint.binding === binding) return
    this.#change({ ...this.#view, endpoint: { url, binding, version: dialect } })
  }

  async extendedCard(): Promise<JsonObject> {
    const extended = (await this.client().getExtendedCard()) as unknown as JsonObject
    const { card } = this.#view
    if (card !== undefined) this.#change({ ...this.#view, card: { ...card, extended } })
    return extended
  }

  /** Where requests of this agent may go: what the user typed, what its card names, what the user allowed. */
  origins(): string[] {
    const { origin, interfaces, source } = this.discovery
    const own = [origin, ...(/^https?:/.test(source) ? [source] : []), ...this.request.allowOrigins]
    const urls = interfaces.map(({ url }) => (/^https?:/i.test(url) ? url : `http://${url}`))
    return [...own, ...urls].flatMap((url) => (url === undefined || !URL.canParse(url) ? [] : [originOf(url)]))
  }

  close(): void {
    this.#stop.abort()
    this.#http?.close()
  }

  #change(view: AgentView): void {
    this.#view = view
    this.#context.onChange(this)
  }
}

/** A stranger's address becomes a link; anything but the web would run where the page is. */
function checkedUrl(url: string): string {
  if (/^https?:\/\//i.test(url) && URL.canParse(url)) return url
  throw new ParleyError(
    'bad-login-address',
    'The authorization server names an address for the login that is not http or https.',
    {
      exitCode: EXIT.unauthenticated,
    },
  )
}

function optional<K extends string, V>(name: K, value: V | undefined): { [key in K]?: V } {
  return value === undefined ? {} : ({ [name]: value } as { [key in K]: V })
}
