// One line per request a server of this process answered, on stderr. Node itself tells about them, so a server that is not
// watched pays nothing.

import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { IncomingHttpHeaders, ServerHttp2Stream } from 'node:http2'
import { grpcStatusName } from '../dialects/errors/error-table.ts'
import type { CliIo } from './cli-io.ts'
import { terminalLine } from './terminal-text.ts'

/** The code of HTTP/2 with which whoever called says that nothing more is wanted, and a lost connection, too. */
const CANCEL = 8

interface Told {
  request: IncomingMessage
  response: ServerResponse
}

interface ToldOfStream {
  stream: ServerHttp2Stream
  headers: IncomingHttpHeaders
}

/** Until the returned function is called. */
export function logRequests(io: Pick<CliIo, 'err'>): () => void {
  const started = new WeakMap<object, number>()
  const begin = (what: object) => void started.set(what, performance.now())
  const elapsed = (what: object) => `${Math.round(performance.now() - (started.get(what) ?? 0))} ms`
  const say = (what: object, line: string, end: string | number | undefined) =>
    io.err(`${line} → ${end === undefined ? `the caller left after ${elapsed(what)}` : `${end}, ${elapsed(what)}`}\n`)
  const listeners: Record<string, (message: unknown) => void> = {
    'http.server.request.start': (message) => {
      const { request, response } = message as Told
      begin(request)
      response.once('close', () => {
        if (!response.writableFinished) say(request, lineOf(request), undefined)
      })
    },
    'http.server.response.finish': (message) => {
      const { request, response } = message as Told
      say(request, lineOf(request), response.statusCode)
    },
    'http2.server.stream.start': (message) => {
      const { stream, headers } = message as ToldOfStream
      begin(stream)
      const line = callLineOf(stream, headers)
      stream.once('close', () => say(stream, line, outcomeOf(stream)))
    },
  }
  for (const [channel, listener] of Object.entries(listeners)) subscribe(channel, listener)
  return () => {
    for (const [channel, listener] of Object.entries(listeners)) unsubscribe(channel, listener)
  }
}

/** Without the query, which may hold a secret. */
function lineOf({ method = '', url = '', headers }: Pick<IncomingMessage, 'method' | 'url' | 'headers'>): string {
  const version = headers['a2a-version']
  const spoken = typeof version === 'string' ? ` (A2A ${version.slice(0, 20)})` : ''
  return terminalLine(`${method} ${(url.split('?', 1)[0] ?? '').slice(0, 200)}${spoken}`)
}

/** gRPC has no path of the agent; its port says whom the call is for. */
function callLineOf({ session }: ServerHttp2Stream, headers: IncomingHttpHeaders): string {
  const port = session?.socket.localPort ?? 0
  return lineOf({ method: 'gRPC', url: `:${port}${headers[':path'] ?? ''}`, headers })
}

/** How the call ended; undefined when the caller ended it. */
function outcomeOf(stream: ServerHttp2Stream): string | number | undefined {
  const { headersSent, sentTrailers = {}, rstCode } = stream
  const sentHeaders = headersSent ? stream.sentHeaders : {}
  const code = sentTrailers['grpc-status'] ?? sentHeaders['grpc-status']
  if (code !== undefined) return grpcStatusName(Number(code))
  const status = sentHeaders[':status']
  if (typeof status === 'number' && status !== 200) return status
  return rstCode === CANCEL ? undefined : 'cut'
}
