// Writes and reads the errors of any generation from its table. Reading goes by the name of the error first
// (ErrorInfo.reason), then by its number, then by the HTTP or gRPC status: six errors of 1.0 share one gRPC status.

import { A2AError, type A2AErrorKind } from '../../model/errors.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../model/json.ts'
import type { ErrorCodec, WireError } from '../dialect.ts'
import { type ErrorRow, type ErrorTable, GRPC_CODES } from './error-table.ts'
import { factOptions, factsOf } from './facts.ts'
import { googleDetails, googleOptions } from './google-rpc.ts'

/** An error as it was recognised: a kind of the model and, where the generation declared it, its own name. */
interface Recognised {
  kind: A2AErrorKind
  declaredAs?: string
}

export function errorCodec(table: ErrorTable): ErrorCodec {
  const recognise = recogniser(table)
  const isGoogle = table.form === 'google-rpc'
  const rowOf = ({ kind, options }: A2AError): ErrorRow =>
    (options.declaredAs === undefined ? undefined : table.declared?.[options.declaredAs]) ?? table.rows[kind]
  const dataOf = (error: A2AError, { reason }: ErrorRow): JsonValue | undefined =>
    isGoogle ? googleDetails(error, reason) : factsOf(error, table.form === 'named-facts' ? reason : undefined)

  function encodeJsonRpc(error: A2AError): JsonObject {
    const row = rowOf(error)
    const data = dataOf(error, row)
    const wire: JsonObject = { code: row.code, message: error.message }
    return data === undefined ? wire : { ...wire, data }
  }

  return {
    declared: table.declared ?? {},
    encodeJsonRpc,
    encodeRest(error) {
      const row = rowOf(error)
      const status = error.options.httpStatus ?? row.http
      if (!isGoogle) return { status, body: { ...encodeJsonRpc(error), type: typeName(error) } }
      const details = googleDetails(error, row.reason)
      return { status, body: { error: { code: status, status: row.grpc, message: error.message, details } } }
    },
    encodeGrpc(error) {
      const row = rowOf(error)
      // Details are messages of their own in gRPC: what does not name its type cannot travel.
      const details = googleDetails(error, row.reason).filter((detail) => typeof detail['@type'] === 'string')
      return { code: GRPC_CODES[row.grpc], message: error.message, details }
    },
    jsonRpcHttpStatus: (kind) => (table.byHttpStatus.has(kind) ? table.rows[kind].http : 200),
    decode(error) {
      const { kind, declaredAs } = recognise(error)
      const options =
        isGoogle || error.grpcCode !== undefined ? googleOptions(detailsIn(error.data)) : factOptions(error.data)
      if (declaredAs !== undefined) options.declaredAs = declaredAs
      return new A2AError(kind, error.message, options)
    },
  }
}

/** The name of the error, by which the Python SDK of 0.3 tells REST errors apart; 0.3 asks for nothing here. */
function typeName({ kind, options }: A2AError): string {
  if (kind === 'ParseError') return 'JSONParseError'
  return kind === 'InternalError' ? kind : `${options.declaredAs ?? kind}Error`
}

function recogniser(table: ErrorTable): (error: WireError) => Recognised {
  const byReason = new Map<string, Recognised>()
  const byCode = new Map<number, Recognised>()
  for (const [kind, { reason, code }] of Object.entries(table.rows) as [A2AErrorKind, ErrorRow][]) {
    if (!byReason.has(reason)) byReason.set(reason, { kind })
    if (!table.byHttpStatus.has(kind) && !byCode.has(code)) byCode.set(code, { kind })
  }
  for (const [declaredAs, { nearest: kind, reason, code }] of Object.entries(table.declared ?? {})) {
    byReason.set(reason, { kind, declaredAs })
    if (!byCode.has(code)) byCode.set(code, { kind, declaredAs })
  }
  for (const [code, kind] of table.furtherCodes ?? []) byCode.set(code, { kind })

  return ({ code, status, grpcCode, message, data }) => {
    const reason = detailsIn(data).find((detail) => typeof detail.reason === 'string')?.reason
    const named = typeof reason === 'string' ? byReason.get(reason) : undefined
    if (named !== undefined) return named
    const fixed = table.fixedTexts?.get(message)
    if (fixed !== undefined && table.rows[fixed].code === code) return { kind: fixed }
    const byStatus = KIND_OF_STATUS.get(status) ?? KIND_OF_GRPC.get(grpcCode)
    if (byStatus !== undefined && table.statusOutweighsCode && table.byHttpStatus.has(byStatus))
      return { kind: byStatus }
    return (code === undefined ? undefined : byCode.get(code)) ?? { kind: byStatus ?? 'InternalError' }
  }
}

/** JSON-RPC data and REST details are arrays; some servers send a lone object. */
function detailsIn(data: JsonValue | undefined): JsonObject[] {
  if (Array.isArray(data)) return data.filter(isJsonObject)
  return isJsonObject(data) ? [data] : []
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

const KIND_OF_GRPC: ReadonlyMap<number | undefined, A2AErrorKind> = new Map([
  [GRPC_CODES.INVALID_ARGUMENT, 'InvalidParams'],
  [GRPC_CODES.NOT_FOUND, 'TaskNotFound'],
  [GRPC_CODES.PERMISSION_DENIED, 'PermissionDenied'],
  [GRPC_CODES.RESOURCE_EXHAUSTED, 'ResourceExhausted'],
  [GRPC_CODES.FAILED_PRECONDITION, 'UnsupportedOperation'],
  [GRPC_CODES.UNIMPLEMENTED, 'MethodNotFound'],
  [GRPC_CODES.UNAVAILABLE, 'Unavailable'],
  [GRPC_CODES.UNAUTHENTICATED, 'Unauthenticated'],
])
