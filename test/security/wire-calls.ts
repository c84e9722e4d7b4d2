// Raw HTTP requests for every way an operation can be asked for, made from the method and route tables of the dialects:
// a route somebody adds is tested without anybody thinking of it.

import { Agent, request as httpRequest } from 'node:http'
import type { BindingId, Dialect, Route } from '../../src/dialects/dialect.ts'
import { isJsonObject, type JsonObject } from '../../src/model/json.ts'
import type { Operation, OperationRequest } from '../../src/model/operation.ts'
import { grpcPath, requestOf } from './grpc-call.ts'

export interface WireCall {
  /** 'GET /tasks/{id}:subscribe', 'SubscribeToTask'. */
  name: string
  method: string
  /** Below the mount. */
  path: string
  headers: Readonly<Record<string, string>>
  body: string
}

export interface RawAnswer {
  status: number
  /** As sent, in order, without Date. */
  headers: string[]
  body: string
}

/** One call per method name or route; tenant routes only for a request that names a tenant. */
export function wireCalls<O extends Operation>(
  dialect: Dialect,
  binding: BindingId,
  op: O,
  value: OperationRequest<O>,
): WireCall[] {
  const wire = dialect.has(op) ? dialect.codecs[binding]?.encodeRequest(op, value).wire : undefined
  if (!isJsonObject(wire)) return []
  if (binding === 'jsonrpc') {
    const method = dialect.methods[op]
    return method === undefined ? [] : [rpcCall(dialect, method, wire)]
  }
  if (binding === 'grpc') {
    const path = grpcPath(dialect, op)
    if (path === undefined) return []
    const version = dialect.versionHeader
    const headers: Record<string, string> = version === undefined ? {} : { 'a2a-version': version }
    return [{ name: path, method: 'POST', path, headers, body: requestOf(path, wire).toString('base64') }]
  }
  return dialect.routes
    .filter((route) => route.op === op && route.path.includes('{tenant}') === Boolean(wire.tenant))
    .map((route) => restCall(dialect, route, wire))
}

export function rpcCall(dialect: Dialect, method: string, params: JsonObject): WireCall {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  return { name: method, method: 'POST', path: '', headers: headersOf(dialect, 'application/json'), body }
}

export function restCall(dialect: Dialect, route: Route, wire: JsonObject): WireCall {
  const rest: JsonObject = { ...wire }
  const path = route.path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = rest[name]
    delete rest[name]
    return encodeURIComponent(typeof value === 'string' && value !== '' ? value : 'unknown')
  })
  const name = `${route.method} ${route.path}`
  if (route.method === 'POST')
    return { name, method: 'POST', path, headers: headersOf(dialect, 'application/json'), body: JSON.stringify(rest) }
  const query = new URLSearchParams()
  for (const [key, value] of Object.entries(rest)) if (typeof value !== 'object') query.set(key, String(value))
  return {
    name,
    method: route.method,
    path: query.size === 0 ? path : `${path}?${query.toString()}`,
    headers: headersOf(dialect),
    body: '',
  }
}

function headersOf({ versionHeader, id }: Dialect, contentType?: string): Record<string, string> {
  const headers: Record<string, string> = { 'A2A-Version': versionHeader ?? id }
  if (contentType !== undefined) headers['Content-Type'] = contentType
  return headers
}

const agent = new Agent({ keepAlive: true, maxSockets: 8 })

/** `untilText`: stop reading a stream as soon as it has said something. */
export function callRaw(
  base: string,
  call: WireCall,
  options: { headers?: Readonly<Record<string, string>>; untilText?: boolean; rawPath?: string } = {},
): Promise<RawAnswer> {
  const { hostname, port, pathname } = new URL(base)
  const path = options.rawPath ?? ((pathname === '/' ? '' : pathname) + call.path || '/')
  const headers = { ...call.headers, ...options.headers, 'Content-Length': String(Buffer.byteLength(call.body)) }
  return new Promise((resolve, reject) => {
    const req = httpRequest({ agent, hostname, port, path, method: call.method, headers }, (res) => {
      const answer: RawAnswer = { status: res.statusCode ?? 0, headers: headersIn(res.rawHeaders), body: '' }
      res.setEncoding('utf8')
      res.on('data', (text: string) => {
        answer.body += text
        if (!options.untilText) return
        resolve(answer)
        req.destroy()
      })
      res.once('end', () => resolve(answer))
      res.once('error', reject)
    })
    req.once('error', reject)
    req.end(call.body)
  })
}

function headersIn(raw: readonly string[]): string[] {
  const pairs: string[] = []
  for (let n = 0; n < raw.length; n += 2) if (raw[n] !== 'Date') pairs.push(`${raw[n]}: ${raw[n + 1]}`)
  return pairs
}
