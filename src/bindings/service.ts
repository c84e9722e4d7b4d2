// What a binding needs from whoever answers: operations in neutral terms, and feeds of events for streams. The server
// implements it; bindings know nothing else about the server.

import type { Dialect } from '../dialects/dialect.ts'
import type { StreamEvent, TaskEvent } from '../model/event.ts'
import type { Operation, OperationRequest, OperationResult, StreamingOperation } from '../model/operation.ts'
import type { TraceContext } from '../telemetry/trace-context.ts'

/** The circumstances of one request that are not part of its message. */
export interface Call {
  /**
   * The protocol version the caller speaks.
   *
   * @internal
   */
  readonly dialect: Dialect
  /** Who the caller is, as authentication established it. */
  readonly subject: string
  /** From the path, or from the request itself. */
  readonly tenant: string
  /** Extension URIs the client activated. */
  readonly extensions: readonly string[]
  /** The Authorization header, for operations that check it themselves (the extended card of an open agent). */
  readonly authorization?: string
  /** The origin of the web page that asks, when a browser says so. */
  readonly page?: string
  /** SSE Last-Event-ID of a reconnecting client. */
  readonly lastEventId?: string
  /** The trace this request belongs to, to be passed on with whatever it causes. */
  readonly trace?: TraceContext
}

/** An event of a task's log: the value, and the same as JSON text in the model's shape. */
export interface LoggedEvent {
  /** Its position in the task's log, which is its SSE id. */
  readonly seq: number
  /** The event as a value. */
  readonly event: TaskEvent
  /** The event as JSON text, 1.0 form. */
  readonly text: string
}

/** Events of a stream, pulled by whoever sends them. */
export interface EventFeed {
  /** Sent before everything else: the task as it is, or the direct reply. */
  readonly opening: StreamEvent | undefined
  /** Event id of the opening, for clients that reconnect. */
  readonly openingSeq: number | undefined
  /** At least one event, or undefined when the feed is over. */
  next(): Promise<readonly LoggedEvent[] | undefined>
  /** No more is read; may be called more than once. */
  close(): void
}

/** The operations with one answer. */
export type UnaryOperation = Exclude<Operation, StreamingOperation>

/** What answers operations in neutral terms; an agent on the engine is one, a proxy another. */
export interface Service {
  /** Answers an operation; throws an A2AError to refuse it. */
  call<O extends UnaryOperation>(op: O, request: OperationRequest<O>, call: Call): Promise<OperationResult<O>>
  /** Answers an operation with events; throws an A2AError to refuse it before the first. */
  stream<O extends StreamingOperation>(op: O, request: OperationRequest<O>, call: Call): Promise<EventFeed>
}
