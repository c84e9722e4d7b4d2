// A loopback port for an Express app (a free one unless asked for), and a close that does not wait for idle or
// streaming sockets.

import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface ListeningPeer {
  url: string
  port: number
  /** Takes no new connections; what is under way goes on. */
  stopListening(): void
  close(): Promise<void>
}

/** Listens first, because cards have to name the port the server ended up on. */
export async function listen(build: (url: string) => RequestListener, wanted = 0): Promise<ListeningPeer> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(wanted, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const url = `http://127.0.0.1:${port}`
  server.on('request', build(url))
  return {
    url,
    port,
    stopListening: () => void server.close(),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
