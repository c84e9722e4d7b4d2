// What an operator's machinery asks: is it alive (/healthz, /health), can it work (/readyz), how busy is it (/metrics).
// Nothing here tells anything about callers or tasks.

import { jsonReply, type Reply, wrongMethod } from '../net/serve/reply.ts'
import type { Gauges, Metrics } from './metrics.ts'
import type { Readiness } from './readiness.ts'

export interface StatusDeps {
  readiness: Readiness
  metrics: Metrics
  isStopping(): boolean
  gauges(): Omit<Gauges, 'isStoreUp'>
}

export function isStatusPath(path: string): boolean {
  return path === '/healthz' || path === '/health' || path === '/readyz' || path === '/metrics'
}

export async function answerStatus(path: string, method: string, deps: StatusDeps): Promise<Reply> {
  if (method !== 'GET' && method !== 'HEAD') return wrongMethod('GET, HEAD')
  if (path === '/readyz') return ready(deps)
  if (path !== '/metrics') return status(200, { status: 'ok' })
  const isStoreUp = (await deps.readiness.trouble()) === undefined
  const text = deps.metrics.render({ ...deps.gauges(), isStoreUp })
  return { status: 200, headers: ['Content-Type', 'text/plain; version=0.0.4'], body: text }
}

async function ready({ readiness, isStopping }: StatusDeps): Promise<Reply> {
  if (isStopping()) return status(503, { status: 'stopping' })
  const reason = await readiness.trouble()
  return reason === undefined ? status(200, { status: 'ready' }) : status(503, { status: 'not ready', reason })
}

function status(code: number, body: { [name: string]: string }): Reply {
  return jsonReply(code, body, ['Cache-Control', 'no-store'])
}
