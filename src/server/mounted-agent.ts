// One agent at one path: finds out what a request below it asks for (card, preflight, or a call in one of the bindings),
// who asks, and hands it to the binding. Knows nothing about tasks.

import { type MaybePromise, mapMaybePromise } from '../base/maybe-promise.ts'
import { versionOf } from '../bindings/http.ts'
import type { BindingMount, CallerFacts } from '../bindings/mount.ts'
import { bindingFor } from '../bindings/serving.ts'
import type { Dialect } from '../dialects/dialect.ts'
import { dialectNamed } from '../dialects/select.ts'
import type { AgentCard } from '../model/card.ts'
import { A2AError } from '../model/errors.ts'
import { ANONYMOUS } from '../model/scope.ts'
import { errorReply, type Reply, wrongMethod } from '../net/serve/reply.ts'
import type { ServerRequest } from '../net/serve/request.ts'
import { CardEndpoint } from './card-endpoint.ts'
import { type CardSigner, KEY_SET_PATH } from './card-signing.ts'
import type { Caller, MountOptions } from './mount-options.ts'
import { publishedCard } from './published-card.ts'
import { refusePage, withoutCors } from './web-pages.ts'

const CARD_METHODS = 'GET, HEAD, OPTIONS'
const PREFLIGHT: Reply = {
  status: 204,
  headers: [
    ...['Access-Control-Allow-Origin', '*'],
    ...['Access-Control-Allow-Methods', 'GET, HEAD, POST, DELETE, OPTIONS'],
    'Access-Control-Allow-Headers',
    'Content-Type, Authorization, A2A-Version, A2A-Extensions, X-A2A-Extensions, X-API-Key, Last-Event-ID',
    ...['Access-Control-Max-Age', '600'],
  ],
}
const NO_ADDRESS = 'This server does not know the address at which its clients reach it; set publicUrl.'
/** Forms of the card under different addresses: a mount inside other servers may have several. */
const MOST_CARDS = 32

export interface MountedDeps {
  /** '' for the root, else '/name'. */
  path: string
  /** The generation of the card first. */
  dialects: readonly Dialect[]
  /** Those whose clients can read the card. */
  cardDialects: readonly Dialect[]
  binding: BindingMount
  authenticate: MountOptions['authenticate']
  /** Whether the process is too busy to take on more. */
  isOverloaded(): boolean
  /** The card as this mount has it under the given public URL. */
  cardAt(baseUrl: string): AgentCard
  signer?: CardSigner
  /** Origins of web pages that may use it; any when undefined. */
  pages?: readonly string[] | undefined
}

export class MountedAgent {
  readonly path: string
  readonly #deps: MountedDeps
  readonly #cards = new Map<string, MaybePromise<CardEndpoint>>()
  #keySet: Promise<CardEndpoint | undefined> | undefined
  readonly #since = new Date()

  constructor(deps: MountedDeps) {
    this.#deps = deps
    this.path = deps.path
  }

  get cardDialect(): Dialect {
    const [first] = this.#deps.dialects
    if (first === undefined) throw new Error('a mount serves at least one protocol version')
    return first
  }

  /** Where its card is, relative to the server. */
  get cardPath(): string {
    return this.path + (this.cardDialect.card.wellKnownPaths[0] ?? '')
  }

  /** `path` is the path of the request below the mount, `baseUrl` where the server itself lives, if that is known. */
  answer(request: ServerRequest, path: string, baseUrl: string | undefined): MaybePromise<Reply> {
    const { method } = request
    const isReading = method === 'GET' || method === 'HEAD'
    const isCard = this.#isCardPath(path) || (isReading && isRoot(path))
    const { pages } = this.#deps
    if (isCard && method !== 'OPTIONS') {
      if (!isReading) return wrongMethod(CARD_METHODS)
      if (baseUrl === undefined) return errorReply(500, NO_ADDRESS)
      return mapMaybePromise(this.#card(request, baseUrl), (card) => card.answer(request))
    }
    if (pages === undefined || isCard) return this.#answerOpenly(request, path, isReading)
    const refusal = refusePage(request, baseUrl ?? '', pages)
    if (refusal !== undefined) return errorReply(403, refusal)
    const answered = this.#answerOpenly(request, path, isReading)
    return request.headers.origin === undefined ? mapMaybePromise(answered, withoutCors) : answered
  }

  #answerOpenly(request: ServerRequest, path: string, isReading: boolean): MaybePromise<Reply> {
    if (request.method === 'OPTIONS') return PREFLIGHT
    if (path !== KEY_SET_PATH || !isReading) return this.#answerCall(request, path)
    return this.#keys().then((keySet) => keySet?.answer(request) ?? this.#answerCall(request, path))
  }

  /** Nothing is awaited that is known at once: most requests come to agents that are open to everybody. */
  #answerCall(request: ServerRequest, path: string): MaybePromise<Reply> {
    const { authenticate } = this.#deps
    const caller = this.#deps.isOverloaded()
      ? overloaded()
      : authenticate === undefined
        ? ANYBODY
        : authenticate(request)
    return mapMaybePromise(caller, (known) => this.#answerCaller(request, path, known))
  }

  #answerCaller(request: ServerRequest, path: string, known: Caller | A2AError): MaybePromise<Reply> {
    const { binding: mount } = this.#deps
    const binding = bindingFor(request, mount, path)
    if (binding === undefined) return errorReply(404, `There is no ${path.slice(0, 200)} here.`)
    if (known instanceof A2AError) return binding.refuse(request, mount, this.cardDialect, known)
    return binding.serve(request, mount, callerOf(known, path, request.query))
  }

  /** The generations that are spoken here. */
  get dialects(): readonly Dialect[] {
    return this.#deps.dialects
  }

  #isCardPath(path: string): boolean {
    return this.#deps.dialects.some((dialect) => dialect.card.wellKnownPaths.includes(path))
  }

  #card(request: ServerRequest, baseUrl: string): MaybePromise<CardEndpoint> {
    const { query } = request
    const asked = versionOf(request, query === '' ? undefined : new URLSearchParams(query))
    const named = asked === undefined ? undefined : dialectNamed(asked)
    const { cardDialects, signer } = this.#deps
    // A signature covers the card of one generation, with nothing else in it.
    const [first = this.cardDialect] = cardDialects
    const forms = named && cardDialects.includes(named) ? [named] : signer === undefined ? cardDialects : [first]
    const key = `${forms.map(({ id }) => id).join()} ${baseUrl}`
    let endpoint = this.#cards.get(key)
    if (endpoint === undefined) {
      endpoint = this.#makeCard(baseUrl, forms)
      if (this.#cards.size >= MOST_CARDS) this.#cards.clear()
      this.#cards.set(key, endpoint)
    }
    return endpoint
  }

  #makeCard(baseUrl: string, forms: readonly Dialect[]): MaybePromise<CardEndpoint> {
    const { cardAt, signer } = this.#deps
    const wire = publishedCard(cardAt(baseUrl), forms)
    if (signer === undefined || forms[0] !== this.cardDialect) return new CardEndpoint(wire, this.#since)
    return signer.sign(wire, baseUrl + this.path).then((signed) => new CardEndpoint(signed, this.#since))
  }

  /** The public key of the signature on the card, where this agent publishes it. */
  #keys(): Promise<CardEndpoint | undefined> {
    this.#keySet ??= (this.#deps.signer?.keySet() ?? Promise.resolve(undefined)).then((keys) =>
      keys === undefined ? undefined : new CardEndpoint(keys, this.#since),
    )
    return this.#keySet
  }
}

function isRoot(path: string): boolean {
  return path === '' || path === '/'
}

const ANYBODY: Caller = { subject: ANONYMOUS }

function callerOf({ subject, tenant = '', expiresAtMs }: Caller, path: string, search: string): CallerFacts {
  const query = search === '' ? undefined : new URLSearchParams(search)
  return expiresAtMs === undefined ? { subject, tenant, path, query } : { subject, tenant, path, query, expiresAtMs }
}

function overloaded(): A2AError {
  return new A2AError('Unavailable', 'The server is overloaded; try again shortly.', { retryAfterSeconds: 1 })
}
