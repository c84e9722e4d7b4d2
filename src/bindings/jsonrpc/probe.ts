// JSON-RPC (1.0 §9) as the judge speaks it: the envelope around parameters that may be anything.

import { isJsonObject, type JsonObject, type JsonValue } from '../../model/json.ts'
import { isRead, isStreaming, type Operation } from '../../model/operation.ts'
import { httpStatusOf, httpStatusText, httpTextOf } from '../http-probe.ts'
import type { Inside, ProbeEndpoint, ProbeErrors, ProbeHalf, ProbeRequest } from '../probe.ts'
import { operationOf } from './methods.ts'

const INVALID_REQUEST = -32600
const METHOD_NOT_FOUND = -32601
const TASK_NOT_FOUND = -32001

/** The body of a call. */
export function jsonRpcEnvelope(
  { dialect }: Pick<ProbeEndpoint, 'dialect'>,
  op: Operation,
  params: JsonValue,
  id: JsonValue,
): JsonObject {
  return { jsonrpc: '2.0', id, method: dialect.methods[op] ?? op, params }
}

function encode(endpoint: ProbeEndpoint, op: Operation, params: JsonValue, id: JsonValue): ProbeRequest {
  return {
    method: 'POST',
    url: endpoint.url,
    headers: [
      ['Content-Type', 'application/json'],
      ['Accept', isStreaming(op) ? 'text/event-stream' : 'application/json'],
    ],
    body: new TextEncoder().encode(JSON.stringify(jsonRpcEnvelope(endpoint, op, params, id))),
    op,
    label: endpoint.dialect.methods[op] ?? op,
    isRead: isRead(op),
  }
}

function read(body: JsonValue | undefined, status: number): Inside {
  const envelope = isJsonObject(body) ? body : undefined
  const raw = envelope?.error
  const isError = (raw !== undefined && raw !== null) || status >= 400 || status === 0
  return {
    envelope,
    result: isError ? undefined : envelope?.result,
    resultPointer: '/result',
    error: isError ? { json: raw ?? body, pointer: '/error' } : undefined,
  }
}

const errors: ProbeErrors = {
  match(error, { code }) {
    if (code === undefined) return error.httpStatus >= 400 ? { fits: true, by: 'status' } : { fits: false }
    return error.code === code ? { fits: true, by: 'code' } : { fits: false }
  },
  matchNumber: (error, { code }) => (error.code === code ? { fits: true, by: 'code' } : { fits: false }),
  expected: ({ code }) => (code === undefined ? 'an error' : `JSON-RPC error ${code}`),
  actual: ({ code }) => `the error code is ${code ?? 'missing'}`,
  numberOf: ({ code }) => code,
  numberPointer: '/error/code',
  isLenient: ({ code }) => code === INVALID_REQUEST,
  isAgentsOwn: ({ code = 0 }) => code > -32_000 || code < -32_768,
}

export const jsonRpcProbe: ProbeHalf = {
  isHttp1: true,
  encode,
  operationOf({ dialect }, { json }) {
    const method = isJsonObject(json) ? json.method : undefined
    return typeof method === 'string' ? operationOf(dialect, method) : undefined
  },
  describe({ dialect }, op, { text, json }) {
    const { method, params } = isJsonObject(json) ? json : {}
    const said = typeof method === 'string' ? method : 'a body'
    const name = op === undefined ? said : (dialect.methods[op] ?? op)
    if (method === undefined) return { name, shown: text }
    return { name, shown: params === undefined ? 'without params' : JSON.stringify(params) }
  },
  statusOf: httpStatusOf,
  statusText: httpStatusText,
  textOf: httpTextOf,
  read,
  readFrame(payload, status) {
    const error = isJsonObject(payload) && isJsonObject(payload.error) ? payload.error : undefined
    return error === undefined
      ? { result: read(payload, status).result }
      : { error: { json: error, pointer: '/error' } }
  },
  isEnveloped: true,
  sharesMethods: true,
  sharesPaths: false,
  foreignAnswer({ envelope, error, status }) {
    // Web frameworks, too, answer unknown paths with an object that has an `error`.
    const hasOutcome = envelope !== undefined && ('error' in envelope || 'result' in envelope)
    const isOurs = status < 400 || (envelope !== undefined && ('jsonrpc' in envelope || 'id' in envelope))
    if (!hasOutcome || !isOurs) {
      const code = status === 404 || status === 405 ? 'no-endpoint' : 'not-jsonrpc'
      return { code, reason: `it answers HTTP ${status}, but no JSON-RPC response` }
    }
    const isUnknown = isJsonObject(error?.json) && error.json.code === METHOD_NOT_FOUND
    const reason = `it does not know the method of that protocol version (${METHOD_NOT_FOUND})`
    return isUnknown ? { code: 'wrong-dialect', reason } : undefined
  },
  provesService({ body }) {
    if (!isJsonObject(body) || body.jsonrpc !== '2.0') return false
    return isJsonObject(body.error) && body.error.code === TASK_NOT_FOUND
  },
  errors,
}
