// Where gRPC is listened for: node:http2 with every limit applied, calls handed to the service they name, and an orderly
// stop (GOAWAY, then patience, then the end). Whoever speaks something else is told so.

import type {
  Http2SecureServer,
  Http2Server,
  IncomingHttpHeaders,
  ServerHttp2Session,
  ServerHttp2Stream,
} from 'node:http2'
import { createServer as createSocketServer, type Server, type Socket } from 'node:net'
import type { Limits } from '../../net/limits.ts'
import { http2 } from '../../net/node-http.ts'
import type { ServerTls } from '../../net/serve/tls-server.ts'
import { GrpcRefusal, IncomingCall } from './incoming.ts'
import { type Operated, operatingRpc } from './operating.ts'
import { endWith, type GrpcMount, serveCall, servedRpcs } from './serve-call.ts'
import { GRPC } from './status.ts'

export interface GrpcListener {
  listen(where: { port: number; host: string }): Promise<{ port: number }>
  close(options: { graceMs: number }): Promise<void>
}

export interface GrpcListenerOptions {
  limits: Limits
  tls?: ServerTls | undefined
}

const PREFACE = 'PRI * HTTP/2'
const NOT_HTTP2 =
  'HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n' +
  'This port speaks gRPC, which is HTTP/2 without TLS here; the agent card names the others.\n'
/** Calls at the same time on one connection; more are told REFUSED_STREAM. */
const MAX_STREAMS = 256
const PING_EVERY_MS = 30_000
const PING_TIMEOUT_MS = 20_000
/** A connection without a call for so long is closed, so that health probes do not pile up. */
const IDLE_MS = 300_000
/** Resets of calls that a client may make at once, and per second after that; more is ENHANCE_YOUR_CALM. */
const RESETS = { streamResetBurst: 1_000, streamResetRate: 100 }

export function createGrpcListener(mount: GrpcMount, { limits, tls }: GrpcListenerOptions): GrpcListener {
  const sessions = new Set<ServerHttp2Session>()
  const sockets = new Set<Socket>()
  const rpcs = servedRpcs(mount.dialects)
  const about: Operated = {
    services: mount.dialects.flatMap(({ grpc }) => grpc?.service ?? []),
    isServing: () => !isClosing && mount.isServing(),
  }
  let isClosing = false

  const settings = {
    maxSessionMemory: 16,
    maxHeaderListPairs: limits.headerFields,
    ...RESETS,
    settings: { maxConcurrentStreams: MAX_STREAMS, maxHeaderListSize: limits.headerBytes, enablePush: false },
  }
  const server: Http2Server | Http2SecureServer =
    tls === undefined
      ? http2().createServer(settings)
      : http2().createSecureServer({
          ...settings,
          ...{ cert: tls.cert, key: tls.key, minVersion: 'TLSv1.2', handshakeTimeout: limits.headersTimeoutMs },
          ...(tls.ca === undefined ? {} : { ca: tls.ca, requestCert: true, rejectUnauthorized: false }),
        })
  server.on('session', watchSession)
  server.on('stream', (stream, headers) => serve(stream, headers))
  server.on('sessionError', ignore)
  server.on('tlsClientError', (_error: Error, socket: Socket) => socket.destroy())
  const front: Server =
    tls === undefined ? createSocketServer((socket) => admit(socket)) : (server as Http2SecureServer)
  if (tls !== undefined) front.on('connection', remember)
  front.maxConnections = limits.connections

  function remember(socket: Socket): void {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
    socket.on('error', ignore)
  }

  /** HTTP/2 begins with words that HTTP/1.1 does not have. */
  function admit(socket: Socket): void {
    remember(socket)
    const timer = setTimeout(() => socket.destroy(), limits.headersTimeoutMs)
    socket.once('close', () => clearTimeout(timer))
    socket.once('data', (first: Buffer) => {
      clearTimeout(timer)
      socket.pause()
      if (!PREFACE.startsWith(first.toString('latin1', 0, PREFACE.length))) {
        socket.end(NOT_HTTP2)
        return
      }
      socket.unshift(first)
      server.emit('connection', socket)
    })
  }

  function watchSession(session: ServerHttp2Session): void {
    if (isClosing) {
      session.close()
      return
    }
    sessions.add(session)
    let isAlive = true
    const timer = setInterval(() => {
      if (!isAlive) session.destroy()
      else isAlive = !session.ping(() => (isAlive = true)) || isAlive
    }, PING_EVERY_MS + PING_TIMEOUT_MS).unref()
    session.setTimeout(IDLE_MS, () => session.close())
    session.on('error', ignore)
    session.once('close', () => {
      clearInterval(timer)
      sessions.delete(session)
    })
  }

  function serve(stream: ServerHttp2Stream, headers: IncomingHttpHeaders): void {
    const call = new IncomingCall(stream, headers)
    const [type = ''] = (headers['content-type'] ?? '').split(';')
    if (headers[':method'] !== 'POST') {
      call.refuseHttp(405, 'This port speaks gRPC; calls are POST.')
      return
    }
    if (!/^application\/grpc(\+proto)?$/i.test(type.trim())) {
      call.refuseHttp(415, 'This port speaks gRPC; the content type of a call is application/grpc.')
      return
    }
    mount.onRequest()
    const served = rpcs.get(call.path)
    if (served !== undefined) {
      void serveCall(call, served, mount)
      return
    }
    const [dialect = mount.binding.fallback] = mount.dialects
    const operate = operatingRpc(call.path)
    const outcome =
      operate === undefined
        ? Promise.reject(new GrpcRefusal(GRPC.unimplemented, unknown(call.path)))
        : operate(call, about)
    outcome.catch((error: unknown) => endWith(call, error, dialect, mount.binding))
  }

  function unknown(path: string): string {
    const [, service = ''] = path.split('/')
    const isKnown = about.services.includes(service)
    const known = isKnown ? `${service} has no such method` : `there is no service ${service.slice(0, 100)} here`
    return `${path.slice(0, 200)} is unknown: ${known}; it serves ${about.services.join(' and ')}.`
  }

  return {
    listen: ({ port, host }) =>
      new Promise((resolve, reject) => {
        front.once('error', reject)
        front.listen({ port, host }, () => {
          front.off('error', reject)
          const address = front.address()
          resolve({ port: typeof address === 'object' && address !== null ? address.port : port })
        })
      }),
    close: ({ graceMs }) =>
      new Promise((resolve) => {
        isClosing = true
        const finish = () => {
          clearTimeout(timer)
          resolve()
        }
        const timer = setTimeout(() => {
          for (const session of sessions) session.destroy()
          for (const socket of sockets) socket.destroy()
        }, graceMs)
        front.close(finish)
        // GOAWAY: what is under way may end, nothing new begins.
        for (const session of sessions) session.close()
        if (graceMs === 0) for (const socket of sockets) socket.destroy()
      }),
  }
}

function ignore(): void {
  // A peer that breaks the rules of HTTP/2 is cut off by node:http2; that is all there is to do.
}
