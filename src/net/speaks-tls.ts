// Does the port speak TLS? A plain request to such a port ends in many ways, none of which says so.

import { connect } from 'node:tls'

/** Whatever the certificate: only whether a handshake comes about. Never rejects. */
export function speaksTls(url: URL, timeoutMs: number): Promise<boolean> {
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1')
  return new Promise((resolve) => {
    const socket = connect({ host, port: Number(url.port || 80), rejectUnauthorized: false })
    const end = (answer: boolean) => () => {
      clearTimeout(timer)
      socket.destroy()
      resolve(answer)
    }
    const timer = setTimeout(end(false), timeoutMs)
    socket.once('secureConnect', end(true))
    // A server that wants a certificate of ours says so in TLS.
    socket.once('error', (error: NodeJS.ErrnoException) => end(/_ALERT_/.test(error.code ?? ''))())
    socket.once('close', end(false))
  })
}
