// The one way Parley listens for HTTP/1.1: node:http or node:https with every limit applied, malformed requests
// answered and closed, and an orderly stop. What a request means is not decided here.
// The lenient parser of node:http is never enabled.

import type { IncomingMessage, Server, ServerOptions, ServerResponse } from 'node:http'
import type { Server as HttpsServer } from 'node:https'
import { isIPv6, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { setImmediate as setImmediatePromise } from 'node:timers/promises'
import type { TLSSocket } from 'node:tls'
import { ParleyError } from '../../model/errors.ts'
import { addressBlock } from '../guard/classify-address.ts'
import { isLoopback } from '../guard/loopback.ts'
import { checkLimits, type Limits, MAX_BODY_BYTES } from '../limits.ts'
import { http } from '../node-http.ts'
import { OpenAnswers } from './open-answers.ts'
import { errorText } from './reply.ts'
import { checkRequestHead } from './request-head.ts'
import { createTlsServer, type ServerTls, secureContextOf } from './tls-server.ts'
import { UnreadBytes } from './unread-bytes.ts'

export type OnRequest = (req: IncomingMessage, res: ServerResponse) => void | Promise<void>

export interface ListenerOptions {
  limits?: Partial<Limits>
  tls?: ServerTls
  /** With `tls`: takes connections whose client speaks HTTP/2 only. */
  onHttp2?: (socket: TLSSocket) => void
  /** Told of what onRequest threw; the peer only learns that there was an internal error. */
  onError?: (error: unknown) => void
  /**
   * Addresses the cap per address does not apply to. By default the loopback ones: everybody behind a reverse
   * proxy on this machine comes from there.
   */
  isUncapped?: (address: string) => boolean
}

export interface ListeningAddress {
  /** Where a client on this machine reaches it, without a trailing slash. */
  url: string
  host: string
  port: number
}

export interface Listener {
  listen(where: { port: number; host?: string }): Promise<ListeningAddress>
  /** Serves a server made elsewhere. Its header size and checking interval were fixed when it was made. */
  attach(server: Server): void
  /** Other certificates from the next handshake on; connections that are open keep theirs. */
  setTls(tls: ServerTls): void
  /** Stops accepting, lets requests finish, and destroys what is left after graceMs. */
  close(options?: { graceMs?: number }): Promise<void>
}

export function createListener(onRequest: OnRequest, options: ListenerOptions = {}): Listener {
  return new HttpListener(onRequest, options)
}

class HttpListener implements Listener {
  readonly #onRequest: OnRequest
  readonly #options: ListenerOptions
  readonly #limits: Limits
  readonly #servers = new Set<Server>()
  readonly #perAddress = new AddressCap()
  readonly #open: OpenAnswers
  readonly #unread: UnreadBytes
  /** Everything has been written; what the peer did not take at once waits for it. */
  readonly #noteUnread: (this: ServerResponse) => void
  #isClosing = false

  constructor(onRequest: OnRequest, options: ListenerOptions) {
    this.#onRequest = onRequest
    this.#options = options
    this.#limits = checkLimits(options.limits)
    const unread = new UnreadBytes(this.#limits)
    this.#unread = unread
    this.#noteUnread = function (this: ServerResponse) {
      if (this.socket !== null && this.socket.writableLength > 0) unread.note(this.socket)
    }
    this.#open = new OpenAnswers(
      (req, res) => this.#begin(req, res),
      // The connection counts as idle only after this.
      () => {
        if (this.#isClosing) setImmediate(() => this.#dropIdle())
      },
    )
  }

  listen({ port, host = '127.0.0.1' }: { port: number; host?: string }): Promise<ListeningAddress> {
    const server = this.#create()
    return new Promise((resolve, reject) => {
      server.on('error', (error) => {
        if (server.listening) this.#options.onError?.(error)
        else reject(listenError(error, host, port))
      })
      server.listen({ port, host, backlog: ACCEPT_QUEUE }, () => {
        this.attach(server)
        const bound = server.address()
        const actual = bound !== null && typeof bound === 'object' ? bound.port : port
        const scheme = this.#options.tls === undefined ? 'http' : 'https'
        resolve({ url: `${scheme}://${reachableHost(host)}:${actual}`, host, port: actual })
      })
    })
  }

  attach(server: Server): void {
    const limits = this.#limits
    const open = this.#open
    this.#servers.add(server)
    server.headersTimeout = limits.headersTimeoutMs
    server.requestTimeout = limits.requestTimeoutMs
    server.keepAliveTimeout = limits.keepAliveMs
    server.maxRequestsPerSocket = limits.requestsPerSocket
    server.maxConnections = limits.connections
    // One more than allowed, because node:http drops the fields beyond it without a word.
    server.maxHeadersCount = limits.headerFields + 1
    server.timeout = 0 // Streams may be silent for long; their keep-alive notices dead peers.
    server.on('connection', (socket: Socket) => this.#admit(socket))
    server.on('request', (req: IncomingMessage, res: ServerResponse) => open.add(req, res))
    server.on('checkContinue', (req: IncomingMessage, res: ServerResponse) => {
      if (Number(req.headers['content-length'] ?? 0) <= limits.bodyBytes) res.writeContinue()
      open.add(req, res)
    })
    // Past the last request of a socket node:http answers 503, but leaves it to the client to close.
    server.on('dropRequest', (_req: IncomingMessage, socket: Socket) => {
      open.closeAfterLast(socket, () => void setImmediate(() => socket.destroySoon()))
    })
    server.on('clientError', (error, socket) => this.#refuse(error, socket))
  }

  setTls(tls: ServerTls): void {
    for (const server of this.#servers)
      if ('setSecureContext' in server) (server as HttpsServer).setSecureContext(secureContextOf(tls))
  }

  async close({ graceMs = 5_000 }: { graceMs?: number } = {}): Promise<void> {
    this.#isClosing = true
    const open = this.#open
    for (const res of open.current()) if (!res.headersSent) res.setHeader('Connection', 'close')
    const servers = [...this.#servers]
    const stopped = servers.map((server) => new Promise<void>((resolve) => void server.close(() => resolve())))
    const deadline = setTimeout(() => {
      for (const server of servers) server.closeAllConnections()
    }, graceMs)
    await Promise.all(stopped)
    clearTimeout(deadline)
    // The server counts a connection as gone a turn before its responses emit 'close'; wait for those.
    for (let turn = 0; open.size > 0 && turn < 10; turn++) await setImmediatePromise()
    this.#unread.stop()
  }

  #create(): Server {
    const limits = this.#limits
    const settings: ServerOptions = {
      maxHeaderSize: limits.headerBytes,
      connectionsCheckingInterval: limits.connectionsCheckingIntervalMs,
      noDelay: true,
      keepAlive: true,
      keepAliveInitialDelay: TCP_KEEP_ALIVE_MS,
    }
    const { tls, onHttp2 } = this.#options
    if (tls === undefined) return http.createServer(settings)
    return createTlsServer(settings, { tls, handshakeTimeout: limits.headersTimeoutMs, onHttp2 })
  }

  #admit(socket: Socket): void {
    this.#unread.watch(socket)
    const { remoteAddress } = socket
    const isUncapped = this.#options.isUncapped ?? isLoopback
    if (remoteAddress === undefined || isUncapped(remoteAddress)) return
    if (!this.#perAddress.admit(socket, addressBlock(remoteAddress), this.#limits.connectionsPerAddress))
      socket.destroy()
  }

  #begin(req: IncomingMessage, res: ServerResponse): void {
    res.on('prefinish', this.#noteUnread)
    res.on('error', ignore) // A peer that left is no error; without a listener it would end the process.
    if (this.#isClosing) res.setHeader('Connection', 'close')

    const refusal = checkRequestHead(req, this.#limits)
    if (refusal !== undefined) {
      res.setHeader('Connection', 'close')
      answerError(res, refusal.status, refusal.message)
      return
    }
    // Up to here node:http drains an unread body, so that the peer sees its answer; a larger body is cut off.
    if (Number(req.headers['content-length'] ?? 0) > MAX_BODY_BYTES) res.setHeader('Connection', 'close')
    try {
      const outcome = this.#onRequest(req, res)
      if (outcome !== undefined) outcome.catch((error: unknown) => this.#failed(error, res))
    } catch (error) {
      this.#failed(error, res)
    }
  }

  #failed(error: unknown, res: ServerResponse): void {
    if (res.headersSent) res.destroy()
    else answerError(res, 500, 'Something went wrong in this server; the request was not completed.')
    this.#options.onError?.(error)
  }

  #refuse(error: Error & { code?: string; rawPacket?: Buffer }, socket: Duplex): void {
    if (error.code === 'ECONNRESET' || !socket.writable || this.#open.isSpeaking(socket)) {
      socket.destroy()
      return
    }
    const [status, message] = REFUSALS.get(error.code ?? '') ?? [400, 'The request is not valid HTTP/1.1.']
    const body = errorText(status, message)
    socket.end(
      `HTTP/1.1 ${status} ${http.STATUS_CODES[status]}\r\nConnection: close\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n` +
        // A HEAD is never answered with a body, however wrong the rest of it is.
        (error.rawPacket?.toString('latin1', 0, 5) === 'HEAD ' ? '' : body),
      () => socket.destroy(),
    )
  }

  #dropIdle(): void {
    for (const server of this.#servers) server.closeIdleConnections()
  }
}

/** How many connections are open from where. */
class AddressCap {
  readonly #open = new Map<string, number>()

  /** False for one too many; the others count until they close. */
  admit(socket: Socket, address: string, most: number): boolean {
    const count = (this.#open.get(address) ?? 0) + 1
    if (count > most) return false
    this.#open.set(address, count)
    socket.once('close', () => {
      const left = (this.#open.get(address) ?? 1) - 1
      if (left === 0) this.#open.delete(address)
      else this.#open.set(address, left)
    })
    return true
  }
}

/** A burst of connections beyond it is told nothing and tries again after a second; Node's own choice is 511. */
const ACCEPT_QUEUE = 4_096

/** The operating system's own probe for peers that vanished without a word. */
const TCP_KEEP_ALIVE_MS = 30_000

const REFUSALS = new Map<string, readonly [number, string]>([
  ['HPE_HEADER_OVERFLOW', [431, 'The request line and header fields are too large.']],
  ['HPE_CHUNK_EXTENSIONS_OVERFLOW', [413, 'The chunk extensions are too large.']],
  ['ERR_HTTP_REQUEST_TIMEOUT', [408, 'The request did not arrive in time.']],
])

function answerError(res: ServerResponse, status: number, message: string): void {
  const body = errorText(status, message)
  res.writeHead(status, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) })
  res.end(body)
}

function listenError(error: Error & { code?: string }, host: string, port: number): ParleyError {
  const place = `${isIPv6(host) ? `[${host}]` : host}:${port}`
  if (error.code === 'EADDRINUSE') {
    const message = `Port ${port} is already in use (${place}); choose another port, or port 0 for any free one.`
    return new ParleyError('port-in-use', message, { cause: error })
  }
  if (error.code === 'EACCES') {
    const message = `This account may not listen on ${place}; choose a port above 1023.`
    return new ParleyError('port-forbidden', message, { cause: error })
  }
  const message = `Cannot listen on ${place} (${error.code ?? error.message}); check that this machine has that address.`
  return new ParleyError('cannot-listen', message, { cause: error })
}

function reachableHost(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1'
  if (host === '::') return '[::1]'
  return isIPv6(host) ? `[${host}]` : host
}

function ignore(): void {}
