// A running mock: one listener in front of any number of isolated sessions, and the control interface beside them.
// A request belongs to the session its path or its header names, else to the default one.

import { randomBytes } from 'node:crypto'
import type { MaybePromise } from '../base/maybe-promise.ts'
import { DIALECTS } from '../dialects/index.ts'
import { EXIT, ParleyError } from '../model/errors.ts'
import { DEFAULT_LIMITS } from '../net/limits.ts'
import { createListener, type Listener } from '../net/serve/http-listener.ts'
import { nodeHandler, STALL_TIMEOUT_MS } from '../net/serve/node-handler.ts'
import { errorReply, type NoReply, type Reply } from '../net/serve/reply.ts'
import type { ServerRequest } from '../net/serve/request.ts'
import type { ServerTls } from '../net/serve/tls-server.ts'
import { type GrpcListeners, listenGrpc } from '../server/grpc-listeners.ts'
import { ADMIN_PATH, AdminApi } from './admin.ts'
import type { JournalEntry } from './journal.ts'
import { PassingSessions } from './passing-sessions.ts'
import { EMPTY_SCRIPT, type Script } from './script/script.ts'
import { MockSession, type SessionPlace } from './session.ts'

export const SESSION_HEADER = 'X-Parley-Session'
const SESSION_HEADER_KEY = SESSION_HEADER.toLowerCase()
const SESSION_PATH = '/__session/'
const SESSION_NAME = /^[\w.-]{1,100}$/
const DEFAULT_SESSION = ''
const MAX_SESSIONS = 1_000

export interface MockServerOptions {
  readonly script?: Script
  /** For the control interface; random unless given. */
  readonly adminToken?: string
  /** Told of every request once it is over. */
  readonly onFinished?: (entry: JournalEntry) => void
}

/** Where a mock listens. */
export interface MockPlace {
  /**
   * 0 takes any free one.
   * @default 0
   */
  readonly port?: number
  /**
   * An address or name of this machine.
   * @default '127.0.0.1'
   */
  readonly host?: string
  /** Speaks TLS with this certificate. */
  readonly tls?: ServerTls
  /** Also takes calls of gRPC at this port; 0 takes any free one. */
  readonly grpcPort?: number
}

export class MockServer {
  readonly adminToken: string
  readonly #sessions = new Map<string, MockSession>()
  readonly #passing = new PassingSessions()
  readonly #admin: AdminApi
  readonly #onFinished: MockServerOptions['onFinished']
  #script: Script
  #listener: Listener | undefined
  #grpc: GrpcListeners | undefined
  #url: string | undefined

  constructor(options: MockServerOptions = {}) {
    this.#script = options.script ?? EMPTY_SCRIPT
    this.#onFinished = options.onFinished
    this.adminToken = options.adminToken ?? randomBytes(32).toString('hex')
    this.#admin = new AdminApi(this.adminToken, {
      session: (name) => this.session(name),
      close: (name) => this.closeSession(name),
      names: () => [...this.#sessions.keys()],
    })
  }

  /** Without a trailing slash. */
  get url(): string {
    if (this.#url === undefined)
      throw new ParleyError('mock-not-started', 'The mock is not listening; call start() first.', {
        exitCode: EXIT.usage,
      })
    return this.#url
  }

  /** `host:port` where it takes calls of gRPC, for every session; undefined when it does not. */
  get grpcAddress(): string | undefined {
    return this.#grpc?.addressOf('', this.url)
  }

  async start({ port = 0, host = '127.0.0.1', grpcPort, tls }: MockPlace = {}): Promise<void> {
    if (this.#listener !== undefined) return
    this.#listener = createListener(
      nodeHandler((request) => this.#answer(request)),
      tls === undefined ? {} : { tls },
    )
    try {
      // First, because cards name its port.
      if (grpcPort !== undefined) this.#grpc = await this.#listenGrpc(host, grpcPort, tls)
      this.#url = (await this.#listener.listen({ port, host })).url
    } catch (error) {
      this.#listener = undefined
      await this.#grpc?.close({ graceMs: 0 })
      this.#grpc = undefined
      throw error
    }
    await this.session(DEFAULT_SESSION)
  }

  /** Other certificates from the next handshake on. */
  setTls(tls: ServerTls): void {
    this.#listener?.setTls(tls)
    this.#grpc?.setTls(tls)
  }

  #listenGrpc(host: string, port: number, tls: ServerTls | undefined): Promise<GrpcListeners> {
    const services = () => DIALECTS.flatMap(({ grpc }) => grpc?.service ?? [])
    return listenGrpc([{ paths: [''], services }], {
      ...{ host, serving: { port }, limits: DEFAULT_LIMITS, tls, stallTimeoutMs: STALL_TIMEOUT_MS },
      handle: (request) => this.#answer(request),
      isServing: () => true,
      onError: () => {},
    })
  }

  async stop(): Promise<void> {
    const listener = this.#listener
    this.#listener = undefined
    for (const session of this.#sessions.values()) await session.close()
    this.#sessions.clear()
    await Promise.all([listener?.close({ graceMs: 100 }), this.#grpc?.close({ graceMs: 100 })])
    this.#grpc = undefined
    this.#url = undefined
  }

  /** The session of that name, made on first use from the script of the mock, and kept until it is closed. */
  session(name: string = DEFAULT_SESSION): Promise<MockSession> {
    this.#passing.keep(name)
    return this.#session(name)
  }

  async #session(name: string): Promise<MockSession> {
    const known = this.#sessions.get(name)
    if (known !== undefined) {
      await known.ready()
      return known
    }
    if (name !== DEFAULT_SESSION && !SESSION_NAME.test(name))
      throw new ParleyError(
        'session-name-invalid',
        `A session's name has up to 100 letters, digits, '_', '.' and '-', not '${name.slice(0, 100)}'.`,
      )
    await this.#makeRoom()
    const session = new MockSession(this.#script, this.#placeOf(name), this.#onFinished)
    this.#sessions.set(name, session)
    await session.ready()
    return session
  }

  #placeOf(name: string): SessionPlace {
    return { name, url: this.sessionUrl(name), grpcAddress: this.grpcAddress }
  }

  sessionUrl(name: string): string {
    return name === DEFAULT_SESSION ? this.url : `${this.url}${SESSION_PATH}${name}`
  }

  async closeSession(name: string): Promise<boolean> {
    const session = this.#sessions.get(name)
    if (session === undefined || name === DEFAULT_SESSION) return false
    this.#sessions.delete(name)
    this.#passing.keep(name)
    await session.close()
    return true
  }

  async #makeRoom(): Promise<void> {
    if (this.#sessions.size < MAX_SESSIONS) return
    const name = this.#passing.dispensable()
    if (name === undefined)
      throw new ParleyError('too-many-sessions', `The mock already has ${MAX_SESSIONS} sessions; close some.`)
    await this.closeSession(name)
  }

  /** The script of sessions still to come. */
  use(script: Script): void {
    this.#script = script
  }

  /** A new script for the default session and for sessions still to come. */
  async load(script: Script): Promise<void> {
    this.#script = script
    await (await this.session()).load(script)
  }

  /** A changed script for the default session, whose tasks go on, and for sessions still to come. */
  async adopt(script: Script): Promise<{ isAnew: boolean }> {
    this.#script = script
    return (await this.session()).adopt(script)
  }

  /** Of all sessions: what had no answer, and what was required and did not come. */
  problems(): string[] {
    return [...this.#sessions].flatMap(([name, session]) =>
      session.problems().map((problem) => (name === DEFAULT_SESSION ? problem : `session ${name}: ${problem}`)),
    )
  }

  #answer(request: ServerRequest): MaybePromise<Reply | NoReply> {
    if (request.path.startsWith(ADMIN_PATH)) return this.#admin.answer(request)
    const place = placeOf(request)
    const session = this.#sessions.get(place.session)
    if (session === undefined) return this.#answerNew(request, place)
    if (place.session !== DEFAULT_SESSION) this.#passing.note(place.session, request.method, false)
    return session.answer(request, place.path)
  }

  async #answerNew(request: ServerRequest, place: { session: string; path: string }): Promise<Reply | NoReply> {
    try {
      const session = await this.#session(place.session)
      if (place.session !== DEFAULT_SESSION) this.#passing.note(place.session, request.method, true)
      return await session.answer(request, place.path)
    } catch (error) {
      if (!(error instanceof ParleyError)) throw error
      return errorReply(400, error.message)
    }
  }
}

function placeOf(request: ServerRequest): { session: string; path: string } {
  const { path, headers } = request
  if (path.startsWith(SESSION_PATH)) {
    const rest = path.slice(SESSION_PATH.length)
    const slash = rest.indexOf('/')
    return slash < 0 ? { session: rest, path: '/' } : { session: rest.slice(0, slash), path: rest.slice(slash) }
  }
  const header = headers[SESSION_HEADER_KEY]
  const session = typeof header === 'string' ? header : DEFAULT_SESSION
  return { session, path: request.takesTrailers === true ? generationPath(path) : path }
}

/** A call of gRPC names its generation by its service, and is for the place of that generation. */
function generationPath(path: string): string {
  const spoken = DIALECTS.find(({ grpc }) => grpc !== undefined && path.startsWith(`/${grpc.service}/`))
  return spoken === undefined ? path : `/v${spoken.id}${path}`
}
