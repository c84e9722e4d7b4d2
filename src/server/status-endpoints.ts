// What an operator's machinery asks: is it alive (/healthz, /health), can it work (/readyz), how busy is it (/metrics).
// Nothing here tells anything about callers or tasks.

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Gauges, Metrics } from './metrics.ts'
import type { Readiness } from './readiness.ts'

export interface StatusParts {
  readiness: Readiness
  metrics: Metrics
  isStopping(): boolean
  gauges(): Omit<Gauges, 'isStoreUp'>
}

export function isStatusPath(path: string): boolean {
  return path === '/healthz' || path === '/health' || path === '/readyz' || path === '/metrics'
}

export async function serveStatus(
  path: string,
  req: IncomingMessage,
  res: ServerResponse,
  parts: StatusParts,
): Promise<void> {
  if (req.method !== 'GET' && req.method !== 'HEAD') res.writeHead(405, { Allow: 'GET, HEAD' }).end()
  else if (path === '/readyz') await ready(res, parts)
  else if (path === '/metrics') {
    const text = parts.metrics.render({ ...parts.gauges(), isStoreUp: (await parts.readiness.trouble()) === undefined })
    res.writeHead(200, { 'Content-Type': 'text/plain; version=0.0.4' }).end(text)
  } else answer(res, 200, { status: 'ok' })
}

async function ready(res: ServerResponse, { readiness, isStopping }: StatusParts): Promise<void> {
  if (isStopping()) return answer(res, 503, { status: 'stopping' })
  const reason = await readiness.trouble()
  if (reason === undefined) answer(res, 200, { status: 'ready' })
  else answer(res, 503, { status: 'not ready', reason })
}

function answer(res: ServerResponse, status: number, body: { [name: string]: string }): void {
  res.writeHead(status, { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' }).end(JSON.stringify(body))
}
