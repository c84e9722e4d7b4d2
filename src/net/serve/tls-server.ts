// node:https with what the limits promise about handshakes: one that fails or stalls ends with its connection, and
// stopping ends those under way. node:https by itself knows a connection only once its handshake is over.

import { constants } from 'node:crypto'
import type { Server, ServerOptions } from 'node:http'
import type { Socket } from 'node:net'
import type { SecureContextOptions, TLSSocket } from 'node:tls'
import { https } from '../node-http.ts'

/** Certificate and key of a server, and whose clients it trusts. */
export interface ServerTls {
  /** Certificate chain of the server, PEM. */
  cert: string | Buffer
  /** Private key of the server, PEM. */
  key: string | Buffer
  /**
   * Asks clients for a certificate of these authorities. One without is connected all the same, because cards are
   * public: who is calling is for authentication to say, and a certificate counts only where `socket.authorized`.
   */
  ca?: string | Buffer
}

/** What a handshake is made with: at the start, and again when certificates are replaced. */
export function secureContextOf({ cert, key, ca }: ServerTls): SecureContextOptions {
  return {
    ...{ cert, key, minVersion: 'TLSv1.2' },
    ...(ca === undefined ? {} : { ca }),
    // A second handshake could show another certificate on a connection whose first one was verified.
    secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
  }
}

export interface TlsServerOptions {
  tls: ServerTls
  handshakeTimeout: number
  /** Takes connections whose client speaks HTTP/2 only (ALPN); whoever also speaks HTTP/1.1 is answered in that. */
  onHttp2?: ((socket: TLSSocket) => void) | undefined
}

export function createTlsServer(settings: ServerOptions, { tls, handshakeTimeout, onHttp2 }: TlsServerOptions): Server {
  const { ca } = tls
  const mutual = ca === undefined ? {} : { requestCert: true, rejectUnauthorized: false }
  // The order is the server's preference.
  const protocols = onHttp2 === undefined ? {} : { ALPNProtocols: ['http/1.1', 'h2'] }
  const server = https().createServer({
    ...{ ...settings, ...secureContextOf(tls), ...mutual, ...protocols, handshakeTimeout },
  })
  if (onHttp2 !== undefined) shareWithHttp2(server, onHttp2)
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  // After the answer to a request that is no HTTP, which the peer could not read here.
  server.on('tlsClientError', (_error: Error, socket: TLSSocket) => void socket.destroy())
  // A signature that is wrong leaves an error in OpenSSL's queue of this thread, where the next write would find it and take
  // it for its own. Looking at the certificate empties the queue.
  if (ca !== undefined)
    server.on('secureConnection', (socket: TLSSocket) => {
      if (!socket.authorized) socket.getPeerX509Certificate()
    })
  const closeKnown = server.closeAllConnections.bind(server)
  server.closeAllConnections = () => {
    closeKnown()
    for (const socket of sockets) socket.destroy()
  }
  return server
}

/** node:https begins HTTP/1.1 on every connection; now only on those that asked for it. */
function shareWithHttp2(server: Server, onHttp2: (socket: TLSSocket) => void): void {
  const begin = server.listeners('secureConnection')
  server.removeAllListeners('secureConnection')
  server.on('secureConnection', (socket: TLSSocket) => {
    if (socket.alpnProtocol === 'h2') onHttp2(socket)
    else for (const listener of begin) listener.call(server, socket)
  })
}
