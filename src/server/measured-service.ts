// How long operations take, and how long a stream takes to its first event, as histograms of one agent. The answer is not held up:
// what is measured hangs beside its promise.

import type { EventFeed, Service } from '../bindings/service.ts'
import type { Operation } from '../model/operation.ts'
import type { AgentMetrics } from './metrics.ts'

export function withMetrics(service: Service, metrics: AgentMetrics): Service {
  return {
    call(op, request, call) {
      const began = performance.now()
      const answer = service.call(op, request, call)
      const over = () => metrics.observeOperation(op, secondsSince(began))
      answer.then(over, over)
      return answer
    },
    async stream(op, request, call) {
      const began = performance.now()
      try {
        return measured(await service.stream(op, request, call), op, metrics, began)
      } catch (error) {
        metrics.observeOperation(op, secondsSince(began))
        throw error
      }
    },
  }
}

function measured(feed: EventFeed, op: Operation, metrics: AgentMetrics, began: number): EventFeed {
  let hasEvent = feed.opening !== undefined
  if (hasEvent) metrics.observeFirstEvent(secondsSince(began))
  let isOver = false
  const over = () => {
    if (isOver) return
    isOver = true
    metrics.observeOperation(op, secondsSince(began))
  }
  return {
    opening: feed.opening,
    openingSeq: feed.openingSeq,
    next() {
      const events = feed.next()
      if (hasEvent) return events
      hasEvent = true
      const first = () => metrics.observeFirstEvent(secondsSince(began))
      events.then(first, over)
      return events
    },
    close() {
      over()
      feed.close()
    },
  }
}

function secondsSince(began: number): number {
  return (performance.now() - began) / 1_000
}
