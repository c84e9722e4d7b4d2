// gRPC (1.0 §10) as the judge speaks it: parameters as ProtoJSON put into bytes, answers as the JSON of what came back. An
// error is shown in the JSON form google.rpc.Status has over HTTP (AIP-193), which is the form of REST errors, too.

import type { ErrorNumbers } from '../../dialects/expectations.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../model/json.ts'
import { isRead, isStreaming, type Operation } from '../../model/operation.ts'
import type { Exchange, GrpcExchange } from '../../trace/exchange.ts'
import { httpStatusText } from '../http-probe.ts'
import {
  type ErrorMatch,
  type Inside,
  NotSayable,
  OTHER_REVISION,
  type ProbeEndpoint,
  type ProbeErrors,
  type ProbeHalf,
  type ProbeRequest,
  type RawError,
} from '../probe.ts'
import { PREFIX_BYTES, withPrefix } from './frames.ts'
import { encodeMessage, NotEncodable } from './proto/encode.ts'
import { schema } from './proto/schema.ts'
import { GRPC, type GrpcOutcome, httpStatusOf, readOutcome, statusName } from './status.ts'

/** Members the text requires, and which protocol buffers leave out when they are empty. */
const EMPTY_MEMBERS: Readonly<Record<string, JsonObject>> = {
  'lf.a2a.v1.ListTasksResponse': { tasks: [], nextPageToken: '', pageSize: 0, totalSize: 0 },
  'lf.a2a.v1.ListTaskPushNotificationConfigsResponse': { configs: [] },
  'a2a.v1.ListTaskPushNotificationConfigResponse': { configs: [] },
}

function encode({ url, dialect }: ProbeEndpoint, op: Operation, params: JsonValue): ProbeRequest {
  const { grpc } = dialect
  const name = grpc?.rpcs[op]
  const rpc = grpc === undefined ? undefined : schema().rpc(`/${grpc.service}/${name}`)
  if (rpc === undefined) throw new NotSayable(`A2A ${dialect.id} has no ${op} over gRPC`)
  try {
    const bytes = encodeMessage(rpc.request, params ?? {}, { headroom: PREFIX_BYTES })
    return {
      method: 'POST',
      url: new URL(rpc.path, url).href,
      headers: [
        ['content-type', 'application/grpc'],
        ['te', 'trailers'],
      ],
      body: withPrefix(bytes),
      grpcMessage: JSON.stringify(params ?? {}),
      ...{ op, label: rpc.name, isRead: isRead(op), isStream: isStreaming(op) },
    }
  } catch (error) {
    if (!(error instanceof NotEncodable)) throw error
    throw new NotSayable(`a message of gRPC cannot say it: ${error.pointer || 'it'} ${error.message}`)
  }
}

export function outcomeOf({ response }: GrpcExchange): GrpcOutcome | undefined {
  if (response === undefined || response.trailers.length === 0) return undefined
  return readOutcome(response.trailers)
}

function asGrpc(exchange: Exchange): GrpcExchange | undefined {
  return exchange.protocol === 'grpc' ? exchange : undefined
}

/** The error as REST would have it. */
export function errorJson({ code, message, details }: GrpcOutcome): JsonObject {
  return { error: { code: httpStatusOf(code), status: statusName(code), message, details: [...details] } }
}

function read(body: JsonValue | undefined, status: number): Inside {
  const isError = status >= 400 || status === 0
  const wrapped = isJsonObject(body) && isJsonObject(body.error) ? body.error : undefined
  return {
    envelope: undefined,
    result: isError ? undefined : body,
    resultPointer: '',
    error: isError ? { json: wrapped ?? body, pointer: wrapped === undefined ? '' : '/error' } : undefined,
  }
}

function matchStatus(error: RawError, { grpc }: ErrorNumbers, revision: keyof typeof OTHER_REVISION): ErrorMatch {
  if (grpc === undefined) return error.httpStatus >= 400 ? { fits: true, by: 'status' } : { fits: false }
  if (error.statusName === grpc[revision]) return { fits: true, by: 'status' }
  const other = OTHER_REVISION[revision]
  return error.statusName === grpc[other] ? { fits: true, by: 'status', otherRevision: other } : { fits: false }
}

const errors: ProbeErrors = {
  match: matchStatus,
  matchNumber: matchStatus,
  expected: ({ grpc }, revision) => (grpc === undefined ? 'a gRPC error' : `gRPC status ${grpc[revision]}`),
  actual: ({ statusName: name }) => `the gRPC status is ${name ?? 'missing'}`,
  numberOf: () => undefined,
  numberPointer: '/error/status',
  isLenient: () => false,
  isAgentsOwn: () => false,
}

export const grpcProbe: ProbeHalf = {
  isHttp1: false,
  encode,
  operationOf: () => undefined,
  describe: ({ dialect }, op, { url, text }) => ({
    name: (op === undefined ? undefined : dialect.grpc?.rpcs[op]) ?? new URL(url).pathname.slice(1),
    shown: text,
  }),
  statusOf(exchange) {
    const call = asGrpc(exchange)
    const http = exchange.response?.status ?? 0
    if (call === undefined || http !== 200) return http
    const outcome = outcomeOf(call)
    return outcome === undefined ? 0 : httpStatusOf(outcome.code)
  },
  statusText(exchange) {
    const call = asGrpc(exchange)
    const outcome = call === undefined ? undefined : outcomeOf(call)
    return outcome === undefined ? httpStatusText(exchange) : `gRPC ${statusName(outcome.code)}`
  },
  textOf(exchange) {
    const call = asGrpc(exchange)
    const outcome = call === undefined ? undefined : outcomeOf(call)
    if (call === undefined || outcome === undefined) return ''
    if (outcome.code !== GRPC.ok) return JSON.stringify(errorJson(outcome))
    const text = call.response?.frames?.find(({ event }) => event === undefined)?.data ?? ''
    const type = schema().rpc(`/${call.request.rpc}`)?.response.name
    const empty = type === undefined ? undefined : EMPTY_MEMBERS[type]
    if (empty === undefined || !text.startsWith('{')) return text
    return JSON.stringify({ ...empty, ...(JSON.parse(text) as JsonObject) })
  },
  read,
  readFrame(payload) {
    const error = isJsonObject(payload) && isJsonObject(payload.error) ? payload.error : undefined
    return error === undefined ? { result: payload } : { error: { json: error, pointer: '/error' } }
  },
  isEnveloped: false,
  sharesMethods: false,
  sharesPaths: false,
  foreignAnswer({ status, error }) {
    if (error === undefined) return { code: 'not-grpc', reason: 'it answers a task that does not exist with success' }
    const reason = 'it does not know the gRPC service of that protocol version (UNIMPLEMENTED)'
    return status === httpStatusOf(GRPC.unimplemented) ? { code: 'wrong-dialect', reason } : undefined
  },
  handsOutPublicCard: ({ grpc }) => grpc?.hasOneCardRpc === true,
  provesService: ({ error }) => error?.reason === 'TASK_NOT_FOUND',
  errors,
}
