// From an operation and its parameters to the HTTP request that carries it over a surface. The parameters stay open
// to editing until the last moment, because half of the checks send what no correct client would.

import { randomUUID } from 'node:crypto'
import { isJsonObject, type JsonObject, type JsonValue } from '../../model/json.ts'
import { isRead, isStreaming, type Operation } from '../../model/operation.ts'
import type { Message } from '../../model/task.ts'
import type { Surface } from './surface.ts'

export interface OutgoingRequest {
  method: string
  url: string
  headers: [string, string][]
  body: Uint8Array | undefined
  op?: Operation
  /** What it is called in progress and findings. */
  label?: string
  /** Without a message although it is a send: makes nobody work. */
  isEmpty?: boolean
  /** As a correct client would send it. */
  isPlain?: boolean
  /** Asking twice changes nothing; without it, only GET, HEAD and OPTIONS are taken for reads. */
  isRead?: boolean
  /** Sent by somebody who has no certificate. */
  withoutCertificate?: boolean
}

/** JSON-RPC: the envelope around the parameters. */
export function jsonRpcEnvelope(surface: Surface, op: Operation, params: JsonValue, id: JsonValue): JsonObject {
  return { jsonrpc: '2.0', id, method: surface.dialect.methods[op] ?? op, params }
}

export function jsonRpcRequest(
  surface: Surface,
  op: Operation | undefined,
  body: string | Uint8Array,
): OutgoingRequest {
  const accept = op !== undefined && isStreaming(op) ? 'text/event-stream' : 'application/json'
  return {
    method: 'POST',
    url: surface.url,
    headers: [
      ['Content-Type', 'application/json'],
      ['Accept', accept],
    ],
    body: typeof body === 'string' ? new TextEncoder().encode(body) : body,
    ...(op === undefined ? {} : { op, label: surface.dialect.methods[op] ?? op, isRead: isRead(op) }),
  }
}

/** REST: path parameters first, then the query of GET and DELETE or the body of POST (1.0 §11.3, §11.5). */
export function restRequest(surface: Surface, op: Operation, params: JsonValue): OutgoingRequest {
  const route = surface.dialect.routes.find((candidate) => candidate.op === op)
  const rest: JsonObject = isJsonObject(params) ? { ...params } : {}
  const template = route?.path ?? `/${op}`
  const path = template.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = rest[name]
    delete rest[name]
    return encodeURIComponent(typeof value === 'string' ? value : '')
  })
  const method = route?.method ?? 'POST'
  const url = joinUrl(surface.url, path)
  const headers: [string, string][] = [
    ['Accept', isStreaming(op) ? 'text/event-stream' : 'application/json, application/a2a+json'],
  ]
  const known = { op, label: `${method} ${template}`, isRead: isRead(op) }
  if (method !== 'POST') return { method, url: withQuery(url, rest), headers, body: undefined, ...known }
  headers.push(['Content-Type', surface.dialect.mediaType()])
  const body = new TextEncoder().encode(JSON.stringify(isJsonObject(params) ? rest : params))
  return { method, url, headers, body, ...known }
}

export function joinUrl(root: string, path: string): string {
  const { origin, pathname, search } = new URL(root)
  return `${origin}${pathname.replace(/\/$/, '')}${path.startsWith('/') ? path : `/${path}`}${search}`
}

function withQuery(url: string, members: JsonObject): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(members)) {
    if (value === undefined || value === null) continue
    query.append(name, typeof value === 'string' ? value : JSON.stringify(value))
  }
  const text = query.toString()
  if (text === '') return url
  return url.includes('?') ? `${url}&${text}` : `${url}?${text}`
}

/** Clients of the `tasks/send` generation name their tasks; the other dialects drop the member. */
export function named<R>(request: R): R {
  if (typeof request !== 'object' || request === null || !('message' in request) || 'clientTaskId' in request)
    return request
  const message = request.message as Message
  return { ...request, clientTaskId: message.taskId ?? randomUUID() }
}
