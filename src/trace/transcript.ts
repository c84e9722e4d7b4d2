// One exchange as reports and run records hold it: text, redacted, cut to a readable size. Which protocol carried it is
// its tag; readers ask the transcript instead of assuming HTTP.

/** A message of a stream as a report shows it. */
export interface TranscriptFrame {
  /** Milliseconds since the request was sent. */
  atMs: number
  /** What the frame says: the data of a server-sent event, or a message as JSON. */
  data: string
}

/** When it was, and how long it took. */
export interface Timed {
  /** ISO 8601, UTC. */
  startedAt: string
  /** Milliseconds until the last byte. */
  durationMs?: number
  /** Why there is no response, or no complete one. */
  failure?: string
  /** Why it was sent again on a new connection; the last attempt is shown. */
  repeated?: string
}

/** An HTTP exchange as a report shows it. */
export interface HttpTranscript extends Timed {
  /** A request of HTTP. */
  protocol: 'http'
  /** What was sent. */
  request: {
    /** Of HTTP: `POST`. */
    method: string
    /** Absolute. */
    url: string
    /** As sent; secrets taken out. */
    headers: [string, string][]
    /** As text. */
    body: string
  }
  /** What came back; absent when nothing did. */
  response?: {
    /** Status code of HTTP. */
    status: number
    /** As received; secrets taken out. */
    headers: [string, string][]
    /** As text; of a stream, all its events. */
    body: string
    /** Why it was cut or not read to its end. */
    incomplete?: string
    /** Server-sent events with their times; their text stands in the body, too. */
    frames?: TranscriptFrame[]
  }
}

/** A gRPC call as a report shows it. */
export interface GrpcTranscript extends Timed {
  /** A call of gRPC. */
  protocol: 'grpc'
  /** `method` is the path: /lf.a2a.v1.A2AService/GetTask. */
  request: {
    /** The path of the method. */
    method: string
    /** Absolute. */
    url: string
    /** Metadata as sent; secrets taken out. */
    headers: [string, string][]
    /** The messages as JSON. */
    messages: TranscriptFrame[]
    /** What was sent, as hexadecimal digits, with the prefixes of the messages. */
    bytes?: string
  }
  /** What came back; absent when nothing did. */
  response?: {
    /** The number of the gRPC status, and its text; absent when the call ended without one. */
    status?: number
    /** The text of the gRPC status. */
    message?: string
    /** Metadata as received; secrets taken out. */
    headers: [string, string][]
    /** The messages as JSON. */
    messages: TranscriptFrame[]
    /** What came after the last message. */
    trailers: [string, string][]
    /** What was received, as hexadecimal digits. */
    bytes?: string
    /** Fields the schema does not have: "3 of lf.a2a.v1.Task". */
    unknownFields?: string[]
    /** Why it was not read to its end. */
    incomplete?: string
  }
}

/** An exchange as a report shows it. */
export type Transcript = HttpTranscript | GrpcTranscript

/** What was sent, and what came back, as a person reads it. */
export function transcriptText(one: Transcript): string {
  const lines = requestLines(one)
  lines.push('')
  if (one.repeated !== undefined) lines.push(`(sent again: ${one.repeated})`)
  if (one.response !== undefined) {
    lines.push(...responseLines(one))
    if (one.response.incomplete !== undefined) lines.push(`(${one.response.incomplete})`)
  }
  if (one.failure !== undefined) lines.push(`(${one.failure})`)
  return lines.join('\n')
}

function requestLines(one: Transcript): string[] {
  const { method, url, headers } = one.request
  const body = one.protocol === 'http' ? one.request.body : messageLines(one.request).join('\n')
  const first = one.protocol === 'http' ? `${method} ${url}` : `gRPC ${url} ${method}`
  return [first, ...headers.map(asLine), ...(body === '' ? [] : ['', body])]
}

function responseLines(one: Transcript): string[] {
  if (one.response === undefined) return []
  const headers = one.response.headers.map(asLine)
  if (one.protocol === 'http') {
    const { body } = one.response
    return [answerLine(one), ...headers, ...(body === '' ? [] : ['', body])]
  }
  const { unknownFields = [], trailers } = one.response
  const unknown = unknownFields.length === 0 ? [] : [`(unknown fields: ${unknownFields.join(', ')})`]
  return [...headers, '', ...messageLines(one.response), ...unknown, '', answerLine(one), ...trailers.map(asLine)]
}

function messageLines({ messages, bytes }: { messages: readonly TranscriptFrame[]; bytes?: string }): string[] {
  return [...messages.map(({ data }) => data), ...(bytes === undefined ? [] : [`(bytes: ${bytes})`])]
}

function asLine([name, value]: readonly [string, string]): string {
  return `${name}: ${value}`
}

function answerLine(one: Transcript): string {
  if (one.response === undefined) return ''
  if (one.protocol === 'http') return `HTTP ${one.response.status}`
  const { status, message } = one.response
  return `gRPC status ${status ?? 'missing'}${message === undefined ? '' : `: ${message}`}`
}

/** The answer in one line: its status and what it carried; undefined when there was none. */
export function answerInBrief(one: Transcript): string | undefined {
  return one.response === undefined ? undefined : `${answerLine(one)} ${answerBody(one)}`
}

/** What the answer carried: its body, or its messages. */
export function answerBody(one: Transcript): string {
  if (one.protocol === 'http') return one.response?.body ?? ''
  return one.response?.messages.map(({ data }) => data).join('\n') ?? ''
}
