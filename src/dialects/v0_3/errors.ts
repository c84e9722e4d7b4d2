// Errors of 0.3 (0.3 §8): JSON-RPC objects, and over REST the same object bare, as the official SDKs send it.

import { A2AError, type A2AErrorKind, type A2AErrorOptions } from '../../model/errors.ts'
import type { Issue } from '../../model/issue.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../model/json.ts'
import type { ErrorCodec, WireError } from '../dialect.ts'

interface Row {
  code: number
  http: number
}

const TABLE: Readonly<Record<A2AErrorKind, Row>> = {
  TaskNotFound: { code: -32001, http: 404 },
  TaskNotCancelable: { code: -32002, http: 409 },
  PushNotificationNotSupported: { code: -32003, http: 400 },
  UnsupportedOperation: { code: -32004, http: 400 },
  ContentTypeNotSupported: { code: -32005, http: 415 },
  InvalidAgentResponse: { code: -32006, http: 502 },
  ExtendedAgentCardNotConfigured: { code: -32007, http: 404 },
  // 0.3 assigns nothing beyond -32007; the numbers of 1.0 are free here and understood by clients that ask for it.
  ExtensionSupportRequired: { code: -32008, http: 400 },
  VersionNotSupported: { code: -32009, http: 400 },
  ParseError: { code: -32700, http: 400 },
  InvalidRequest: { code: -32600, http: 400 },
  MethodNotFound: { code: -32601, http: 404 },
  InvalidParams: { code: -32602, http: 400 },
  InternalError: { code: -32603, http: 500 },
  Unauthenticated: { code: -32000, http: 401 },
  PermissionDenied: { code: -32000, http: 403 },
  ResourceExhausted: { code: -32000, http: 429 },
  Unavailable: { code: -32000, http: 503 },
  IllegalTransition: { code: -32004, http: 400 },
  InsecurePushUrl: { code: -32602, http: 400 },
}

const HTTP_SPEAKS: ReadonlySet<number> = new Set([401, 403, 429, 503])

export const errorCodec: ErrorCodec = {
  encodeJsonRpc: body,
  encodeRest: (error) => ({
    status: error.options.httpStatus ?? TABLE[error.kind].http,
    body: { ...body(error), type: typeOf(error.kind) },
  }),
  jsonRpcHttpStatus: (kind) => (HTTP_SPEAKS.has(TABLE[kind].http) ? TABLE[kind].http : 200),
  decode: (error) => new A2AError(kindOf(error), error.message, optionsOf(error.data)),
}

function body(error: A2AError): JsonObject {
  const data = dataOf(error)
  const wire: JsonObject = { code: TABLE[error.kind].code, message: error.message }
  return data === undefined ? wire : { ...wire, data }
}

/** The name of the error, by which the Python SDK tells REST errors apart; 0.3 asks for nothing here. */
function typeOf(kind: A2AErrorKind): string {
  if (kind === 'ParseError') return 'JSONParseError'
  return kind === 'InternalError' ? kind : `${kind}Error`
}

/** `data` may be anything in 0.3: ours is one object of facts. */
function dataOf(error: A2AError): JsonValue | undefined {
  const { details, metadata, issues, retryAfterSeconds } = error.options
  if (details !== undefined) return details.length === 1 ? details[0] : [...details]
  if (metadata === undefined && issues === undefined && retryAfterSeconds === undefined) return undefined
  return {
    ...metadata,
    ...(issues && { issues: issues.map(({ pointer, message }) => ({ pointer, message })) }),
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  }
}

function optionsOf(data: JsonValue | undefined): A2AErrorOptions {
  if (Array.isArray(data)) return { details: data.filter(isJsonObject) }
  if (!isJsonObject(data)) return typeof data === 'string' ? { metadata: { data } } : {}
  const options: A2AErrorOptions = { details: [data] }
  if (Array.isArray(data.issues)) options.issues = data.issues.filter(isIssue)
  if (typeof data.retryAfterSeconds === 'number') options.retryAfterSeconds = data.retryAfterSeconds
  const facts = Object.entries(data).filter((fact): fact is [string, string] => typeof fact[1] === 'string')
  if (facts.length > 0) options.metadata = Object.fromEntries(facts)
  return options
}

function isIssue(value: unknown): value is Issue & JsonObject {
  return isJsonObject(value) && typeof value.pointer === 'string' && typeof value.message === 'string'
}

function kindOf(error: WireError): A2AErrorKind {
  const rows = Object.entries(TABLE) as [A2AErrorKind, Row][]
  const byCode = rows.find(([, row]) => row.code === error.code && !HTTP_SPEAKS.has(row.http))
  if (byCode !== undefined) return byCode[0]
  // 404 and 400 have many meanings; the first row of a status is the usual one.
  if (error.status === 400) return 'InvalidParams'
  return rows.find(([, row]) => row.http === error.status)?.[0] ?? 'InternalError'
}
