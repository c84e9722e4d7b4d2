// One recorded HTTP exchange: what was sent, what came back, byte for byte, with times. The evidence behind every
// claim about a peer. Bodies are kept as received; readers decode them.

export interface RecordedRequest {
  method: string
  url: string
  /** Names as sent, in order. */
  headers: readonly (readonly [string, string])[]
  body: Uint8Array
  /** Set when there was a client certificate and it was not shown. */
  withoutCertificate?: boolean
}

export interface RecordedFrame {
  /** Milliseconds since the request was sent. */
  atMs: number
  event: string | undefined
  id: string | undefined
  data: string
}

export interface RecordedResponse {
  status: number
  headers: readonly (readonly [string, string])[]
  /** Decompressed, cut at the client's limit; for streams the raw SSE text. */
  body: Uint8Array
  /** Set when the body was cut or could not be read to its end. */
  incomplete?: string
  /** Server-sent events in order of arrival, for text/event-stream responses. */
  frames?: RecordedFrame[]
}

export interface Exchange {
  /** Unique in a run; appears in reports and recordings. */
  id: string
  startedAt: string
  request: RecordedRequest
  response?: RecordedResponse
  /** Why there is no response, or no complete one: 'ECONNREFUSED', 'timeout after 30000 ms', … */
  failure?: string
  durationMs?: number
  /** Why it was sent once more on a fresh connection; what is recorded is the last time. */
  repeated?: string
}

export function headerOf(headers: readonly (readonly [string, string])[], name: string): string | undefined {
  const wanted = name.toLowerCase()
  for (const [key, value] of headers) if (key.toLowerCase() === wanted) return value
  return undefined
}
