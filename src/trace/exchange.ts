// One recorded exchange: what was sent, what came back, byte for byte, with times. The evidence behind every claim about
// a peer. Bodies are kept as received; `frames` are the messages inside of them, whatever carried them.

/** A request as it was sent. */
export interface RecordedRequest {
  /** Of HTTP: `POST`. */
  method: string
  /** Absolute. */
  url: string
  /** Names as sent, in order. */
  headers: readonly (readonly [string, string])[]
  /** As sent; empty where there is none. */
  body: Uint8Array
  /** Set when there was a client certificate and it was not shown. */
  withoutCertificate?: boolean
}

/** A message of a stream: a server-sent event, or a message of a gRPC call (then `data` is its ProtoJSON). */
export interface RecordedFrame {
  /** Milliseconds since the request was sent. */
  atMs: number
  /** The name of a server-sent event; `trailers` for the end of a gRPC call. */
  event: string | undefined
  /** The id of a server-sent event. */
  id: string | undefined
  /** The data of a server-sent event; of gRPC, the message as JSON. */
  data: string
}

/** A response as it was received. */
export interface RecordedResponse {
  /** Status code of HTTP. */
  status: number
  /** Names as received, in order. */
  headers: readonly (readonly [string, string])[]
  /** Decompressed, cut at the client's limit; for streams the raw SSE text. */
  body: Uint8Array
  /** Set when the body was cut or could not be read to its end. */
  incomplete?: string
  /** Server-sent events in order of arrival, for text/event-stream responses. */
  frames?: RecordedFrame[]
}

/** The call a gRPC request makes. */
export interface RecordedGrpcRequest extends RecordedRequest {
  /** `lf.a2a.v1.A2AService/GetTask`. */
  rpc: string
  /** The message as ProtoJSON; undefined when the bytes are none. */
  message: string | undefined
}

/** The answer to a gRPC call. */
export interface RecordedGrpcResponse extends RecordedResponse {
  /** After the body; or the headers themselves, when there was nothing else. */
  trailers: readonly (readonly [string, string])[]
  /** Fields the schema does not have, as "3 of lf.a2a.v1.Task". */
  unknownFields?: readonly string[]
}

/** What every exchange has. */
export interface Exchanged<Request extends RecordedRequest, Response extends RecordedResponse> {
  /** Unique in a run; appears in reports and recordings. */
  id: string
  /** ISO 8601, UTC. */
  startedAt: string
  /** What was sent. */
  request: Request
  /** What came back; absent when nothing did. */
  response?: Response
  /** Why there is no response, or no complete one: 'ECONNREFUSED', 'timeout after 30000 ms', … */
  failure?: string
  /** Milliseconds until the last byte; absent while it runs. */
  durationMs?: number
  /** Why it was sent once more; what is recorded is the last time. */
  repeated?: string
}

/** What carried it; HTTP/1.1 where nothing is said. */
export interface HttpExchange extends Exchanged<RecordedRequest, RecordedResponse> {
  /**
   * A request of HTTP.
   * @default 'http'
   */
  protocol?: 'http'
}

/** A gRPC call. */
export interface GrpcExchange extends Exchanged<RecordedGrpcRequest, RecordedGrpcResponse> {
  /** A call of gRPC. */
  protocol: 'grpc'
}

/** What was sent and what came back. */
export type Exchange = HttpExchange | GrpcExchange

/** How to change the two halves of an exchange, of whichever kind they are. */
export interface ExchangeChange {
  request<R extends RecordedRequest>(request: R): R
  response<R extends RecordedResponse>(response: R): R
}

/** A changed copy; the exchange given is not touched. */
export function mapExchange(exchange: Exchange, change: ExchangeChange): Exchange {
  if (exchange.protocol === 'grpc') {
    const { response, ...rest } = exchange
    const copy: GrpcExchange = { ...rest, request: change.request(exchange.request) }
    return response === undefined ? copy : { ...copy, response: change.response(response) }
  }
  const { response, ...rest } = exchange
  const copy: HttpExchange = { ...rest, request: change.request(exchange.request) }
  return response === undefined ? copy : { ...copy, response: change.response(response) }
}

export function isGrpcRequest(request: RecordedRequest): request is RecordedGrpcRequest {
  return 'rpc' in request
}

export function isGrpcResponse(response: RecordedResponse): response is RecordedGrpcResponse {
  return 'trailers' in response
}

export function headerOf(headers: readonly (readonly [string, string])[], name: string): string | undefined {
  const wanted = name.toLowerCase()
  for (const [key, value] of headers) if (key.length === wanted.length && key.toLowerCase() === wanted) return value
  return undefined
}
