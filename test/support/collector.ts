// A collector of OpenTelemetry traces: OTLP over HTTP, in JSON, kept in memory.

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'

export interface CollectedSpan {
  readonly service: string
  readonly name: string
  readonly kind: 'server' | 'client'
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId: string
  readonly attributes: Readonly<Record<string, string | number>>
  readonly hasFailed: boolean
  /** Nanoseconds since the epoch. */
  readonly startedAt: bigint
  readonly endedAt: bigint
}

interface Exported {
  resourceSpans?: {
    resource: { attributes: KeyValue[] }
    scopeSpans: { spans: ExportedSpan[] }[]
  }[]
}

interface ExportedSpan {
  name: string
  kind: number
  traceId: string
  spanId: string
  parentSpanId?: string
  startTimeUnixNano: string
  endTimeUnixNano: string
  attributes: KeyValue[]
  status: { code?: number }
}

interface KeyValue {
  key: string
  value: { stringValue?: string; intValue?: number }
}

export interface Collector {
  readonly url: string
  readonly spans: readonly CollectedSpan[]
  /** Resolves when as many spans fit. */
  until(fits: (span: CollectedSpan) => boolean, count?: number): Promise<CollectedSpan[]>
  close(): Promise<void>
}

export async function startCollector(): Promise<Collector> {
  const spans: CollectedSpan[] = []
  const watchers = new Set<() => void>()
  const server = createServer((req, res) => {
    void (async () => {
      const body = (await json(req)) as Exported
      for (const { resource, scopeSpans } of body.resourceSpans ?? []) {
        const service = String(valuesOf(resource.attributes)['service.name'])
        for (const span of scopeSpans.flatMap((scope) => scope.spans)) spans.push(spanOf(service, span))
      }
      res.writeHead(200, { 'Content-Type': 'application/json' }).end('{}')
      for (const look of watchers) look()
    })()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    until: (fits, count = 1) =>
      new Promise((resolve) => {
        const look = () => {
          const found = spans.filter(fits)
          if (found.length < count) return
          watchers.delete(look)
          resolve(found)
        }
        watchers.add(look)
        look()
      }),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** OTLP numbers the kinds: 2 is a server, 3 a client. */
function spanOf(service: string, exported: ExportedSpan): CollectedSpan {
  const {
    name,
    kind,
    traceId,
    spanId,
    parentSpanId = '',
    attributes,
    status,
    startTimeUnixNano,
    endTimeUnixNano,
  } = exported
  return {
    ...{ service, name, traceId, spanId, parentSpanId },
    kind: kind === 2 ? 'server' : 'client',
    attributes: valuesOf(attributes),
    hasFailed: status.code === 2,
    startedAt: BigInt(startTimeUnixNano),
    endedAt: BigInt(endTimeUnixNano),
  }
}

function valuesOf(attributes: readonly KeyValue[]): Record<string, string | number> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, value.stringValue ?? value.intValue ?? '']))
}
