// How streams are written on the wire, and how a refused streaming call looks (1.0 §9.4.2, §11.7).

import { isUtf8 } from 'node:buffer'
import { isJsonObject, type JsonValue } from '../../model/json.ts'
import { quote } from '../probe/assertions.ts'
import type { Probe } from '../probe/probe.ts'
import type { RawStream } from '../probe/raw-stream.ts'
import { envelopeIssues, idIssues } from './answers.ts'
import { area, check, everywhere, OVER_HTTP, type PlacedCheck } from './check.ts'
import { eachStream, finishedStream, framedStream, readToOutcome } from './raw-streams.ts'
import { streamsToFinished } from './refusals.ts'

const PAYLOAD_MEMBERS = ['task', 'message', 'statusUpdate', 'artifactUpdate']

export const streamFrameChecks: PlacedCheck[] = [
  ...area({ name: 'stream-frames', category: 'streaming', phase: 4, bindings: OVER_HTTP }, [
    check(
      'stream-wellformed',
      'MUST write well-formed server-sent events',
      {
        proves: ['sse-wellformed'],
        fix: 'Write UTF-8 lines `data: {json}` and a blank line after every event.',
        needs: ['check:stream-content-type'],
        groundOf: 'streamMessage',
      },
      async (t) => {
        expectReadable(t, await framedStream(t))
        await eachStream(t, async (s) => expectReadable(t, s))
      },
    ),
    check(
      'stream-event-names',
      'SHOULD send events without an event name, so that every SSE client sees them',
      {
        proves: ['sse-unnamed-events'],
        fix: 'Send events without an event name (or named "message"), so that every SSE client delivers them.',
      },
      (t) =>
        eachStream(t, async (s) => {
          const named = s.frames.find(({ event }) => event !== undefined && event !== '' && event !== 'message')
          t.expect(
            named === undefined,
            `events carry the name "${named?.event}"; clients listening for "message" miss them`,
            { expected: 'events without a name', actual: `event: ${named?.event}`, at: s },
          )
        }),
    ),
  ]),
  ...area({ name: 'stream-frames', category: 'streaming', phase: 4, bindings: ['jsonrpc'] }, [
    everywhere(
      check(
        'stream-envelope',
        'MUST wrap every event of a stream in a JSON-RPC response',
        {
          proves: ['jsonrpc-sse-envelope'],
          fix: 'Send {"jsonrpc":"2.0","id":…,"result":{…}} as the data of every event.',
          needs: ['check:stream-content-type'],
          groundOf: 'streamMessage',
        },
        async (t) => {
          const s = await finishedStream(t)
          for (const [at, payload] of s.payloads.entries()) {
            const isEnvelope = isJsonObject(payload) && payload.jsonrpc === '2.0' && isJsonObject(payload.result)
            t.expect(isEnvelope, `event ${at + 1} is not a JSON-RPC response with a result`, {
              expected: '{"jsonrpc":"2.0","id":…,"result":…}',
              actual: quote(payload),
              at: s,
            })
            t.expect(isJsonObject(payload) && !('error' in payload), `event ${at + 1} has both result and error`, {
              at: s,
            })
          }
        },
      ),
      ['frame'],
      envelopeIssues,
    ),
    everywhere(
      check(
        'stream-id',
        'MUST repeat the id of the request in every event',
        {
          proves: ['jsonrpc-sse-id'],
          fix: 'Copy the id of the request, value and type, into every response of the stream.',
          yieldsTo: ['jsonrpc-id-echo'],
        },
        async (t) => {
          // 0 and "" are ids, although they count as false.
          for (const id of ['parley-stream', 4711, 0, '']) {
            const s = await t.openStream('task', { id })
            t.expectAnswered(s)
            await readToOutcome(s)
            if (s.payloads.length === 0) t.notMeasured('the agent opened no stream')
            for (const payload of s.payloads) {
              const seen = isJsonObject(payload) ? payload.id : undefined
              t.expect(seen === id, `an event has the id ${quote(seen)}`, {
                expected: quote(id),
                actual: quote(seen),
                pointer: '/id',
                at: s,
              })
            }
          }
        },
      ),
      ['frame'],
      idIssues,
    ),
    check(
      'stream-error-jsonrpc',
      'MUST report the failure of a streaming call as a JSON-RPC error',
      {
        proves: ['stream-pre-error-jsonrpc', 'jsonrpc-sse-error'],
        fix: 'Return {"jsonrpc":"2.0","id":…,"error":{…}}, as JSON or as the only event of a stream.',
        category: 'error-handling',
        yieldsTo: ['stream-unknown-task', 'jsonrpc-envelope'],
      },
      async (t) => {
        const id = 'parley-refused'
        const s = await refusedStream(t, { id })
        if (s.error === undefined)
          t.notMeasured('a message to an unknown task is not refused; another check reports this')
        t.expectError(s, 'TaskNotFound')
        const envelope: JsonValue | undefined = s.refused?.body ?? s.payloads[0]
        t.expect(isJsonObject(envelope) && envelope.jsonrpc === '2.0', 'the error has no JSON-RPC envelope', {
          expected: '{"jsonrpc":"2.0","id":…,"error":…}',
          actual: quote(envelope),
          at: s,
        })
        const seen = isJsonObject(envelope) ? envelope.id : undefined
        t.expectEqual(seen, id, 'the id of the error', { pointer: '/id', at: s })
      },
    ),
  ]),
  ...area({ name: 'stream-frames', category: 'streaming', phase: 4, bindings: ['rest'] }, [
    check(
      'stream-bare',
      'MUST send events without a JSON-RPC envelope over HTTP+JSON',
      {
        proves: ['http-json-sse-bare'],
        fix: 'Send the StreamResponse itself as data, without a JSON-RPC envelope.',
        needs: ['check:stream-content-type'],
        groundOf: 'streamMessage',
      },
      (t) =>
        eachStream(t, async (s) => {
          for (const [at, payload] of s.payloads.entries()) {
            const isWrapped = !isJsonObject(payload) || 'jsonrpc' in payload || 'result' in payload
            t.expect(!isWrapped, `event ${at + 1} is wrapped`, {
              expected: `one of ${PAYLOAD_MEMBERS.join(', ')}`,
              actual: quote(payload),
              pointer: '',
              at: s,
            })
          }
        }),
    ),
    check(
      'stream-error-rest',
      'MUST refuse a streaming call with an ordinary HTTP error',
      {
        proves: ['stream-pre-error-http-json'],
        fix: 'Check the request before the response begins, and return 4xx with the error body.',
        category: 'error-handling',
        yieldsTo: ['stream-unknown-task'],
      },
      async (t) => {
        const s = await refusedStream(t, {})
        t.expectError(s, 'TaskNotFound')
        // A client that accepts only streams may get the error as the one event of its body; the status tells it is one.
        const status = s.exchange.response?.status ?? 0
        t.expect(status >= 400, `the error came with HTTP ${status}`, {
          expected: 'the status of the error (docs/spec-conflicts.md, place 22)',
          actual: `HTTP ${status}`,
          at: s,
        })
      },
    ),
  ]),
  ...area({ name: 'stream-refusals', category: 'error-handling', phase: 4 }, [
    check(
      'stream-undeclared',
      'MUST refuse streaming calls when it does not declare streaming',
      {
        proves: ['stream-unsupported'],
        fix: 'Return UnsupportedOperationError to streaming sends, or declare capabilities.streaming.',
        phase: 2,
        needs: ['check:rest-stream-route'],
        yieldsTo: ['jsonrpc-method-names', 'card-capabilities-boolean'],
        tells: true,
      },
      async (t) => {
        const s = await t.openStream('task', { timeoutMs: Math.min(t.timeoutMs, 10_000) })
        await s.next()
        t.expectError(s, 'UnsupportedOperation')
      },
    ),
    check(
      'subscribe-undeclared',
      'MUST refuse subscriptions when it does not declare streaming',
      {
        proves: ['subscribe-unsupported'],
        fix: 'Return UnsupportedOperationError to SubscribeToTask, whether or not the task exists.',
        phase: 2,
        needs: ['check:rest-subscribe-route'],
        yieldsTo: ['jsonrpc-method-names', 'stream-undeclared', 'card-capabilities-boolean'],
      },
      async (t) => {
        const s = await t.stream('subscribeTask', { id: t.unusedId() })
        await s.next()
        t.expectError(s, 'UnsupportedOperation')
      },
    ),
    check(
      'stream-unknown-task',
      'MUST refuse to stream a message to a task that does not exist',
      {
        proves: ['stream-unknown-task-id'],
        fix: 'Return TaskNotFoundError before the stream begins.',
      },
      async (t) => t.expectError(await refusedStream(t, {}), 'TaskNotFound'),
    ),
    check(
      'stream-to-finished',
      'MUST refuse to stream a message to a finished task',
      {
        proves: ['stream-to-terminal-task'],
        fix: 'Return UnsupportedOperationError when the task is in a terminal state.',
      },
      async (t) => {
        for (const { x } of await streamsToFinished(t)) t.expectError(x, 'UnsupportedOperation')
      },
    ),
    check(
      'stream-unsupported-media',
      'SHOULD refuse parts of a media type it does not accept on streams too',
      {
        proves: ['stream-content-type-unsupported'],
        fix: 'Check the parts of a streaming send like those of a plain send.',
      },
      async (t) => {
        const plain = await t.send('task', { parts: [{ raw: 'AAAA', mediaType: 'application/x-parley-unsupported' }] })
        if (plain.error === undefined) t.notMeasured('the agent accepts the media type on plain sends as well')
        const s = await t.openStream('task', {
          parts: [{ raw: 'AAAA', mediaType: 'application/x-parley-unsupported' }],
        })
        await s.next()
        t.expectError(s, 'ContentTypeNotSupported')
      },
    ),
  ]),
]

/** Unknown fields are ignored by every reader, so any line is well-formed; what counts is the data. */
function expectReadable(t: Probe, s: RawStream): void {
  t.expect(isUtf8(s.exchange.response?.body ?? new Uint8Array()), 'the stream is not UTF-8', {
    expected: 'UTF-8',
    at: s,
  })
  const broken = s.payloads.indexOf(undefined)
  t.expect(broken < 0, `the data of event ${broken + 1} is not JSON`, {
    expected: 'one JSON value',
    actual: quote(s.frames[broken]?.data),
    at: s,
  })
}

async function refusedStream(t: Probe, options: { id?: JsonValue }): Promise<RawStream> {
  const timeoutMs = Math.min(t.timeoutMs, 10_000)
  const s = await t.stream(
    'streamMessage',
    { message: t.message('x', { taskId: t.unusedId() }) },
    { timeoutMs, ...options },
  )
  await s.next()
  return s
}
