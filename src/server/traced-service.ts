// A span for every operation an agent is asked for; that of a stream lasts as long as the stream. What the agent does runs inside
// it, and is told its trace context.

import type { Call, EventFeed, Service } from '../bindings/service.ts'
import type { Operation, OperationRequest } from '../model/operation.ts'
import { type OperationSpan, startOperation } from '../telemetry/operation-span.ts'
import { serverFacts } from '../telemetry/server-facts.ts'
import type { Tracing } from '../telemetry/tracing.ts'

export interface TracedPlace {
  readonly agentName: string
  /** Where clients reach the server. */
  baseUrl(): string
}

export function withSpans(service: Service, tracing: Tracing, { agentName, baseUrl }: TracedPlace): Service {
  const begin = <O extends Operation>(op: O, request: OperationRequest<O>, { dialect, tenant, trace }: Call) =>
    startOperation(tracing, op, request, {
      kind: 'server',
      facts: { agentName, tenant, protocolVersion: dialect.id, ...serverFacts(baseUrl()) },
      parent: trace,
    })
  return {
    async call(op, request, call) {
      const span = begin(op, request, call)
      const result = await span.run(() => service.call(op, request, withTrace(call, span)))
      span.seeResult(result)
      span.end()
      return result
    },
    async stream(op, request, call) {
      const span = begin(op, request, call)
      return spanned(await span.run(() => service.stream(op, request, withTrace(call, span))), span)
    },
  }
}

function withTrace(call: Call, { trace }: OperationSpan): Call {
  return trace === undefined ? call : { ...call, trace }
}

function spanned(feed: EventFeed, span: OperationSpan): EventFeed {
  if (feed.opening !== undefined) span.seeEvent(feed.opening)
  return {
    opening: feed.opening,
    openingSeq: feed.openingSeq,
    async next() {
      try {
        const events = await feed.next()
        for (const { event } of events ?? []) span.seeEvent(event)
        if (events === undefined) span.end()
        return events
      } catch (error) {
        span.fail(error)
        throw error
      }
    },
    close() {
      span.end()
      feed.close()
    },
  }
}
