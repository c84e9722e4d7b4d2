// What an operator's machinery asks: is it alive (/healthz, /health), can it work (/readyz), how busy is it (/metrics).
// Nothing here tells anything about callers or tasks.

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Gauges, Metrics } from './metrics.ts'
import type { TaskStore } from './store/task-store.ts'

const STORE_DEADLINE_MS = 2_000
const NOBODY = { agent: '', tenant: '', subject: '' }

export interface StatusParts {
  store: TaskStore
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
    const text = parts.metrics.render({ ...parts.gauges(), isStoreUp: await isUp(parts.store) })
    res.writeHead(200, { 'Content-Type': 'text/plain; version=0.0.4' }).end(text)
  } else answer(res, 200, { status: 'ok' })
}

async function ready(res: ServerResponse, { store, isStopping }: StatusParts): Promise<void> {
  if (isStopping()) answer(res, 503, { status: 'stopping' })
  else if (await isUp(store)) answer(res, 200, { status: 'ready' })
  else answer(res, 503, { status: 'not ready', reason: 'the task store does not answer' })
}

async function isUp(store: TaskStore): Promise<boolean> {
  const { promise: deadline, resolve } = Promise.withResolvers<boolean>()
  const timer = setTimeout(() => resolve(false), STORE_DEADLINE_MS)
  try {
    return await Promise.race([answers(store), deadline])
  } catch {
    return false
  } finally {
    clearTimeout(timer)
  }
}

async function answers(store: TaskStore): Promise<true> {
  await store.get(NOBODY, 'readiness')
  return true
}

function answer(res: ServerResponse, status: number, body: { [name: string]: string }): void {
  res.writeHead(status, { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' }).end(JSON.stringify(body))
}
