// The proxy foreign frameworks are told to use: it lets nothing out and remembers who wanted to. Agents reach this
// machine directly.

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface ClosedDoor {
  /** Variables that send every usual HTTP library to the door. */
  env: NodeJS.ProcessEnv
  /** Hosts that were asked for since the last call. */
  takeAttempts(): string[]
  close(): void
}

export async function openClosedDoor(): Promise<ClosedDoor> {
  let attempts: string[] = []
  const server = createServer((req, res) => {
    attempts.push(hostOf(req.url ?? ''))
    res.writeHead(403, { Connection: 'close' }).end()
  })
  server.on('connect', (req, socket) => {
    attempts.push(req.url ?? '')
    socket.on('error', () => {})
    socket.end('HTTP/1.1 403 Forbidden\r\n\r\n')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    env: proxyVariables(port),
    takeAttempts() {
      const taken = [...new Set(attempts)]
      attempts = []
      return taken
    },
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}

function proxyVariables(port: number): NodeJS.ProcessEnv {
  const door = `http://127.0.0.1:${port}`
  const here = '127.0.0.1,127.0.0.2,localhost,::1'
  const java = ['http', 'https'].flatMap((scheme) => [
    `-D${scheme}.proxyHost=127.0.0.1`,
    `-D${scheme}.proxyPort=${port}`,
  ])
  return {
    HTTP_PROXY: door,
    HTTPS_PROXY: door,
    ALL_PROXY: door,
    NO_PROXY: here,
    http_proxy: door,
    https_proxy: door,
    all_proxy: door,
    no_proxy: here,
    NODE_USE_ENV_PROXY: '1',
    JAVA_TOOL_OPTIONS: [...java, '-Dhttp.nonProxyHosts=127.*|localhost'].join(' '),
  }
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url
}
