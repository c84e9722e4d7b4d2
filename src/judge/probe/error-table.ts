// Which numbers stand for which error, written down a second time on purpose: the dialects' tables answer for our own
// server, these judge others. Classified by ErrorInfo.reason first, code second, HTTP status last.

import type { ErrorMatch, ErrorNumbers, SeenError } from '../../bindings/probe.ts'
import { BINDINGS } from '../../bindings/registry.ts'
import type { BindingId, DialectId, SpecRevision } from '../../dialects/dialect.ts'
import type { A2AErrorKind } from '../../model/errors.ts'
import { isJsonObject, type JsonValue } from '../../model/json.ts'
import { GENERATION_RULES } from './generation-rules.ts'
import { listAt, objectAt, textAt } from './seen.ts'

const same = (status: number): Record<SpecRevision, number> => ({ '1.0.1': status, '1.0.0': status })
const PRECONDITION = ['FAILED_PRECONDITION', 'UNIMPLEMENTED']

/** 1.0 §5.4; the columns of 1.0.0 where it differs. */
const TABLE_1_0: Readonly<Partial<Record<A2AErrorKind, ErrorNumbers>>> = {
  TaskNotFound: { code: -32001, http: same(404), reason: 'TASK_NOT_FOUND', statusNames: ['NOT_FOUND'] },
  TaskNotCancelable: {
    code: -32002,
    http: { '1.0.1': 400, '1.0.0': 409 },
    reason: 'TASK_NOT_CANCELABLE',
    statusNames: ['FAILED_PRECONDITION'],
  },
  PushNotificationNotSupported: {
    code: -32003,
    http: same(400),
    reason: 'PUSH_NOTIFICATION_NOT_SUPPORTED',
    statusNames: PRECONDITION,
  },
  UnsupportedOperation: { code: -32004, http: same(400), reason: 'UNSUPPORTED_OPERATION', statusNames: PRECONDITION },
  ContentTypeNotSupported: {
    code: -32005,
    http: { '1.0.1': 400, '1.0.0': 415 },
    reason: 'CONTENT_TYPE_NOT_SUPPORTED',
    statusNames: ['INVALID_ARGUMENT'],
  },
  InvalidAgentResponse: {
    code: -32006,
    http: { '1.0.1': 500, '1.0.0': 502 },
    reason: 'INVALID_AGENT_RESPONSE',
    statusNames: ['INTERNAL'],
  },
  ExtendedAgentCardNotConfigured: {
    code: -32007,
    http: same(400),
    reason: 'EXTENDED_AGENT_CARD_NOT_CONFIGURED',
    statusNames: ['FAILED_PRECONDITION'],
  },
  ExtensionSupportRequired: {
    code: -32008,
    http: same(400),
    reason: 'EXTENSION_SUPPORT_REQUIRED',
    statusNames: ['FAILED_PRECONDITION'],
  },
  VersionNotSupported: { code: -32009, http: same(400), reason: 'VERSION_NOT_SUPPORTED', statusNames: PRECONDITION },
  ParseError: { code: -32700, http: same(400) },
  InvalidRequest: { code: -32600, http: same(400) },
  MethodNotFound: { code: -32601, http: same(404) },
  InvalidParams: { code: -32602, http: same(400), statusNames: ['INVALID_ARGUMENT'] },
  InternalError: { code: -32603, http: same(500), statusNames: ['INTERNAL'] },
  Unauthenticated: { http: same(401), statusNames: ['UNAUTHENTICATED'] },
  PermissionDenied: { http: same(403), statusNames: ['PERMISSION_DENIED'] },
}

/** 0.3 §8.2 gives JSON-RPC codes only; its REST text asks for fitting HTTP statuses without fixing them. */
const TABLE_0_3: Readonly<Partial<Record<A2AErrorKind, ErrorNumbers>>> = {
  TaskNotFound: { code: -32001 },
  TaskNotCancelable: { code: -32002 },
  PushNotificationNotSupported: { code: -32003 },
  UnsupportedOperation: { code: -32004 },
  ContentTypeNotSupported: { code: -32005 },
  InvalidAgentResponse: { code: -32006 },
  ExtendedAgentCardNotConfigured: { code: -32007 },
  ParseError: { code: -32700 },
  InvalidRequest: { code: -32600 },
  MethodNotFound: { code: -32601 },
  InvalidParams: { code: -32602 },
  InternalError: { code: -32603 },
}

const TABLE_0_1: Readonly<Partial<Record<A2AErrorKind, ErrorNumbers>>> = {
  TaskNotFound: { code: -32001 },
  TaskNotCancelable: { code: -32002 },
  IllegalTransition: { code: -32002 },
  UnsupportedOperation: { code: -32004 },
  ContentTypeNotSupported: { code: -32005 },
  ParseError: { code: -32700 },
  InvalidRequest: { code: -32600 },
  MethodNotFound: { code: -32601 },
  InvalidParams: { code: -32602 },
  InternalError: { code: -32603 },
}

const TABLES: Readonly<Record<DialectId, Readonly<Partial<Record<A2AErrorKind, ErrorNumbers>>>>> = {
  '1.0': TABLE_1_0,
  '0.3': TABLE_0_3,
  '0.1': TABLE_0_1,
}

/** The reasons of the errors 1.0 defines. */
export function a2aReasons(): string[] {
  return Object.values(TABLE_1_0).flatMap(({ reason }) => reason ?? [])
}

export function numbersOf(generation: DialectId, kind: A2AErrorKind): ErrorNumbers {
  return TABLES[generation][kind] ?? {}
}

/** The error member of a JSON-RPC response, or the body of a REST error, whatever shape it took. */
export function seenError(json: JsonValue | undefined, httpStatus: number, pointer: string): SeenError {
  const details = [...(listAt(json, 'details') ?? []), ...(listAt(json, 'data') ?? [])].filter(isJsonObject)
  const data = objectAt(json, 'data')
  if (data !== undefined) details.push(data)
  const info = details.find((detail) => typeof detail.reason === 'string')
  const code = isJsonObject(json) ? json.code : undefined
  return {
    code: typeof code === 'number' ? code : undefined,
    httpStatus,
    statusName: textAt(json, 'status'),
    message: textAt(json, 'message') ?? textAt(json, 'title') ?? textAt(json, 'detail'),
    details,
    reason: textAt(info, 'reason'),
    json: json ?? null,
    pointer,
  }
}

/** Is this error the one the specification asks for? */
export function matchError(
  generation: DialectId,
  binding: BindingId,
  error: SeenError,
  kind: A2AErrorKind,
  revision: SpecRevision,
): ErrorMatch {
  const numbers = numbersOf(generation, kind)
  if (numbers.reason !== undefined && error.reason !== undefined) {
    return error.reason === numbers.reason ? { fits: true, by: 'reason' } : { fits: false }
  }
  return BINDINGS[binding].probe.errors.match(error, numbers, revision)
}

const A2A_CODE = (code: number | undefined) => code !== undefined && code <= -32001 && code >= -32099

/** The place of docs/spec-conflicts.md that leaves room for this refusal instead of one of these errors. */
export function leewayFor(
  generation: DialectId,
  binding: BindingId,
  error: SeenError,
  kinds: readonly A2AErrorKind[],
): number | undefined {
  const isUnknownCaller = error.httpStatus === 401 || error.httpStatus === 403
  if (isUnknownCaller || error.httpStatus >= 500) return undefined
  const { codesAreAdvice, validationLeeway } = GENERATION_RULES[generation]
  if (codesAreAdvice !== undefined)
    return kinds.some((kind) => A2A_CODE(numbersOf(generation, kind).code)) ? codesAreAdvice : undefined
  if (error.code === -32603 || !kinds.includes('InvalidParams')) return undefined
  return BINDINGS[binding].probe.errors.isLenient(error) ? validationLeeway?.[binding] : undefined
}

/** "-32001 (TASK_NOT_FOUND)" or "HTTP 404 with reason TASK_NOT_FOUND", for the expectation line of a finding. */
export function describeExpected(
  generation: DialectId,
  binding: BindingId,
  kind: A2AErrorKind,
  revision: SpecRevision,
): string {
  const numbers = numbersOf(generation, kind)
  const where = BINDINGS[binding].probe.errors.expected(numbers, revision)
  return `${where} (${kind}${numbers.reason === undefined ? '' : `, reason ${numbers.reason}`})`
}

export function describeError(error: SeenError): string {
  const parts = [`HTTP ${error.httpStatus}`]
  if (error.code !== undefined) parts.push(`code ${error.code}`)
  if (error.reason !== undefined) parts.push(`reason ${error.reason}`)
  if (error.message !== undefined) parts.push(JSON.stringify(error.message.slice(0, 120)))
  return parts.join(', ')
}
