// What a program puts around every operation of a client: a look at what goes out and comes back, another header, another
// request, an answer of its own. The first of the list is the outermost.

import type { CallOptions, StreamItem, UnaryOperation } from '../bindings/endpoint-client.ts'
import type { OperationRequest, OperationResult, StreamingOperation } from '../model/operation.ts'

/** The operations a client can send. */
export type ClientOperation = UnaryOperation | StreamingOperation

/** One operation on its way to the agent. To change it, hand a changed copy to `next`. */
export interface OutgoingCall<O extends ClientOperation = ClientOperation> {
  /** Which operation. */
  readonly op: O
  /** What is asked, in the form of 1.0 whatever the agent speaks. */
  readonly request: OperationRequest<O>
  /** Its `headers` are sent with this operation alone. */
  readonly options: CallOptions
}

/** The events of a stream, as `streamMessage` and `subscribeTask` return them. */
export type EventStream = AsyncGenerator<StreamItem, void, undefined>

/** Around an operation with one answer: `next` sends it. */
export type CallInterceptor<O extends UnaryOperation> = (
  call: OutgoingCall<O>,
  next: (call: OutgoingCall<O>) => Promise<OperationResult<O>>,
) => Promise<OperationResult<O>>

/** Around a stream: `next` opens it; what is yielded is what the caller sees. */
export type StreamInterceptor<O extends StreamingOperation> = (
  call: OutgoingCall<O>,
  next: (call: OutgoingCall<O>) => EventStream,
) => EventStream

/** One interceptor for each operation with one answer, under its name. */
export type CallInterceptors = { [O in UnaryOperation]?: CallInterceptor<O> }

/** One interceptor for each operation with a stream, under its name. */
export type StreamInterceptors = { [O in StreamingOperation]?: StreamInterceptor<O> }

/**
 * What to put around operations: `call` around all that have one answer, `stream` around all streams, and one named after
 * an operation around that one alone, with its types. Each operation that is really sent passes, also those of `waitForTask`
 * and the subscriptions of a resumed stream; asking again with a new token, or in an older protocol version, does not.
 *
 * @example
 * ```ts
 * import type { Interceptor } from 'a2a-parley/client'
 *
 * const timing: Interceptor = {
 *   async call(call, next) {
 *     const started = performance.now()
 *     try {
 *       return await next({ ...call, options: { ...call.options, headers: [['traceparent', '00-…']] } })
 *     } finally {
 *       console.log(call.op, performance.now() - started)
 *     }
 *   },
 *   async *stream(call, next) {
 *     for await (const item of next(call)) {
 *       console.log(call.op, Object.keys(item.event))
 *       yield item
 *     }
 *   },
 *   sendMessage: (call, next) =>
 *     next({ ...call, request: { ...call.request, metadata: { ...call.request.metadata, origin: 'batch' } } }),
 * }
 * ```
 */
export type Interceptor = {
  /** Around every operation with one answer: `next` sends it on. */
  call?<O extends UnaryOperation>(
    call: OutgoingCall<O>,
    next: (call: OutgoingCall<O>) => Promise<OperationResult<O>>,
  ): Promise<OperationResult<O>>
  /** Around every operation that answers with events: `next` sends it on. */
  stream?<O extends StreamingOperation>(
    call: OutgoingCall<O>,
    next: (call: OutgoingCall<O>) => EventStream,
  ): EventStream
} & CallInterceptors &
  StreamInterceptors

export function interceptedCall<O extends UnaryOperation>(
  interceptors: readonly Interceptor[],
  op: O,
  send: (call: OutgoingCall<O>) => Promise<OperationResult<O>>,
): (call: OutgoingCall<O>) => Promise<OperationResult<O>> {
  const around = interceptors.flatMap((each) => {
    const named: CallInterceptors = each
    return [...bound<CallInterceptor<O>>(each, each.call), ...bound<CallInterceptor<O>>(each, named[op])]
  })
  return around.reduceRight<typeof send>((next, interceptor) => async (call) => interceptor(call, next), send)
}

export function interceptedStream<O extends StreamingOperation>(
  interceptors: readonly Interceptor[],
  op: O,
  open: (call: OutgoingCall<O>) => EventStream,
): (call: OutgoingCall<O>) => EventStream {
  const around = interceptors.flatMap((each) => {
    const named: StreamInterceptors = each
    return [...bound<StreamInterceptor<O>>(each, each.stream), ...bound<StreamInterceptor<O>>(each, named[op])]
  })
  return around.reduceRight<typeof open>((next, interceptor) => (call) => interceptor(call, next), open)
}

/** None, or the one that was given; its `this` is the object it stands in. */
function bound<F extends (...args: never[]) => unknown>(self: Interceptor, given: F | undefined): F[] {
  return given === undefined ? [] : [given.bind(self) as F]
}
