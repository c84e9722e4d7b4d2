// The server half of JSON-RPC over HTTP (1.0 §9): one POST, one envelope, one result, error or event stream. Faults are
// told in the order 1.0 implies: transport, JSON, envelope, version, method, parameters, operation.

import type { MaybePromise } from '../../base/maybe-promise.ts'
import type { Dialect } from '../../dialects/dialect.ts'
import { A2AError } from '../../model/errors.ts'
import { MAX_ID_LENGTH } from '../../model/ids.ts'
import { isJsonObject, type JsonValue } from '../../model/json.ts'
import type { Operation } from '../../model/operation.ts'
import { type Reply, wrongMethod } from '../../net/serve/reply.ts'
import type { ServerRequest } from '../../net/serve/request.ts'
import { answerOperation } from '../answer-operation.ts'
import { errorHeaders, errorReply, toA2AError, versionOf } from '../http.ts'
import type { BindingMount, CallerFacts } from '../mount.ts'
import { parseJsonText, readJsonText } from '../request-body.ts'
import type { AskedRequest, ServedBinding } from '../served-binding.ts'
import { operationOf } from './methods.ts'
import { recordedJsonRpc } from './recorded.ts'

const JSON_TYPE = 'application/json'
const NO_HEADERS: readonly string[] = []
const ID_RULE = `must be a string of at most ${MAX_ID_LENGTH} characters or a number`

type RequestId = string | number | null

interface Envelope {
  id: RequestId
  op: Operation
  params: JsonValue | undefined
}

export const jsonRpcServing = {
  id: 'jsonrpc',
  cardName: 'JSONRPC',
  hasOwnPort: false,
  accepts(_request, { fallback, rpcPaths }, path) {
    if (path === '' || path === '/') return true
    // Where there is nothing but JSON-RPC, streams may have a path of their own.
    return (path === '/subscribe' && fallback.routes.length === 0) || rpcPaths.includes(path.replace(/\/$/, ''))
  },
  serve: (request, mount, caller) =>
    request.method === 'POST' ? serveCall(request, mount, caller) : wrongMethod('GET, HEAD, POST, OPTIONS'),
  refuse: (request, mount, dialect, error) => refuse(request, mount, dialect, null, error),
  operationOf: (dialect, { path, json }: AskedRequest) => {
    if (path !== '' && path !== '/' && path !== '/subscribe') return undefined
    const body = json()
    return isJsonObject(body) && typeof body.method === 'string' ? operationOf(dialect, body.method) : undefined
  },
  recorded: recordedJsonRpc,
} satisfies ServedBinding

async function serveCall(request: ServerRequest, mount: BindingMount, caller: CallerFacts): Promise<Reply> {
  let id: RequestId = null
  let dialect = mount.fallback
  try {
    const body = parseJsonText(await readJsonText(request, mount.limits), mount.limits)
    if (isJsonObject(body) && isRequestId(body.id)) id = body.id
    const selected = selectDialect(request, mount, caller, body)
    if (selected instanceof A2AError) throw selected
    dialect = selected
    const envelope = openEnvelope(body, dialect)
    return await answer(request, mount, { dialect, envelope, caller })
  } catch (thrown) {
    return refuse(request, mount, dialect, id, toA2AError(thrown, mount))
  }
}

function refuse(request: ServerRequest, mount: BindingMount, dialect: Dialect, id: RequestId, error: A2AError): Reply {
  mount.onRefusal(error)
  const errors = dialect.errors(mount.revision)
  const body = `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"error":${JSON.stringify(errors.encodeJsonRpc(error))}}`
  const status = error.options.httpStatus ?? errors.jsonRpcHttpStatus(error.kind)
  return errorReply(request, mount, { status, mediaType: JSON_TYPE, body, dialect, headers: errorHeaders(error) })
}

interface Work {
  dialect: Dialect
  envelope: Envelope
  caller: CallerFacts
}

function answer(request: ServerRequest, mount: BindingMount, { dialect, envelope, caller }: Work): MaybePromise<Reply> {
  const { id, op, params } = envelope
  const codec = dialect.codecs.jsonrpc
  if (codec === undefined) throw new A2AError('MethodNotFound', 'This protocol version has no JSON-RPC binding.')
  return answerOperation(request, mount, {
    op,
    dialect,
    codec,
    wire: params,
    caller,
    tenant: tenantOf(params),
    mediaType: JSON_TYPE,
    envelope: { before: `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":`, after: '}' },
    nothing: 'null',
    headers: NO_HEADERS,
  })
}

function openEnvelope(body: JsonValue, dialect: Dialect): Envelope {
  if (Array.isArray(body))
    throw new A2AError('InvalidRequest', 'Batches are not part of A2A; send one request at a time.')
  if (!isJsonObject(body)) throw new A2AError('InvalidRequest', 'A JSON-RPC request is a JSON object.')
  const { jsonrpc, id, method, params } = body
  if (jsonrpc !== '2.0') throw invalidEnvelope('/jsonrpc', 'must be "2.0"')
  if (typeof method !== 'string' || method === '') throw invalidEnvelope('/method', 'must be a non-empty string')
  if (id !== undefined && !isRequestId(id)) throw invalidEnvelope('/id', ID_RULE)
  const op = operationOf(dialect, method)
  if (op === undefined) throw new A2AError('MethodNotFound', `Method not found: ${method.slice(0, 100)}`)
  if (params !== undefined && !isJsonObject(params))
    throw new A2AError('InvalidParams', 'Invalid parameters: params must be an object', {
      issues: [{ pointer: '/params', message: 'must be an object' }],
    })
  // To some kits a request without an id is a notification, whose other faults they look for: those are told first.
  if (id === undefined && dialect.codecs.jsonrpc?.decodeRequest(op, params).ok) throw invalidEnvelope('/id', ID_RULE)
  return { id: id ?? null, op, params }
}

function invalidEnvelope(pointer: string, message: string): A2AError {
  return new A2AError('InvalidRequest', `Invalid request: ${pointer.slice(1)} ${message}`, {
    issues: [{ pointer, message }],
  })
}

function isRequestId(id: JsonValue | undefined): id is RequestId {
  // It comes back with every event of a stream.
  return (typeof id === 'string' && id.length <= MAX_ID_LENGTH) || typeof id === 'number' || id === null
}

function selectDialect(
  request: ServerRequest,
  mount: BindingMount,
  caller: CallerFacts,
  body: JsonValue,
): Dialect | A2AError {
  const method = isJsonObject(body) && typeof body.method === 'string' ? body.method : ''
  const version = versionOf(request, caller.query)
  return mount.select({ version, method, hasV1Prefix: false })
}

function tenantOf(params: JsonValue | undefined): string {
  const tenant = isJsonObject(params) ? params.tenant : undefined
  return typeof tenant === 'string' ? tenant : ''
}
