// One trace from a client through the proxy to an agent and back to a webhook, collected over OTLP from three processes; and
// without OpenTelemetry the trace context of the caller, passed on as it came.

import { once } from 'node:events'
import { createServer as createHttpServer, type IncomingHttpHeaders } from 'node:http'
import { type AddressInfo, createServer as createSocketServer } from 'node:net'
import { join } from 'node:path'
import { context, propagation, trace } from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { NodeTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-node'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { SPEC_CARD } from '../../src/agents/cards.ts'
import { A2AClient } from '../../src/client/a2a-client.ts'
import type { Task } from '../../src/model/task.ts'
import { createServer } from '../../src/server/server.ts'
import { ATTRIBUTE } from '../../src/telemetry/attributes.ts'
import type { TraceContext } from '../../src/telemetry/trace-context.ts'
import { type CollectedSpan, type Collector, startCollector } from '../support/collector.ts'
import { type Serving, startParley } from '../support/parley-process.ts'

const SETUP = join(import.meta.dirname, '../support/otel-setup.ts')
const TRACE_ID = '0af7651916cd43dd8448eb211c80319c'
const GIVEN: TraceContext = { traceparent: `00-${TRACE_ID}-b7ad6b7169203331-01`, tracestate: 'congo=t61rcWkgMzE' }

interface Hook {
  url: string
  received: IncomingHttpHeaders[]
  /** Resolves with the headers of the delivery of the end of the task. */
  ended: Promise<IncomingHttpHeaders>
  close(): void
}

async function startHook(): Promise<Hook> {
  const received: IncomingHttpHeaders[] = []
  const ended = Promise.withResolvers<IncomingHttpHeaders>()
  const server = createHttpServer((req, res) => {
    let body = ''
    req.setEncoding('utf8').on('data', (chunk: string) => (body += chunk))
    req.on('end', () => {
      received.push(req.headers)
      if (body.includes('TASK_STATE_COMPLETED')) ended.resolve(req.headers)
      res.end()
    })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`
  return { url, received, ended: ended.promise, close: () => void server.close() }
}

function message(text: string, webhook?: string) {
  const configuration = webhook === undefined ? {} : { configuration: { taskPushNotificationConfig: { url: webhook } } }
  return {
    message: { messageId: crypto.randomUUID(), role: 'ROLE_USER' as const, parts: [{ text }] },
    ...configuration,
  }
}

describe('without OpenTelemetry', () => {
  test.each(['jsonrpc', 'rest', 'grpc'] as const)(
    '%s: into the context of the agent, and to its webhook',
    async (binding) => {
      const seen: (TraceContext | undefined)[] = []
      const server = createServer({
        card: { ...SPEC_CARD, capabilities: { streaming: true, pushNotifications: true } },
        agent: async (_message, agent) => {
          seen.push(agent.trace)
          await agent.status('TASK_STATE_WORKING')
        },
        allowPrivateWebhooks: true,
        grpc: true,
      })
      const { url } = await server.listen()
      const hook = await startHook()
      try {
        using client = await A2AClient.connect(url, { transports: [binding] })
        await client.sendMessage(message('hi', hook.url), { trace: GIVEN })
        expect(await hook.ended).toMatchObject(GIVEN)
        for await (const _ of client.streamMessage(message('hi'), { trace: { traceparent: GIVEN.traceparent } })) {
          // To its end.
        }
        await client.sendMessage(message('hi'))
        await client.sendMessage(message('hi'), { trace: { traceparent: '00-0-0-00' } })
        expect(seen).toEqual([GIVEN, { traceparent: GIVEN.traceparent }, undefined, undefined])
      } finally {
        hook.close()
        await server.close({ graceMs: 0 })
      }
    },
  )
})

test('the log says which trace and task an error belongs to', async () => {
  const lines: object[] = []
  const server = createServer({
    card: SPEC_CARD,
    extendedCard: { card: SPEC_CARD, isVisibleTo: () => true },
    agent: async (_message, agent) => {
      await agent.status('TASK_STATE_WORKING')
      throw new Error('out of ideas')
    },
    log: (level, event, fields) => void lines.push({ level, event, ...fields }),
  })
  const { url } = await server.listen()
  using client = await A2AClient.connect(url)
  const result = await client.sendMessage(message('hi'), { trace: GIVEN })
  await server.close({ graceMs: 0 })
  const taskId = 'task' in result ? result.task.id : ''
  expect(lines).toMatchObject([
    { level: 'error', event: 'agent-error', taskId, traceId: TRACE_ID, message: 'out of ideas' },
  ])
})

describe('with OpenTelemetry', () => {
  let collector: Collector
  let provider: NodeTracerProvider
  let agent: Serving
  let proxy: Serving
  let hook: Hook

  const setup = (service: string, collectorUrl: string) => ({
    env: {
      NODE_OPTIONS: `--import "${SETUP}"`,
      OTEL_SERVICE_NAME: service,
      OTEL_EXPORTER_OTLP_ENDPOINT: collectorUrl,
    },
  })

  beforeAll(async () => {
    collector = await startCollector()
    const exporter = new OTLPTraceExporter({ url: `${collector.url}/v1/traces` })
    provider = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] })
    provider.register()
    hook = await startHook()
    agent = await startParley(['serve'], setup('agent', collector.url))
    const open = ['--allow-private-webhooks', '--allow-private-upstreams']
    proxy = await startParley(['proxy', `${agent.url}/spec`, ...open], setup('proxy', collector.url))
  })
  afterAll(async () => {
    await Promise.all([agent.stop(), proxy.stop()])
    await provider.shutdown()
    trace.disable()
    context.disable()
    propagation.disable()
    hook.close()
    await collector.close()
  })

  const ofService = (spans: readonly CollectedSpan[], service: string, kind: CollectedSpan['kind'], name: string) =>
    spans.find((span) => span.service === service && span.kind === kind && span.name === name)

  test('a message goes through the proxy to the agent and back to the webhook in one trace', async () => {
    using client = await A2AClient.connect(proxy.url)
    let task: Task | undefined
    for await (const { event } of client.streamMessage(message('task-lifecycle trace me', hook.url)))
      if ('task' in event) task = event.task
    const { traceparent = '' } = (await hook.ended) as { traceparent?: string }
    const traceId = traceparent.split('-')[1]
    await collector.until(
      (span) => span.name === 'PushNotification' && span.attributes[ATTRIBUTE.taskState] === 'TASK_STATE_COMPLETED',
    )
    const spans = await collector.until(({ name, traceId: id }) => name === 'SendStreamingMessage' && id === traceId, 4)
    const all = collector.spans.filter((span) => span.traceId === traceId)

    // Who called whom.
    const chain = [
      spans.find(({ service, kind }) => service !== 'proxy' && service !== 'agent' && kind === 'client'),
      ofService(spans, 'proxy', 'server', 'SendStreamingMessage'),
      ofService(spans, 'proxy', 'client', 'SendStreamingMessage'),
      ofService(spans, 'agent', 'server', 'SendStreamingMessage'),
    ]
    expect(chain.every((span) => span !== undefined)).toBe(true)
    expect(chain.slice(1).map((span) => span?.parentSpanId)).toEqual(chain.slice(0, 3).map((span) => span?.spanId))
    const pushed = all.filter(({ name }) => name === 'PushNotification')
    expect(pushed.map(({ service, spanId }) => `${service} ${spanId}`)).toContain(`proxy ${traceparent.split('-')[2]}`)

    expect(chain[1]?.attributes).toMatchObject({
      [ATTRIBUTE.method]: 'SendStreamingMessage',
      [ATTRIBUTE.taskId]: task?.id,
      [ATTRIBUTE.taskState]: 'TASK_STATE_COMPLETED',
      [ATTRIBUTE.protocolVersion]: '1.0',
      [ATTRIBUTE.agentName]: 'Parley Spec Agent',
      [ATTRIBUTE.contextId]: task?.contextId,
      [ATTRIBUTE.serverAddress]: '127.0.0.1',
      [ATTRIBUTE.serverPort]: Number(new URL(proxy.url).port),
    })
    expect(chain[3]?.attributes[ATTRIBUTE.messageId]).toBe(chain[2]?.attributes[ATTRIBUTE.messageId])
  })

  test('the span of a stream lasts as long as the stream', async () => {
    using client = await A2AClient.connect(`${agent.url}/spec`)
    const times: bigint[] = []
    let taskId = ''
    for await (const { event } of client.streamMessage(message('streaming please')))
      if ('statusUpdate' in event) {
        taskId = event.statusUpdate.taskId
        const { timestamp = '' } = event.statusUpdate.status
        times.push(BigInt(Date.parse(timestamp)) * 1_000_000n)
      }
    const spans = await collector.until(({ attributes }) => attributes[ATTRIBUTE.taskId] === taskId, 2)
    // Spans and events are dated by two clocks, which differ by milliseconds; how long they took does not.
    const streamed = (times.at(-1) ?? 0n) - (times[0] ?? 0n)
    expect(streamed).toBeGreaterThan(0n)
    for (const { startedAt, endedAt } of spans) expect((endedAt - startedAt) * 2n).toBeGreaterThan(streamed)
  })

  test('what fails is told', async () => {
    using client = await A2AClient.connect(`${agent.url}/spec`)
    await expect(client.getTask({ id: 'nobody' })).rejects.toMatchObject({ kind: 'TaskNotFound' })
    const [span] = await collector.until(({ service, name }) => service === 'agent' && name === 'GetTask')
    expect(span).toMatchObject({ hasFailed: true, attributes: { [ATTRIBUTE.errorType]: 'TaskNotFound' } })
  })

  test('a collector that is down holds up nobody', async () => {
    const squatter = createSocketServer().listen(0, '127.0.0.1')
    await once(squatter, 'listening')
    const { port } = squatter.address() as AddressInfo
    squatter.close()
    const lonely = await startParley(['serve'], setup('lonely', `http://127.0.0.1:${port}`))
    using client = await A2AClient.connect(`${lonely.url}/echo`)
    for (let n = 0; n < 20; n++) expect(await client.sendMessage(message('hello'))).toHaveProperty('message')
    expect(await lonely.stop()).toMatchObject({ code: 0 })
  })
})
