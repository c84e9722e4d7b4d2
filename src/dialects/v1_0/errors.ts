// Errors of 1.0 on both JSON bindings: google.rpc details in `error.data` and in `error.details` (§9.5, §11.6).
// Reading goes by ErrorInfo.reason first, then by the code, then by the HTTP status.

import { A2AError, type A2AErrorKind, type A2AErrorOptions } from '../../model/errors.ts'
import type { Issue } from '../../model/issue.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../model/json.ts'
import type { ErrorCodec, SpecRevision, WireError } from '../dialect.ts'
import { ERROR_TABLES, type ErrorTable } from './error-table.ts'

const DOMAIN = 'a2a-protocol.org'
const TYPE = 'type.googleapis.com/google.rpc.'

/** Errors HTTP itself has words for keep them under JSON-RPC, because proxies and clients act on the status. */
const HTTP_SPEAKS: ReadonlySet<A2AErrorKind> = new Set([
  'Unauthenticated',
  'PermissionDenied',
  'ResourceExhausted',
  'Unavailable',
])

function errorCodec(table: ErrorTable): ErrorCodec {
  return {
    encodeJsonRpc: (error) => ({ code: table[error.kind].code, message: error.message, data: details(table, error) }),
    encodeRest(error) {
      const { http: usual, status } = table[error.kind]
      const http = error.options.httpStatus ?? usual
      return {
        status: http,
        body: { error: { code: http, status, message: error.message, details: details(table, error) } },
      }
    },
    jsonRpcHttpStatus: (kind) => (HTTP_SPEAKS.has(kind) ? table[kind].http : 200),
    decode: (error) => new A2AError(kindOf(table, error), error.message, optionsOf(detailsIn(error.data))),
  }
}

const CODECS: Readonly<Record<SpecRevision, ErrorCodec>> = {
  '1.0.0': errorCodec(ERROR_TABLES['1.0.0']),
  '1.0.1': errorCodec(ERROR_TABLES['1.0.1']),
}

export function errors(revision: SpecRevision = '1.0.1'): ErrorCodec {
  return CODECS[revision]
}

function details(table: ErrorTable, error: A2AError): JsonObject[] {
  const { metadata, issues, retryAfterSeconds, details: received = [] } = error.options
  const own: JsonObject[] = []
  // A peer's own details pass through unchanged; ours only fill what is missing.
  const lacks = (type: string) => !received.some((detail) => detail['@type'] === TYPE + type)
  if (lacks('ErrorInfo')) {
    const info: JsonObject = { '@type': `${TYPE}ErrorInfo`, reason: table[error.kind].reason, domain: DOMAIN }
    own.push(metadata === undefined ? info : { ...info, metadata })
  }
  if (issues !== undefined && issues.length > 0 && lacks('BadRequest')) {
    own.push({ '@type': `${TYPE}BadRequest`, fieldViolations: issues.map(violation) })
  }
  if (retryAfterSeconds !== undefined && lacks('RetryInfo')) {
    own.push({ '@type': `${TYPE}RetryInfo`, retryDelay: `${retryAfterSeconds}s` })
  }
  return [...own, ...received]
}

/** `/message/parts/0/text` reads `message.parts[0].text` in a field violation. */
function violation(issue: Issue): JsonObject {
  const field = issue.pointer
    .slice(1)
    .split('/')
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce((path, step) => (/^\d+$/.test(step) ? `${path}[${step}]` : path === '' ? step : `${path}.${step}`), '')
  return { field, description: issue.message }
}

function issueFrom(violation: JsonValue): Issue | undefined {
  if (!isJsonObject(violation) || typeof violation.field !== 'string') return undefined
  const steps = violation.field.replaceAll(/\[(\d+)\]/g, '.$1').split('.')
  const pointer = steps.map((step) => `/${step.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
  const message = typeof violation.description === 'string' ? violation.description : 'is invalid'
  return { pointer: pointer === '/' ? '' : pointer, message }
}

/** JSON-RPC data and REST details are arrays; some servers send a lone object. */
function detailsIn(data: JsonValue | undefined): JsonObject[] {
  if (Array.isArray(data)) return data.filter(isJsonObject)
  return isJsonObject(data) ? [data] : []
}

function optionsOf(details: readonly JsonObject[]): A2AErrorOptions {
  const options: A2AErrorOptions = {}
  if (details.length > 0) options.details = details
  for (const detail of details) {
    const type = textOf(detail['@type'])
    if (type.endsWith('ErrorInfo') && isJsonObject(detail.metadata)) options.metadata = strings(detail.metadata)
    if (type.endsWith('BadRequest') && Array.isArray(detail.fieldViolations)) {
      options.issues = detail.fieldViolations.map(issueFrom).filter((issue) => issue !== undefined)
    }
    if (type.endsWith('RetryInfo')) {
      const seconds = Number.parseFloat(textOf(detail.retryDelay))
      if (Number.isFinite(seconds)) options.retryAfterSeconds = seconds
    }
  }
  return options
}

function strings(metadata: JsonObject): { [name: string]: string } {
  return Object.fromEntries(
    Object.entries(metadata).map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)]),
  )
}

function kindOf(table: ErrorTable, error: WireError): A2AErrorKind {
  const rows = Object.entries(table) as [A2AErrorKind, ErrorTable[A2AErrorKind]][]
  const reason = detailsIn(error.data).find((detail) => typeof detail.reason === 'string')?.reason
  const byReason = rows.find(([, row]) => row.reason === reason)
  if (byReason !== undefined) return byReason[0]
  const byCode = rows.find(([kind, row]) => row.code === error.code && !HTTP_SPEAKS.has(kind))
  return byCode?.[0] ?? KIND_OF_STATUS.get(error.status) ?? 'InternalError'
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : ''
}

/** Without a reason or a code, the status is all there is; 404 mostly means an unknown task. */
const KIND_OF_STATUS: ReadonlyMap<number | undefined, A2AErrorKind> = new Map([
  [400, 'InvalidParams'],
  [401, 'Unauthenticated'],
  [403, 'PermissionDenied'],
  [404, 'TaskNotFound'],
  [405, 'MethodNotFound'],
  [409, 'TaskNotCancelable'],
  [415, 'ContentTypeNotSupported'],
  [422, 'InvalidParams'],
  [429, 'ResourceExhausted'],
  [501, 'MethodNotFound'],
  [502, 'InvalidAgentResponse'],
  [503, 'Unavailable'],
  [504, 'Unavailable'],
])
