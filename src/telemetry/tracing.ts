// Spans, where they are collected: with `@opentelemetry/api` installed and a tracer provider registered, `loadTracing` yields what
// makes them; otherwise nothing, and whoever asks has nothing to do. Nothing here waits for a collector.

import type { Facts } from './attributes.ts'
import type { TraceContext } from './trace-context.ts'

export type SpanKind = 'server' | 'client'

export interface SpanRequest {
  readonly kind: SpanKind
  readonly name: string
  /** Of the request that caused it; else the span that is active here. */
  readonly parent: TraceContext | undefined
  readonly facts: Facts
}

export interface OpenSpan {
  /** To be passed on with what this span causes. */
  readonly trace: TraceContext | undefined
  /** Runs with the span as the active one, for the instrumentation of others. */
  run<T>(work: () => T): T
  tell(facts: Facts): void
  /** Once; with what went wrong, if something did. */
  end(failure?: { type: string; message: string }): void
}

export interface Tracing {
  start(request: SpanRequest): OpenSpan
  /** Of the span that is active here. */
  active(): TraceContext | undefined
  /** Sends what has gathered, if the provider knows how; takes as long as the collector does. */
  flush(): Promise<void>
}

let current: Tracing | undefined

/** What was loaded last; undefined when spans are not collected. */
export function tracing(): Tracing | undefined {
  return current
}

/** Looks whether there is a tracer provider now: at the start of a server, and when a client connects. */
export async function loadTracing(): Promise<Tracing | undefined> {
  if (!isApiRegistered()) return current
  const { openTelemetryTracing } = await import('./open-telemetry.ts')
  current = (await openTelemetryTracing()) ?? current
  return current
}

/** Where `@opentelemetry/api` keeps what was registered, whichever copy of it did: nothing is loaded to find out. */
function isApiRegistered(): boolean {
  const registered = (globalThis as Record<symbol, { trace?: unknown } | undefined>)[
    Symbol.for('opentelemetry.js.api.1')
  ]
  return registered?.trace !== undefined
}
