// A request of node:http as a value. Nothing is worked out before it is asked for.

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import type { MaybePromise } from '../../base/maybe-promise.ts'
import type { BodyLimits } from './incoming-body.ts'
import { leavingSignal } from './leaving-signal.ts'
import { readNodeBody } from './node-body.ts'
import type { Peer, PeerCertificate, RequestBody, RequestHeaders, ServerRequest } from './request.ts'

export class NodeRequest implements ServerRequest, RequestBody {
  readonly path: string
  readonly query: string
  readonly #req: IncomingMessage
  readonly #res: ServerResponse
  #signal: AbortSignal | undefined
  #isRead = false

  constructor(req: IncomingMessage, res: ServerResponse) {
    this.#req = req
    this.#res = res
    const url = req.url ?? '/'
    const mark = url.indexOf('?')
    this.path = mark < 0 ? url : url.slice(0, mark)
    this.query = mark < 0 ? '' : url.slice(mark + 1)
  }

  get method(): string {
    return this.#req.method ?? ''
  }

  get url(): string {
    return this.#req.url ?? '/'
  }

  get headers(): RequestHeaders {
    return this.#req.headers
  }

  get rawHeaders(): readonly string[] {
    return this.#req.rawHeaders
  }

  get peer(): Peer {
    return new SocketPeer(this.#req.socket)
  }

  /** For checks of credentials written before there was `peer`. */
  get socket(): Socket {
    return this.#req.socket
  }

  /** Of the very connection: true even behind a foreign server, and not a client's word like Host. */
  get origin(): string {
    return originAt(this.#req.socket)
  }

  get signal(): AbortSignal {
    this.#signal ??= leavingSignal(this)
    return this.#signal
  }

  onClose(listener: (isAnswered: boolean) => void): void {
    const res = this.#res
    if (res.closed) listener(res.writableFinished)
    else res.once('close', () => listener(res.writableFinished))
  }

  /** The body is the request itself: one object less for each. */
  get body(): RequestBody {
    return this
  }

  get isEmpty(): boolean {
    const { headers } = this.#req
    return headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) === 0
  }

  read(limits: BodyLimits): MaybePromise<Buffer> {
    if (this.#isRead) throw new Error('The body of this request has been read already.')
    this.#isRead = true
    return readNodeBody(this.#req, limits)
  }
}

/** Scheme, host and port at this end of a socket. */
export function originAt(socket: Socket): string {
  const { localAddress = '127.0.0.1', localPort = 80 } = socket
  const address = localAddress.startsWith('::ffff:') ? localAddress.slice(7) : localAddress
  const host = address.includes(':') ? `[${address}]` : address
  return `${'encrypted' in socket ? 'https' : 'http'}://${host}:${localPort}`
}

/** Who is at the other end of a socket. */
export class SocketPeer implements Peer {
  readonly #socket: Socket & Partial<Pick<TLSSocket, 'authorized' | 'authorizationError' | 'getPeerX509Certificate'>>

  constructor(socket: Socket) {
    this.#socket = socket
  }

  get address(): string | undefined {
    return this.#socket.remoteAddress
  }

  get certificate(): PeerCertificate | undefined {
    const shown = this.#socket.getPeerX509Certificate?.()
    if (shown === undefined) return undefined
    const { subject, subjectAltName, validToDate: validTo } = shown
    const { authorized, authorizationError } = this.#socket
    return { subject, subjectAltName, validTo, isVerified: authorized === true && !authorizationError }
  }
}
