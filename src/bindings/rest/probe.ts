// HTTP+JSON (1.0 §11) as the judge speaks it: parameters spread over path, query and body, whatever they are.

import { isJsonObject, type JsonObject, type JsonValue } from '../../model/json.ts'
import { isRead, isStreaming, type Operation } from '../../model/operation.ts'
import { httpStatusOf, httpStatusText, httpTextOf } from '../http-probe.ts'
import {
  type FoundError,
  type Inside,
  matchRevision,
  type ProbeEndpoint,
  type ProbeErrors,
  type ProbeHalf,
  type ProbeRequest,
} from '../probe.ts'

/** Path parameters first, then the query of GET and DELETE or the body of POST (1.0 §11.3, §11.5). */
function encode({ url: root, dialect }: ProbeEndpoint, op: Operation, params: JsonValue): ProbeRequest {
  const route = dialect.routes.find((candidate) => candidate.op === op)
  const rest: JsonObject = isJsonObject(params) ? { ...params } : {}
  const template = route?.path ?? `/${op}`
  const path = template.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = rest[name]
    delete rest[name]
    return encodeURIComponent(typeof value === 'string' ? value : '')
  })
  const method = route?.method ?? 'POST'
  const url = joinUrl(root, path)
  const headers: [string, string][] = [
    ['Accept', isStreaming(op) ? 'text/event-stream' : 'application/json, application/a2a+json'],
  ]
  const known = { op, label: `${method} ${template}`, isRead: isRead(op) }
  if (method !== 'POST') return { method, url: withQuery(url, rest), headers, body: undefined, ...known }
  headers.push(['Content-Type', dialect.mediaType()])
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

/** The same subscription with the other verb. */
export function asSubscribeGet<R extends ProbeRequest>(request: R): R {
  const headers = request.headers.filter(([name]) => name.toLowerCase() !== 'content-type')
  return { ...request, method: 'GET', headers, body: undefined }
}

function pathBelow(root: string, url: string): string {
  const base = new URL(root).pathname.replace(/\/$/, '')
  const { pathname, search } = new URL(url)
  return `${pathname.startsWith(base) ? pathname.slice(base.length) : pathname}${search}`
}

function read(body: JsonValue | undefined, status: number): Inside {
  const isError = status >= 400 || status === 0
  const wrapped = isJsonObject(body) && isJsonObject(body.error) ? body.error : undefined
  return {
    envelope: undefined,
    // 204 is how some servers say that a deletion succeeded.
    result: isError ? undefined : (body ?? (status === 204 ? null : undefined)),
    resultPointer: '',
    error: isError ? { json: wrapped ?? body, pointer: wrapped === undefined ? '' : '/error' } : undefined,
  }
}

/** An error in its member, or without it as servers of 0.3 send it: `{"code":…,"message":"…"}`, or a name. */
function errorInFrame(payload: JsonValue): FoundError | undefined {
  if (!isJsonObject(payload)) return undefined
  if (isJsonObject(payload.error)) return { json: payload.error, pointer: '/error' }
  if (EVENT_MEMBERS.some((name) => isJsonObject(payload[name]))) return undefined
  const isNamed = typeof payload.error === 'string' || typeof payload.code === 'number'
  return isNamed && typeof payload.message === 'string' ? { json: payload, pointer: '' } : undefined
}

const EVENT_MEMBERS = ['task', 'message', 'msg', 'statusUpdate', 'artifactUpdate']

const errors: ProbeErrors = {
  match(error, { http, code }, revision) {
    if (http !== undefined) return matchRevision(error.httpStatus, http, revision)
    // REST of 0.3: a bare JSON-RPC style code decides when there is one, else any client error will do.
    if (error.code !== undefined && error.code < 0) {
      return error.code === code ? { fits: true, by: 'code' } : { fits: false }
    }
    return error.httpStatus >= 400 ? { fits: true, by: 'status' } : { fits: false }
  },
  matchNumber: (error, { http }, revision) =>
    http === undefined ? { fits: true, by: 'status' } : matchRevision(error.httpStatus, http, revision),
  expected: ({ http }, revision) => (http === undefined ? 'an HTTP error' : `HTTP ${http[revision]}`),
  actual: ({ httpStatus }) => `the HTTP status is ${httpStatus}`,
  numberOf: ({ http }, revision) => http?.[revision],
  numberPointer: undefined,
  isLenient: ({ reason, httpStatus }) => reason === undefined && httpStatus >= 400 && httpStatus !== 400,
  isAgentsOwn: () => false,
}

export const restProbe: ProbeHalf = {
  isHttp1: true,
  encode,
  // SubscribeToTask: the tables of the specification say POST (1.0 §5.3 and §11.3.2, 0.3 §3.5.6), its a2a.proto says
  // GET in both generations.
  alternative: (op, request) =>
    op === 'subscribeTask' && request.method === 'POST' ? asSubscribeGet(request) : undefined,
  operationOf({ dialect }, { method, path = '/' }) {
    const [bare = ''] = path.split('?')
    const found = dialect.routes.find((route) => {
      // A colon begins the verb of another route.
      const pattern = route.path.replaceAll(/[.*+?^$()|[\]\\]/g, '\\$&').replaceAll(/\{\w+\}/g, '[^/:]+')
      return route.method === method && new RegExp(`^${pattern}$`).test(bare)
    })
    return found?.op
  },
  describe: (endpoint, _op, { method, url, text }) => ({
    name: `${method} ${pathBelow(endpoint.url, url)}`,
    shown: text,
  }),
  statusOf: httpStatusOf,
  statusText: httpStatusText,
  textOf: httpTextOf,
  read,
  readFrame(payload) {
    const error = errorInFrame(payload)
    return error === undefined ? { result: payload } : { error }
  },
  isEnveloped: false,
  sharesMethods: false,
  sharesPaths: true,
  // An object instead of an error is a fault of this answer, which has a check of its own.
  foreignAnswer: ({ status, error, result }) =>
    error === undefined && !isJsonObject(result)
      ? { code: 'not-rest', reason: `it answers HTTP ${status} for a task that does not exist` }
      : undefined,
  provesService: ({ error }) => error?.reason === 'TASK_NOT_FOUND',
  errors,
}
