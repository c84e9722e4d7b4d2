// The client half of the gRPC binding (1.0 §10): one HTTP/2 stream per call, service parameters as metadata, the deadline
// of a unary call sent along.

import type { Codec, Dialect } from '../../dialects/dialect.ts'
import type { JsonValue } from '../../model/json.ts'
import {
  isStreaming,
  type Operation,
  type OperationRequest,
  type OperationResult,
  type StreamingOperation,
} from '../../model/operation.ts'
import { NetError } from '../../net/net-error.ts'
import { traceHeaders } from '../../telemetry/trace-context.ts'
import type { Exchange, RecordedRequest } from '../../trace/exchange.ts'
import {
  type CallOptions,
  decodedOrThrow,
  type EndpointClient,
  type EndpointOptions,
  endsTurn,
  InvalidPeerResponse,
  type StreamItem,
  StreamSubject,
  type UnaryOperation,
  unsupportedHere,
  withGiven,
} from '../endpoint-client.ts'
import { type GrpcAddress, grpcOrigin, parseGrpcAddress, settleSecurity } from './address.ts'
import { GrpcCall, type GrpcMessage } from './call.ts'
import { PREFIX_BYTES, withPrefix } from './frames.ts'
import { encodeMessage } from './proto/encode.ts'
import { type Rpc, schema } from './proto/schema.ts'
import { GRPC, type GrpcOutcome } from './status.ts'

const DEFAULT_TIMEOUT_MS = 30_000

interface Planned {
  rpc: Rpc
  codec: Codec
  headers: [string, string][]
  body: Buffer
  message: string
}

export class GrpcClient implements EndpointClient {
  readonly binding = 'grpc'
  readonly dialect: Dialect
  readonly url: string
  readonly #options: EndpointOptions
  readonly #address: GrpcAddress
  #settled: Promise<GrpcAddress> | undefined

  constructor(options: EndpointOptions) {
    this.#options = options
    this.dialect = options.dialect
    this.url = options.url
    const address = parseGrpcAddress(options.url, options.http.defaults.tls?.plaintext)
    if (address === undefined) throw new NetError('protocol', `${options.url} is not the address of a gRPC service.`)
    this.#address = address
  }

  prepare(op: UnaryOperation | StreamingOperation, request: OperationRequest<Operation>): RecordedRequest {
    const { rpc, headers, body, message } = this.#plan(op, request, { timeoutMs: this.#options.timeoutMs })
    const { href: url } = new URL(rpc.path, grpcOrigin(this.#address))
    return { method: 'POST', url, headers, body, ...{ rpc: rpc.path.slice(1), message } }
  }

  async call<O extends UnaryOperation>(
    op: O,
    request: OperationRequest<O>,
    options: CallOptions = {},
  ): Promise<OperationResult<O>> {
    const { codec, call } = await this.#open(op, request, options)
    try {
      const first = await call.next()
      const second = first === undefined ? undefined : await call.next()
      this.#throwIfError(call)
      if (first === undefined) throw this.#strange(`${this.url} ended ${op} without a message.`, call)
      if (second !== undefined) throw this.#strange(`${this.url} answered ${op} with more than one message.`, call)
      const result = codec.decodeResult(op, this.#jsonOf(first, call))
      return decodedOrThrow(result, `result of ${op}`, this.dialect, call.exchange)
    } finally {
      call.close()
    }
  }

  async *batches<O extends StreamingOperation>(
    op: O,
    request: OperationRequest<O>,
    options: CallOptions = {},
  ): AsyncGenerator<readonly StreamItem[], void, undefined> {
    for await (const item of this.stream(op, request, options)) yield [item]
  }

  async *stream<O extends StreamingOperation>(
    op: O,
    request: OperationRequest<O>,
    options: CallOptions = {},
  ): AsyncGenerator<StreamItem, void, undefined> {
    const { codec, call } = await this.#open(op, request, options)
    try {
      const subject = new StreamSubject(request)
      for (let found = await call.next(); found !== undefined; found = await call.next()) {
        // An event of a kind that came later (§5.7).
        if (found.isUnknown) continue
        const decoded = codec.decodeEvent(this.#jsonOf(found, call))
        const event = decodedOrThrow(decoded, 'stream event', this.dialect, call.exchange)
        subject.check(event, call.exchange)
        yield { event }
        if (endsTurn(event)) return
      }
      this.#throwIfError(call)
    } finally {
      call.close()
    }
  }

  async #open(op: UnaryOperation | StreamingOperation, request: OperationRequest<Operation>, options: CallOptions) {
    const timeoutMs = options.timeoutMs ?? this.#options.timeoutMs ?? DEFAULT_TIMEOUT_MS
    const planned = this.#plan(op, request, { timeoutMs, trace: options.trace, headers: options.headers })
    const { rpc, codec, headers, body, message } = planned
    this.#settled ??= settleSecurity(this.#address)
    const url = new URL(rpc.path, grpcOrigin(await this.#settled))
    const isStream = isStreaming(op)
    const { signal } = options
    const call = await GrpcCall.open(this.#options.http, { url, headers, body, message, timeoutMs, signal, isStream })
    return { codec, call }
  }

  #plan(
    op: UnaryOperation | StreamingOperation,
    request: OperationRequest<Operation>,
    { timeoutMs, ...own }: { timeoutMs: number | undefined } & Pick<CallOptions, 'trace' | 'headers'>,
  ): Planned {
    const { codecs, grpc } = this.dialect
    const codec = codecs.grpc
    const name = grpc?.rpcs[op]
    const rpc = grpc === undefined ? undefined : schema().rpc(`/${grpc.service}/${name}`)
    if (codec === undefined || rpc === undefined) throw unsupportedHere(op, this.dialect, this.binding)
    const wire = codec.encodeRequest(op, request).wire ?? {}
    const body = encodeMessage(rpc.request, wire, { headroom: PREFIX_BYTES, skipsUnknown: true })
    const headers = grpcHeaders(this.#options, isStreaming(op) ? undefined : timeoutMs, own)
    return { rpc, codec, headers, body: withPrefix(body), message: JSON.stringify(wire) }
  }

  #throwIfError(call: GrpcCall): void {
    const { outcome } = call
    if (outcome === undefined || outcome.code === GRPC.ok) return
    if (outcome.fault !== undefined)
      throw this.#strange(`${this.url} ended the call with an error: ${outcome.fault}.`, call)
    throw this.#errorOf(outcome, call.exchange)
  }

  #errorOf({ code, message, details }: GrpcOutcome, exchange: Exchange): Error {
    if (code === GRPC.deadlineExceeded && details.length === 0)
      return new NetError('timeout', `${this.url} did not answer in time.`, { exchange })
    return this.dialect.errors(this.#options.revision).decode({ grpcCode: code, message, data: [...details] })
  }

  #jsonOf({ json, frame }: GrpcMessage, call: GrpcCall): JsonValue {
    if (json === undefined) throw this.#strange(`${this.url} sent ${frame.data}.`, call)
    return json
  }

  #strange(message: string, { exchange }: GrpcCall): InvalidPeerResponse {
    return new InvalidPeerResponse(message, exchange)
  }
}

/** Metadata of one call; what the caller adds loses against what the protocol sets. */
function grpcHeaders(
  { dialect, extensions = [], headers }: Pick<EndpointOptions, 'dialect' | 'extensions' | 'headers'>,
  timeoutMs: number | undefined,
  given: Pick<CallOptions, 'trace' | 'headers'> = {},
): [string, string][] {
  const own: [string, string][] = [
    ['content-type', 'application/grpc'],
    ['te', 'trailers'],
    ['grpc-accept-encoding', 'identity,gzip'],
    ['user-agent', 'grpc-parley'],
  ]
  // Eight digits are all there is room for.
  if (timeoutMs !== undefined) own.push(['grpc-timeout', `${Math.min(timeoutMs, 99_999_999)}m`])
  if (dialect.versionHeader !== undefined) own.push(['a2a-version', dialect.versionHeader])
  if (extensions.length > 0)
    for (const name of dialect.extensionHeaders) own.push([name.toLowerCase(), extensions.join(',')])
  own.push(...traceHeaders(given.trace))
  return withGiven(own, given.headers, headers).map(([name, value]) => [name.toLowerCase(), value])
}
