// The W3C trace context as it travels: two header fields, read from a request and passed on with whatever is caused by it. It
// works without OpenTelemetry: then the context of the caller is passed on as it came.

/** Which trace a call belongs to (W3C Trace Context). */
export interface TraceContext {
  /** The header of the same name: `00-<trace id>-<span id>-<flags>`. */
  readonly traceparent: string
  /** The header of the same name: what vendors add. */
  readonly tracestate?: string
}

/** Version, trace id, id of the parent span, flags. Version ff and ids of zeros are invalid; later versions may be longer. */
const TRACEPARENT = /^(?!ff)[\da-f]{2}-(?!0{32})[\da-f]{32}-(?!0{16})[\da-f]{16}-[\da-f]{2}(?:-.*)?$/
/** W3C §3.3.1.5: so much has to be passed on; more may be dropped. */
const LONGEST_STATE = 512
const LONGEST_PARENT = 128

type Headers = Readonly<Record<string, string | readonly string[] | undefined>>

/** Undefined when the request has none, or one that is not valid: then a new trace begins. */
export function traceContextIn(headers: Headers): TraceContext | undefined {
  const { traceparent, tracestate } = headers
  if (typeof traceparent !== 'string' || !isTraceparent(traceparent)) return undefined
  const state = typeof tracestate === 'string' ? tracestate : tracestate?.join(',')
  return state === undefined || state === '' || state.length > LONGEST_STATE || !/^[\x20-\x7e]*$/.test(state)
    ? { traceparent }
    : { traceparent, tracestate: state }
}

function isTraceparent(text: string): boolean {
  return text.length <= LONGEST_PARENT && TRACEPARENT.test(text)
}

export function traceHeaders(trace: TraceContext | undefined): [string, string][] {
  if (trace === undefined) return []
  const parent: [string, string] = ['traceparent', trace.traceparent]
  return trace.tracestate === undefined ? [parent] : [parent, ['tracestate', trace.tracestate]]
}

/** For logs: what the traces of other services are found by. */
export function traceIdOf(trace: TraceContext | undefined): string | undefined {
  return trace?.traceparent.slice(3, 35)
}
