// One agent at one path: finds out what a request below it asks for (card, JSON-RPC, HTTP+JSON, preflight), who
// asks, and hands it to the binding. Answers for the wire; knows nothing about tasks.

import type { IncomingMessage, ServerResponse } from 'node:http'
import { isPromise } from '../base/is-promise.ts'
import { versionOf } from '../bindings/http.ts'
import { refuse as refuseJsonRpc, serveJsonRpc } from '../bindings/jsonrpc/server.ts'
import type { BindingMount, CallerFacts } from '../bindings/mount.ts'
import { refuse as refuseRest, serveRest } from '../bindings/rest/server.ts'
import type { Dialect } from '../dialects/dialect.ts'
import { dialectNamed } from '../dialects/select.ts'
import type { AgentCard } from '../model/card.ts'
import { A2AError } from '../model/errors.ts'
import { ANONYMOUS } from '../model/scope.ts'
import { answerError } from '../net/http-listener.ts'
import { CardEndpoint } from './card-endpoint.ts'
import { type CardSigner, KEY_SET_PATH } from './card-signing.ts'
import type { Caller, MountOptions } from './mount-options.ts'
import { publishedCard } from './published-card.ts'
import { refusePage, withoutCors } from './web-pages.ts'

const CARD_METHODS = 'GET, HEAD, OPTIONS'
const PREFLIGHT = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Allow-Methods': 'GET, HEAD, POST, DELETE, OPTIONS',
  'Access-Control-Allow-Headers':
    'Content-Type, Authorization, A2A-Version, A2A-Extensions, X-A2A-Extensions, X-API-Key, Last-Event-ID',
  'Access-Control-Max-Age': '600',
}

export interface MountedParts {
  /** '' for the root, else '/name'. */
  path: string
  /** The generation of the card first. */
  dialects: readonly Dialect[]
  /** Those whose clients can read the card. */
  cardDialects: readonly Dialect[]
  /** Where JSON-RPC is answered besides the mount itself. */
  rpcPaths: readonly string[]
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

/** Where a request arrived. */
interface Place {
  /** The path below the mount. */
  sub: string
  /** Without the question mark. */
  query: string
  baseUrl: string
}

export class MountedAgent {
  readonly path: string
  readonly #parts: MountedParts
  readonly #cards = new Map<string, Promise<CardEndpoint>>()
  #keySet: Promise<CardEndpoint | undefined> | undefined
  readonly #since = new Date()

  constructor(parts: MountedParts) {
    this.#parts = parts
    this.path = parts.path
  }

  get cardDialect(): Dialect {
    const [first] = this.#parts.dialects
    if (first === undefined) throw new Error('a mount serves at least one generation')
    return first
  }

  /** Where its card is, relative to the server. */
  get cardPath(): string {
    return this.path + (this.cardDialect.card.wellKnownPaths[0] ?? '')
  }

  serve(req: IncomingMessage, res: ServerResponse, at: Place): void | Promise<void> {
    const { sub } = at
    const isReading = req.method === 'GET' || req.method === 'HEAD'
    const isCard = this.#isCardPath(sub) || (isReading && isRoot(sub))
    const { pages } = this.#parts
    if (pages !== undefined && !isCard) {
      const refusal = refusePage(req, at.baseUrl, pages)
      if (refusal !== undefined) return answerError(res, 403, refusal)
      if (req.headers.origin === undefined) withoutCors(res)
    }
    if (req.method === 'OPTIONS') {
      res.writeHead(204, PREFLIGHT).end()
      return
    }
    if (isCard) {
      if (isReading) return this.#card(req, at).then((card) => card.serve(req, res))
      res.writeHead(405, { Allow: CARD_METHODS }).end()
      return
    }
    if (sub === KEY_SET_PATH && isReading) return this.#serveKeys(req, res, at)
    return this.#serveOperation(req, res, at)
  }

  async #serveKeys(req: IncomingMessage, res: ServerResponse, at: Place): Promise<void> {
    const keySet = await this.#keys()
    if (keySet === undefined) await this.#serveOperation(req, res, at)
    else keySet.serve(req, res)
  }

  /** Nothing is awaited that is known at once: most requests come to agents that are open to everybody. */
  #serveOperation(req: IncomingMessage, res: ServerResponse, at: Place): void | Promise<void> {
    const { authenticate } = this.#parts
    const found = this.#parts.isOverloaded() ? overloaded() : authenticate === undefined ? ANYBODY : authenticate(req)
    if (isPromise(found)) return Promise.resolve(found).then((caller) => this.#serveCaller(req, res, at, caller))
    return this.#serveCaller(req, res, at, found)
  }

  #serveCaller(
    req: IncomingMessage,
    res: ServerResponse,
    { sub, query }: Place,
    known: Caller | A2AError,
  ): void | Promise<void> {
    const { binding } = this.#parts
    const isRpc =
      isRoot(sub) ||
      (sub === '/subscribe' && this.cardDialect.routes.length === 0) ||
      this.#parts.rpcPaths.includes(sub.replace(/\/$/, ''))
    if (known instanceof A2AError) {
      if (isRpc) refuseJsonRpc(req, res, binding, this.cardDialect, null, known)
      else refuseRest(req, res, binding, this.cardDialect, known)
      return
    }
    const caller = callerOf(known, query)
    if (isRpc && req.method === 'POST') return serveJsonRpc(req, res, binding, caller)
    if (isRpc) res.writeHead(405, { Allow: 'GET, HEAD, POST, OPTIONS' }).end()
    else if (this.cardDialect.routes.length === 0) answerError(res, 404, `There is no ${sub.slice(0, 200)} here.`)
    else {
      const hasV1Prefix = sub.startsWith('/v1/')
      return serveRest(req, res, binding, { ...caller, path: hasV1Prefix ? sub.slice(3) : sub, hasV1Prefix })
    }
  }

  #isCardPath(sub: string): boolean {
    return this.#parts.dialects.some((dialect) => dialect.card.wellKnownPaths.includes(sub))
  }

  #card(req: IncomingMessage, { baseUrl, query }: Place): Promise<CardEndpoint> {
    const asked = versionOf(req, query === '' ? undefined : new URLSearchParams(query))
    const named = asked === undefined ? undefined : dialectNamed(asked)
    const { cardDialects, signer } = this.#parts
    // A signature covers the card of one generation, with nothing else in it.
    const [first = this.cardDialect] = cardDialects
    const forms = named && cardDialects.includes(named) ? [named] : signer === undefined ? cardDialects : [first]
    const key = `${forms.map(({ id }) => id).join()} ${baseUrl}`
    let endpoint = this.#cards.get(key)
    if (endpoint === undefined) {
      endpoint = this.#makeCard(baseUrl, forms)
      this.#cards.set(key, endpoint)
    }
    return endpoint
  }

  async #makeCard(baseUrl: string, forms: readonly Dialect[]): Promise<CardEndpoint> {
    const { cardAt, signer } = this.#parts
    const wire = publishedCard(cardAt(baseUrl), forms)
    const isSigned = signer !== undefined && forms[0] === this.cardDialect
    return new CardEndpoint(isSigned ? await signer.sign(wire, baseUrl + this.path) : wire, this.#since)
  }

  /** The public key of the signature on the card, where this agent publishes it. */
  #keys(): Promise<CardEndpoint | undefined> {
    this.#keySet ??= (this.#parts.signer?.keySet() ?? Promise.resolve(undefined)).then((keys) =>
      keys === undefined ? undefined : new CardEndpoint(keys, this.#since),
    )
    return this.#keySet
  }
}

function isRoot(sub: string): boolean {
  return sub === '' || sub === '/'
}

const ANYBODY: Caller = { subject: ANONYMOUS }

function callerOf({ subject, tenant = '', expiresAtMs }: Caller, search: string): CallerFacts {
  const query = search === '' ? undefined : new URLSearchParams(search)
  return expiresAtMs === undefined ? { subject, tenant, query } : { subject, tenant, query, expiresAtMs }
}

function overloaded(): A2AError {
  return new A2AError('Unavailable', 'The server is overloaded; try again shortly.', { retryAfterSeconds: 1 })
}
