// Streams of a sent message: how they begin, what may follow, how they end (1.0 §3.1.2, §3.5.2, §9.4.2, §11.7).
// Most claims look at one stream that all checks of a surface share.

import { monitorEventLoopDelay } from 'node:perf_hooks'
import { isSettled } from '../../model/state-machine.ts'
import { header } from '../probe/answer.ts'
import { quote } from '../probe/assertions.ts'
import { describeError } from '../probe/error-table.ts'
import type { Probe } from '../probe/probe.ts'
import type { RawStream } from '../probe/raw-stream.ts'
import { area, check, type PlacedCheck } from './check.ts'
import {
  aboutEvent,
  CLOSING_MS,
  describeKinds,
  eachStream,
  endsWithin,
  expectTaskOver,
  isOutcome,
  isTerminalEvent,
  openedStream,
  readToOutcome,
} from './raw-streams.ts'

/** Work shorter than this cannot show whether events were held back. */
const LONG_ENOUGH_MS = 200

/** Streams whose events all have to come together before it is held against the agent. */
const TIMED_STREAMS = 3

export const streamingChecks: PlacedCheck[] = area({ name: 'streaming', category: 'streaming', phase: 4 }, [
  check(
    'stream-opens',
    'MUST open a stream when it declares streaming',
    {
      proves: ['stream-establish', 'card-capability-streaming-honest', 'rest-stream'],
      fix: 'Serve the streaming send, or set capabilities.streaming to false.',
      needs: [
        'check:rest-stream-route',
        'check:stream-content-type',
        'check:stream-wellformed',
        'check:stream-bare',
        'check:stream-envelope',
      ],
      groundOf: 'streamMessage',
    },
    async (t) => {
      const s = await openedStream(t)
      t.expectAnswered(s)
      if (s.error !== undefined)
        t.fail(`the stream was refused: ${describeError(s.error)}`, {
          expected: 'a stream of events',
          actual: describeError(s.error),
          at: s,
        })
      t.expect(s.events.length > 0, 'the stream had no events', {
        expected: 'a stream of events',
        actual: s.frames[0] === undefined ? `a stream that ended (${s.end}) without events` : quote(s.frames[0].data),
        at: s,
      })
    },
  ),
  check(
    'stream-content-type',
    'MUST send streams as text/event-stream with status 200',
    {
      proves: ['jsonrpc-sse-content-type', 'http-json-sse-content-type'],
      fix: 'Answer a streaming call with HTTP 200 and Content-Type: text/event-stream.',
      needs: ['check:auth-accepted', 'check:version-supported'],
    },
    async (t) => {
      const s = await openedStream(t)
      t.expectAnswered(s)
      if (s.refused?.error !== undefined) t.notMeasured(`the stream was refused: ${describeError(s.refused.error)}`)
      const type = header(s, 'content-type') ?? ''
      t.expect(/^text\/event-stream\s*(;|$)/i.test(type), `the content type is ${type || 'missing'}`, {
        expected: 'text/event-stream',
        actual: type,
        at: s,
      })
      t.expectEqual(s.exchange.response?.status, 200, 'the HTTP status', { at: s })
    },
  ),
  check(
    'stream-first-event',
    'MUST begin a stream with the task or a message',
    {
      proves: ['stream-first-event'],
      fix: 'Send the task (or the direct message) as the first event, before any update.',
      yieldsTo: ['schema-event'],
    },
    (t) =>
      eachStream(t, async (s) => {
        const kind = s.events[0]?.kind
        t.expect(kind === 'task' || kind === 'message', `the first event is ${aboutEvent(s.events[0])}`, {
          expected: 'task or message',
          actual: quote(s.events[0]?.json),
          at: s,
        })
      }),
  ),
  check(
    'stream-first-status',
    'MUST begin a stream with the task being submitted or working',
    {
      proves: ['stream-first-status'],
      fix: 'Send the status submitted or working first, before any artifact.',
    },
    (t) =>
      eachStream(t, async (s) => {
        const state = s.events[0]?.state
        t.expect(
          state === 'TASK_STATE_SUBMITTED' || state === 'TASK_STATE_WORKING',
          `the first event is ${aboutEvent(s.events[0])}`,
          { expected: 'a status: submitted or working', actual: quote(s.events[0]?.json), at: s },
        )
      }),
  ),
  check(
    'stream-message-only',
    'MUST end a stream after a direct message',
    {
      proves: ['stream-message-only'],
      fix: 'When the agent answers with a message, send that one event and close the stream.',
      yieldsTo: ['schema-event', 'stream-closes', 'stream-task-then-updates'],
      needs: ['behaviour:message-only'],
    },
    async (t) => {
      const s = await t.openStream('message-only')
      t.expectAnswered(s)
      const first = await s.next()
      if (first?.kind === 'task')
        t.notMeasured(
          'the agent answered with a task',
          'a prompt for "message-only" in the file given with --behaviors',
        )
      await endsWithin(s, CLOSING_MS)
      t.expect(s.events.length === 1 && first?.kind === 'message', `the stream has ${describeKinds(s)}`, {
        expected: 'exactly one message',
        actual: describeKinds(s),
        at: s,
      })
      const how =
        s.end === 'broken' ? 'the connection breaks after the message' : 'the stream stays open after the message'
      t.expect(s.end === 'server', how, { expected: 'the end of the response', at: s })
    },
  ),
  check(
    'stream-task-then-updates',
    'MUST send only updates after the task',
    {
      proves: ['stream-task-then-updates'],
      fix: 'After the task send status and artifact updates only; a closing snapshot of the task may come last.',
      yieldsTo: ['schema-event'],
    },
    (t) =>
      eachStream(t, async (s) => {
        if (s.events[0]?.kind === 'message') t.notMeasured('the agent answered with a message')
        for (const [at, event] of s.events.entries()) {
          if (at === 0) continue
          const isUpdate = event.kind === 'status' || event.kind === 'artifact'
          const isClosingSnapshot = event.kind === 'task' && at === s.events.length - 1
          t.expect(isUpdate || isClosingSnapshot, `event ${at + 1} of the stream is ${aboutEvent(event)}`, {
            expected: 'a status or artifact update',
            actual: quote(event.json),
            at: s,
          })
        }
      }),
  ),
  check(
    'stream-closes',
    'MUST end the stream when the task is finished',
    {
      proves: ['stream-closes-on-terminal'],
      fix: 'Close the connection after the event that shows the terminal state.',
    },
    (t) =>
      eachStream(t, async (s) => {
        if (!s.events.some(isTerminalEvent)) t.notMeasured('no terminal state was seen on the stream')
        const open = `the stream was still open ${CLOSING_MS / 1000} s after the terminal state`
        t.expect(s.end === 'server', s.end === 'broken' ? 'the connection breaks after the terminal state' : open, {
          expected: 'the end of the response',
          actual: s.end === 'broken' ? 'a broken connection' : 'an open connection',
          at: s,
        })
      }),
  ),
  check(
    'stream-terminal-last',
    'MUST send nothing after the terminal state',
    {
      proves: ['stream-no-events-after-terminal'],
      fix: 'Send exactly one terminal status, as the last update of the stream.',
      yieldsTo: ['stream-task-then-updates'],
    },
    (t) =>
      eachStream(t, async (s) => {
        const end = s.events.findIndex(isTerminalEvent)
        if (end < 0) t.notMeasured('no terminal state was seen on the stream')
        const late = s.events.slice(end + 1).filter(({ kind }) => kind !== 'task')
        t.expect(late.length === 0, `after the terminal state comes ${aboutEvent(late[0])}`, {
          expected: 'no further update',
          actual: quote(late[0]?.json),
          at: s,
        })
      }),
  ),
  check(
    'stream-ends-terminal',
    'MUST send the terminal or interrupted status before it closes a stream',
    {
      proves: ['stream-ends-with-terminal-or-interrupted'],
      fix: 'Send the terminal (or interrupted) status before closing the stream.',
    },
    (t) =>
      eachStream(t, async (s) => {
        if (s.error !== undefined) t.notMeasured('the stream ended with an error')
        if (s.events[0]?.kind === 'message') t.notMeasured('the agent answered with a message')
        t.expect(
          s.end !== 'broken' || s.events.some(isOutcome),
          `the connection broke after ${describeKinds(s)}, twice in a row`,
          {
            expected: 'events up to a terminal or interrupted state',
            actual: s.exchange.failure ?? 'a broken connection',
            at: s,
          },
        )
        if (s.end !== 'server') t.notMeasured('the agent did not end the stream by itself')
        // What comes after a terminal state is another fault, and another check's.
        const end = s.events.find(isTerminalEvent) ?? s.events.findLast((event) => event.state !== undefined)
        const { state } = end ?? {}
        t.expect(
          state !== undefined && isSettled(state),
          `the stream ended while the task was ${state ?? 'in no known state'}`,
          { expected: 'a terminal or interrupted state', actual: state ?? 'no state', pointer: '/status/state', at: s },
        )
      }),
  ),
  check(
    'stream-final-flag',
    'MUST mark the last event of a stream as final',
    {
      proves: ['stream-final-flag'],
      fix: 'Send final: true with the status update that ends the stream, and only with it.',
      yieldsTo: ['stream-ends-terminal', 'stream-terminal-last'],
    },
    (t) =>
      eachStream(t, async (s) => {
        const statuses = s.events.filter(({ kind }) => kind === 'status')
        const last = s.events.findLast(({ kind }) => kind !== 'task')
        if (last === undefined || last.kind === 'message') return t.notMeasured('the agent answered with a message')
        t.expect(last.final === true, 'the last event is not marked final', {
          expected: 'a status update with final: true',
          actual: quote(last.json),
          pointer: '/final',
          at: s,
        })
        const early = statuses.slice(0, -1).find(({ final }) => final === true)
        t.expect(early === undefined, 'an event before the last is marked final', { actual: quote(early?.json), at: s })
      }),
  ),
  check(
    'stream-immediate',
    'MUST send events while the task is running',
    {
      proves: ['stream-immediate-feedback'],
      fix: 'Flush every event as it happens; do not buffer the stream (proxies and compression often do).',
      needs: ['behaviour:slow'],
      // Times are only worth something on an idle agent.
      exclusive: true,
    },
    async (t) => {
      // A busy machine or network may bring events together once; an agent that holds them back always does.
      let found = await timeStream(t)
      for (let again = 1; again < TIMED_STREAMS && !isSpread(found); again++) found = await timeStream(t)
      if (!isSpread(found) && found.heldUpMs >= LONG_ENOUGH_MS / 2)
        t.notMeasured(
          `this machine was too busy to measure it: the test process stalled for ${Math.round(found.heldUpMs)} ms`,
        )
      t.expect(isSpread(found), 'all events arrived together at the end', {
        expected: 'the first event well before the last',
        actual: `first after ${Math.round(found.firstMs)} ms, last after ${Math.round(found.lastMs)} ms, in each of ${TIMED_STREAMS} streams`,
        at: found.s,
      })
    },
  ),
  check(
    'stream-return-immediately',
    'MUST stream to the end whatever returnImmediately says',
    {
      proves: ['stream-return-immediately-ignored'],
      fix: 'Ignore returnImmediately on streaming calls.',
      yieldsTo: ['stream-ends-terminal', 'stream-final-state'],
    },
    async (t) => {
      const s = await t.openStream('task', { configuration: { returnImmediately: true } })
      t.expectAnswered(s)
      await readToOutcome(s)
      if (s.events[0]?.kind === 'message') t.notMeasured('the agent answered with a message')
      await expectTaskOver(t, s)
      t.expect(s.events.some(isOutcome), 'the stream ended before the task did', {
        expected: 'events up to a terminal state',
        actual: describeKinds(s),
        pointer: '/status/state',
        at: s,
      })
    },
  ),
  check(
    'stream-disconnect',
    'MUST continue a task whose stream was disconnected',
    {
      proves: ['stream-disconnect-task-continues'],
      fix: 'Do not tie the task to the connection: finish it, and return it from GetTask.',
      needs: ['behaviour:slow'],
      yieldsTo: ['task-final'],
    },
    async (t) => {
      const s = await t.openStream('slow')
      t.expectAnswered(s)
      const first = await s.next()
      const id = first?.taskId ?? t.notMeasured('the stream names no task')
      if (first !== undefined && isTerminalEvent(first)) t.notMeasured('the task was finished at once')
      s.close()
      const task = await t.awaitRest(id, 'slow')
      // A prompt whose tasks end otherwise anyway shows nothing.
      if (task.state !== 'TASK_STATE_COMPLETED' && (await t.finishedTask('slow')).state === task.state)
        t.notProvoked('slow', task)
      t.expect(
        task.state === 'TASK_STATE_COMPLETED',
        `the task became ${task.stateText} when its stream was disconnected`,
        {
          expected: 'completed',
          actual: task.stateText,
          at: s,
        },
      )
    },
  ),
])

interface TimedStream {
  s: RawStream
  firstMs: number
  lastMs: number
  /** The longest time for which this process itself got no turn. */
  heldUpMs: number
}

function isSpread({ firstMs, lastMs }: TimedStream): boolean {
  return lastMs - firstMs >= LONG_ENOUGH_MS / 2
}

async function timeStream(t: Probe): Promise<TimedStream> {
  const delays = monitorEventLoopDelay({ resolution: 10 })
  delays.enable()
  const s = await t.openStream('slow')
  t.expectAnswered(s)
  await readToOutcome(s)
  delays.disable()
  const [first] = s.events
  const last = s.events.at(-1)
  if (first === undefined || last === undefined || first === last) t.notMeasured('the stream has only one event')
  if (last.atMs < LONG_ENOUGH_MS) t.notMeasured(`the task took only ${Math.round(last.atMs)} ms`)
  return { s, firstMs: first.atMs, lastMs: last.atMs, heldUpMs: delays.max / 1e6 }
}
