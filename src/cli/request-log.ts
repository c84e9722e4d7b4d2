// One line per request a server of this process answered, on stderr. Node itself tells about them, so a server that is not
// watched pays nothing.

import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { CliIo } from './cli-io.ts'
import { terminalLine } from './terminal-text.ts'

const STARTED = 'http.server.request.start'
const FINISHED = 'http.server.response.finish'

interface Told {
  request: IncomingMessage
  response: ServerResponse
}

/** Until the returned function is called. */
export function logRequests(io: Pick<CliIo, 'err'>): () => void {
  const started = new WeakMap<IncomingMessage, number>()
  const onStart = (message: unknown) => {
    const { request, response } = message as Told
    started.set(request, performance.now())
    response.once('close', () => {
      if (!response.writableFinished) io.err(`${lineOf(request)} → the caller left after ${elapsed(request)}\n`)
    })
  }
  const onFinish = (message: unknown) => {
    const { request, response } = message as Told
    io.err(`${lineOf(request)} → ${response.statusCode}, ${elapsed(request)}\n`)
  }
  const elapsed = (request: IncomingMessage) => `${Math.round(performance.now() - (started.get(request) ?? 0))} ms`
  subscribe(STARTED, onStart)
  subscribe(FINISHED, onFinish)
  return () => {
    unsubscribe(STARTED, onStart)
    unsubscribe(FINISHED, onFinish)
  }
}

/** Without the query, which may hold a secret. */
function lineOf({ method = '', url = '', headers }: IncomingMessage): string {
  const version = headers['a2a-version']
  const spoken = typeof version === 'string' ? ` (A2A ${version.slice(0, 20)})` : ''
  return terminalLine(`${method} ${(url.split('?', 1)[0] ?? '').slice(0, 200)}${spoken}`)
}
