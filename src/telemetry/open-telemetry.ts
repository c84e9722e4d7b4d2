// Spans of OpenTelemetry. The only file that knows its API, which is an optional peer and loaded only where the application has
// registered a tracer provider.

import type { Context, Span, SpanOptions } from '@opentelemetry/api'
import { ATTRIBUTE, type Facts } from './attributes.ts'
import type { TraceContext } from './trace-context.ts'
import type { OpenSpan, SpanRequest, Tracing } from './tracing.ts'

type Api = typeof import('@opentelemetry/api')

const NAME = 'a2a-parley'

export async function openTelemetryTracing(): Promise<Tracing | undefined> {
  const api = await import('@opentelemetry/api').catch(() => undefined)
  if (api === undefined) return undefined
  const tracer = api.trace.getTracer(NAME)
  return {
    start({ kind, name, parent, facts }: SpanRequest) {
      const options: SpanOptions = {
        kind: kind === 'server' ? api.SpanKind.SERVER : api.SpanKind.CLIENT,
        attributes: attributesOf(facts),
      }
      const context = parent === undefined ? api.context.active() : contextOf(api, parent)
      const span = tracer.startSpan(name, options, context)
      return openSpan(api, span, api.trace.setSpan(context, span))
    },
    active: () => traceOf(api.trace.getActiveSpan()),
    flush: async () => {
      const registered = api.trace.getTracerProvider()
      const provider = registered instanceof api.ProxyTracerProvider ? registered.getDelegate() : registered
      await (provider as { forceFlush?: () => Promise<void> }).forceFlush?.()
    },
  }
}

function openSpan(api: Api, span: Span, context: Context): OpenSpan {
  let isOpen = true
  return {
    trace: traceOf(span),
    run: (work) => api.context.with(context, work),
    tell: (facts) => void span.setAttributes(attributesOf(facts)),
    end(failure) {
      if (!isOpen) return
      isOpen = false
      if (failure !== undefined) {
        span.setAttribute(ATTRIBUTE.errorType, failure.type)
        span.setStatus({ code: api.SpanStatusCode.ERROR, message: failure.message })
      }
      span.end()
    },
  }
}

function contextOf(api: Api, { traceparent, tracestate }: TraceContext): Context {
  const [, traceId = '', spanId = '', flags = '00'] = traceparent.split('-')
  return api.trace.setSpanContext(api.context.active(), {
    ...{ traceId, spanId, isRemote: true, traceFlags: Number.parseInt(flags, 16) & api.TraceFlags.SAMPLED },
    ...(tracestate === undefined ? {} : { traceState: api.createTraceState(tracestate) }),
  })
}

function traceOf(span: Span | undefined): TraceContext | undefined {
  if (span === undefined) return undefined
  const { traceId, spanId, traceFlags, traceState } = span.spanContext()
  const traceparent = `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`
  const tracestate = traceState?.serialize() ?? ''
  return tracestate === '' ? { traceparent } : { traceparent, tracestate }
}

function attributesOf(facts: Facts): Record<string, string | number> {
  const attributes: Record<string, string | number> = {}
  for (const [key, value] of Object.entries(facts))
    if (value !== undefined && value !== '') attributes[ATTRIBUTE[key as keyof Facts]] = value
  return attributes
}
