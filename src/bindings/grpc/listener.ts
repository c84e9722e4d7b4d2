// Where gRPC is listened for: node:http2 with every limit applied, calls handed to the service they name, and an orderly
// stop (GOAWAY, then patience, then the end). Whoever speaks something else is told so.

import type { Http2SecureServer, Http2Server, ServerHttp2Session } from 'node:http2'
import { createServer as createSocketServer, type Server, type Socket } from 'node:net'
import { type MaybePromise, mapMaybePromise } from '../../base/maybe-promise.ts'
import type { Limits } from '../../net/limits.ts'
import { http2 } from '../../net/node-http.ts'
import { http2Handler } from '../../net/serve/http2-handler.ts'
import type { Http2Request } from '../../net/serve/http2-request.ts'
import type { Handler, NoReply, Reply } from '../../net/serve/reply.ts'
import { type ServerTls, secureContextOf } from '../../net/serve/tls-server.ts'
import { type Operated, operatingRpc } from './operating.ts'
import { endOnly, inGrpc, refusalHeaders, tooMuchMetadata } from './refusal.ts'
import { loadGrpc } from './server.ts'

export interface GrpcListener {
  listen(where: { port: number; host: string }): Promise<{ port: number }>
  /** Serves a connection that another listener accepted, with HTTP/2 agreed on. */
  take(socket: Socket): void
  /** Other certificates from the next handshake on. */
  setTls(tls: ServerTls): void
  close(options: { graceMs: number }): Promise<void>
}

export interface GrpcListenerOptions {
  limits: Limits
  tls?: ServerTls | undefined
  /** The port is that of HTTP/1.1, too. */
  isShared?: boolean
  /** Stands in front of the path of each call for whoever answers it. */
  pathPrefix: string
  /** A reader that takes nothing for this long is disconnected; it can subscribe again. */
  stallTimeoutMs: number
  /** Names of the services, with their packages. */
  services(): readonly string[]
  /** Whether the server is well, for health checks. */
  isServing(): boolean
  /** Told of our own bugs. */
  onError(error: unknown): void
  /** How often it is asked whether the other end is still there. */
  pingEveryMs?: number
}

const PREFACE = 'PRI * HTTP/2'
const NOT_HTTP2 =
  'HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n' +
  'This port speaks gRPC, which is HTTP/2 without TLS here; the agent card names the others.\n'
/** Calls at the same time on one connection; more are told REFUSED_STREAM. */
const MAX_STREAMS = 256
/** Who has not answered one ping when the next is due is gone. */
const PING_EVERY_MS = 50_000
/** A connection without a call for so long is closed, so that health probes do not pile up. */
const IDLE_MS = 300_000
/** Resets of calls that a client may make at once, and per second after that; more is ENHANCE_YOUR_CALM. */
const RESETS = { streamResetBurst: 1_000, streamResetRate: 100 }

export async function createGrpcListener(handle: Handler, options: GrpcListenerOptions): Promise<GrpcListener> {
  await loadGrpc()
  return new Http2Listener(handle, options)
}

class Http2Listener implements GrpcListener {
  readonly #handle: Handler
  readonly #options: GrpcListenerOptions
  readonly #sessions = new Set<ServerHttp2Session>()
  readonly #sockets = new Set<Socket>()
  readonly #about: Operated
  readonly #server: Http2Server | Http2SecureServer
  /** What listens: the server itself, or without TLS a socket server that looks at the first words. */
  readonly #front: Server
  #isClosing = false

  constructor(handle: Handler, options: GrpcListenerOptions) {
    this.#handle = handle
    this.#options = options
    const { limits, tls, pathPrefix, stallTimeoutMs, onError } = options
    this.#about = { services: options.services, isServing: () => !this.#isClosing && options.isServing() }
    const server = createHttp2Server(limits, tls)
    this.#server = server
    server.on('session', (session) => this.#watchSession(session))
    const sending = { pathPrefix, bodyTimeoutMs: limits.requestTimeoutMs, stallTimeoutMs, onError }
    server.on(
      'stream',
      http2Handler((request) => this.#answer(request), sending),
    )
    server.on('sessionError', ignore)
    server.on('tlsClientError', (_error: Error, socket: Socket) => socket.destroy())
    if (tls === undefined) this.#front = createSocketServer((socket) => this.#admit(socket))
    else {
      this.#front = server as Http2SecureServer
      this.#front.on('connection', (socket: Socket) => this.#remember(socket))
    }
    this.#front.maxConnections = limits.connections
  }

  listen({ port, host }: { port: number; host: string }): Promise<{ port: number }> {
    const front = this.#front
    return new Promise((resolve, reject) => {
      front.once('error', reject)
      front.listen({ port, host }, () => {
        front.off('error', reject)
        const address = front.address()
        resolve({ port: typeof address === 'object' && address !== null ? address.port : port })
      })
    })
  }

  take(socket: Socket): void {
    this.#remember(socket)
    this.#server.emit('connection', socket)
  }

  setTls(tls: ServerTls): void {
    if ('setSecureContext' in this.#server) this.#server.setSecureContext(secureContextOf(tls))
  }

  close({ graceMs }: { graceMs: number }): Promise<void> {
    return new Promise((resolve) => {
      this.#isClosing = true
      const finish = () => {
        clearTimeout(timer)
        resolve()
      }
      const timer = setTimeout(() => {
        for (const session of this.#sessions) session.destroy()
        for (const socket of this.#sockets) socket.destroy()
      }, graceMs)
      this.#front.close(finish)
      // GOAWAY: what is under way may end, nothing new begins.
      for (const session of this.#sessions) session.close()
      if (graceMs === 0) for (const socket of this.#sockets) socket.destroy()
    })
  }

  #remember(socket: Socket): void {
    this.#sockets.add(socket)
    socket.once('close', () => this.#sockets.delete(socket))
    socket.on('error', ignore)
  }

  /** HTTP/2 begins with words that HTTP/1.1 does not have. */
  #admit(socket: Socket): void {
    this.#remember(socket)
    const timer = setTimeout(() => socket.destroy(), this.#options.limits.headersTimeoutMs)
    socket.once('close', () => clearTimeout(timer))
    socket.once('data', (first: Buffer) => {
      clearTimeout(timer)
      socket.pause()
      if (!PREFACE.startsWith(first.toString('latin1', 0, PREFACE.length))) {
        socket.end(NOT_HTTP2)
        return
      }
      socket.unshift(first)
      this.#server.emit('connection', socket)
    })
  }

  #watchSession(session: ServerHttp2Session): void {
    if (this.#isClosing) {
      session.close()
      return
    }
    this.#sessions.add(session)
    let isAlive = true
    const timer = setInterval(() => {
      if (!isAlive) {
        session.destroy()
        return
      }
      // Alive again when it answers; at once when there are so many pings under way that none can be sent.
      isAlive = !session.ping(() => {
        isAlive = true
      })
    }, this.#options.pingEveryMs ?? PING_EVERY_MS).unref()
    session.setTimeout(IDLE_MS, () => session.close())
    session.on('error', ignore)
    session.once('close', () => {
      clearInterval(timer)
      this.#sessions.delete(session)
    })
  }

  #answer(request: Http2Request): MaybePromise<Reply | NoReply> {
    const { headers } = request
    const speaks = this.#options.isShared === true ? 'Over HTTP/2 this port speaks gRPC only' : 'This port speaks gRPC'
    if (headers[':method'] !== 'POST') return plain(405, `${speaks}; calls are POST.`)
    if (!isGrpcType(headers['content-type'] ?? ''))
      return plain(415, `${speaks}; the content type of a call is application/grpc.`)
    const { headerBytes } = this.#options.limits
    if (request.headBytes > headerBytes) return endOnly(refusalHeaders(tooMuchMetadata(headerBytes)))
    const path = String(headers[':path'] ?? '')
    const operate = operatingRpc(path)
    if (operate !== undefined) return operated(operate(request, this.#about))
    return mapMaybePromise(this.#handle(request), inGrpc)
  }
}

function createHttp2Server(limits: Limits, tls: ServerTls | undefined): Http2Server | Http2SecureServer {
  const settings = {
    maxSessionMemory: 16,
    maxHeaderListPairs: limits.headerFields,
    ...RESETS,
    settings: { maxConcurrentStreams: MAX_STREAMS, maxHeaderListSize: limits.headerBytes, enablePush: false },
  }
  if (tls === undefined) return http2().createServer(settings)
  return http2().createSecureServer({
    ...settings,
    ...{ ...secureContextOf(tls), handshakeTimeout: limits.headersTimeoutMs },
    ...(tls.ca === undefined ? {} : { requestCert: true, rejectUnauthorized: false }),
  })
}

async function operated(answered: MaybePromise<Reply>): Promise<Reply> {
  try {
    return await answered
  } catch (error) {
    return endOnly(refusalHeaders(error))
  }
}

function ignore(): void {
  // A peer that breaks the rules of HTTP/2 is cut off by node:http2; that is all there is to do.
}

function isGrpcType(type: string): boolean {
  return type === 'application/grpc' || /^application\/grpc(\+proto)?\s*(;|$)/i.test(type)
}

function plain(status: number, text: string): Reply {
  return { status, headers: ['content-type', 'text/plain; charset=utf-8'], body: `${text}\n` }
}
