// The span of one operation, made alike by server and client: what the request, the result and the events of a stream say about
// the task becomes its attributes.

import { A2AError } from '../model/errors.ts'
import type { StreamEvent, TaskEvent } from '../model/event.ts'
import type { Operation, OperationRequest, OperationResult } from '../model/operation.ts'
import type { Message, Task } from '../model/task.ts'
import { type Facts, SPAN_NAME } from './attributes.ts'
import type { TraceContext } from './trace-context.ts'
import type { OpenSpan, SpanKind, Tracing } from './tracing.ts'

export interface OperationSpanOptions {
  readonly kind: SpanKind
  readonly facts: Facts
  /** Of the request that caused it, if that had one. */
  readonly parent: TraceContext | undefined
}

export function startOperation<O extends Operation>(
  tracing: Tracing,
  op: O,
  request: OperationRequest<O>,
  { kind, facts, parent }: OperationSpanOptions,
): OperationSpan {
  const asked = { ...facts, method: SPAN_NAME[op], ...factsOfRequest(request) }
  return new OperationSpan(tracing.start({ kind, name: SPAN_NAME[op], parent, facts: asked }))
}

export class OperationSpan {
  readonly #span: OpenSpan
  #facts: Facts = {}

  constructor(span: OpenSpan) {
    this.#span = span
  }

  get trace(): TraceContext | undefined {
    return this.#span.trace
  }

  /** Waits for the work, with the span as the active one, and ends it if the work fails. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await this.#span.run(work)
    } catch (error) {
      this.fail(error)
      throw error
    }
  }

  seeResult(result: OperationResult<Operation>): void {
    if (typeof result !== 'object' || result === null) return
    if ('task' in result) this.#see(factsOfTask(result.task))
    else if ('message' in result) this.#see(factsOfMessage(result.message))
    else if ('status' in result && 'id' in result) this.#see(factsOfTask(result as Task))
  }

  seeEvent(event: StreamEvent | TaskEvent): void {
    if ('task' in event) this.#see(factsOfTask(event.task))
    else if ('message' in event) this.#see(factsOfMessage(event.message))
    else if ('statusUpdate' in event) {
      const { taskId, contextId, status } = event.statusUpdate
      this.#see({ taskId, contextId, taskState: status.state })
    }
  }

  end(): void {
    this.#span.tell(this.#facts)
    this.#span.end()
  }

  fail(error: unknown): void {
    this.#span.tell(this.#facts)
    const message = error instanceof Error ? error.message : 'failed'
    this.#span.end({ type: error instanceof A2AError ? error.label : nameOf(error), message })
  }

  #see(facts: Facts): void {
    this.#facts = { ...this.#facts, ...facts }
  }
}

function factsOfRequest(request: object): Facts {
  const { message, id, taskId } = request as { message?: Message; id?: string; taskId?: string }
  if (message !== undefined) {
    const { messageId, contextId, taskId: named } = message
    return { messageId, contextId, taskId: named }
  }
  return { taskId: taskId ?? id }
}

function factsOfTask({ id, contextId, status }: Task): Facts {
  return { taskId: id, contextId, taskState: status.state }
}

function factsOfMessage({ contextId }: Message): Facts {
  return { contextId }
}

function nameOf(error: unknown): string {
  if (!(error instanceof Error)) return 'Error'
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name
}
