// What a client does when a connection ends before its time (1.0 §3.5.2): it finds out how the task is, and sends nothing
// twice.

import type { NoReply, Reply } from '../../net/serve/reply.ts'
import type { Call } from '../call.ts'
import type { Evidence } from '../evidence.ts'
import { ALL_1, GRPC_1, JSONRPC_1, type Scenario, type Surface, type World } from '../scenario.ts'
import { DONE, framesOf, result, streamOf, streamOfFrames, WHOLE_STREAM } from '../wire-replies.ts'
import { ask } from './intents.ts'

/** The stream of the message ends like this; whoever subscribes or asks afterwards learns how it went on. */
const broken =
  (stream: (frames: readonly Buffer[], surface: Surface) => Reply | NoReply) =>
  (surface: Surface): World => ({
    answer: (call, next) => {
      if (call.op === 'streamMessage') return stream(framesOf(surface, call, WHOLE_STREAM), surface)
      if (call.op === 'subscribeTask') return streamOf(surface, call, [{ task: DONE }])
      return call.op === 'getTask' ? result(surface, call, 'getTask', DONE) : next()
    },
  })

/** After so many events, and half of the next one where it is torn. */
const cutAfter = (count: number, isTorn = false) =>
  broken((frames, surface) => {
    const next = frames[count] ?? Buffer.alloc(0)
    const half = isTorn ? [next.subarray(0, Math.floor(next.length / 2))] : []
    return streamOfFrames(surface, [...frames.slice(0, count), ...half], 'cut')
  })

function expectHonest(e: Evidence, why: string): void {
  e.first('streamMessage')
  e.expectEnded()
  const hasAsked = e.of('subscribeTask', 'getTask').length > 0
  e.expect(hasAsked || !e.reportsSuccess, `the client reports success although ${why}`, e.first('streamMessage'))
}

function expectOnce(e: Evidence): void {
  e.first('streamMessage', 'sendMessage')
  const ids = e.sent.map(({ message }) => JSON.stringify(message?.parts ?? null))
  e.expect(
    ids.length === 1,
    `the client sent its message ${ids.length} times, which may begin ${ids.length} tasks`,
    e.sent.at(-1),
  )
}

const asked = (call: Call | undefined): string => (call === undefined ? 'nothing' : call.label)

export const endings: readonly Scenario[] = [
  {
    id: 'ending-between-events',
    area: 'endings',
    about: 'The connection is cut between two events.',
    on: ALL_1,
    intent: ask,
    world: cutAfter(3),
    claims: [
      {
        id: 'client-cut-is-no-success',
        title: 'MUST NOT treat a lost connection as the end of the task',
        proves: ['client-stream-close-is-end'],
        cites: ['a2a-rs #79', 'a2a-rs #186', 'aisix #911'],
        fix: 'A stream is complete when it was closed and the task is in a terminal or interrupted state; otherwise ask.',
        judge(e) {
          expectHonest(e, 'the connection was cut in the middle')
        },
      },
      {
        id: 'client-reconnects',
        title: 'SHOULD subscribe to the task again, or ask for it',
        proves: ['client-stream-reconnect'],
        fix: 'After a broken stream call SubscribeToTask with the id of the task, and go on from its snapshot.',
        judge(e) {
          e.first('streamMessage')
          const [again] = e.of('subscribeTask', 'getTask')
          e.expect(again !== undefined, `after the cut the client asked for ${asked(again)}`, e.first('streamMessage'))
        },
      },
      {
        id: 'client-sends-once',
        title: 'MUST NOT send the message again after a cut',
        proves: ['client-stream-reconnect'],
        cites: ['trpc-agent-go #2472'],
        fix: 'The task exists already: resume it instead of sending the message once more.',
        judge: expectOnce,
      },
    ],
  },
  {
    id: 'ending-mid-frame',
    area: 'endings',
    about: 'The connection is cut in the middle of an event.',
    on: ALL_1,
    intent: ask,
    world: cutAfter(3, true),
    claims: [
      {
        id: 'client-cut-in-frame',
        title: 'MUST NOT treat an incomplete event as the end of the task',
        proves: ['client-stream-close-is-end'],
        cites: ['a2a-rs #79'],
        fix: 'Throw away an event that is not complete, and treat the stream as broken.',
        judge(e) {
          expectHonest(e, 'the connection was cut in the middle of an event')
        },
      },
    ],
  },
  {
    id: 'ending-early',
    area: 'endings',
    about: 'The stream is closed normally while the task is still working.',
    on: ALL_1,
    intent: ask,
    world: broken((frames, surface) => streamOfFrames(surface, frames.slice(0, 3))),
    claims: [
      {
        id: 'client-early-end-is-no-success',
        title: 'MUST look at the state of the task when a stream ends',
        proves: ['client-stream-close-is-end'],
        cites: ['a2a-rs #186'],
        fix: 'When a stream ends and the last state is neither terminal nor interrupted, ask for the task.',
        judge(e) {
          expectHonest(e, 'the task was still working')
        },
      },
    ],
  },
  {
    id: 'ending-empty',
    area: 'endings',
    about: 'The stream is closed without a single event.',
    on: ALL_1,
    intent: ask,
    world: broken((_frames, surface) => streamOfFrames(surface, [])),
    claims: [
      {
        id: 'client-empty-stream-is-no-success',
        title: 'MUST NOT treat a stream without events as success',
        proves: ['client-stream-close-is-end'],
        cites: ['a2a-rs #79'],
        fix: 'A stream has at least a task or a message; report an error when it is empty.',
        judge(e) {
          e.first('streamMessage')
          e.expectNoSuccess('the stream was empty')
        },
      },
    ],
  },
  {
    id: 'ending-before-headers',
    area: 'endings',
    about: 'The connection is reset before anything is answered.',
    on: ALL_1,
    intent: () => ({ do: 'send', text: 'hello' }),
    world: () => ({
      answer: (call, next) => (call.isMessage ? { ending: 'reset' } : next()),
    }),
    claims: [
      {
        id: 'client-reset-is-error',
        title: 'MUST report a connection that was reset',
        proves: ['client-jsonrpc-error-handling'],
        fix: 'Tell the user that the connection to the agent was reset.',
        judge(e) {
          e.need(e.sent.length > 0, 'the client sent no message')
          e.expectNoSuccess('the connection was reset')
        },
      },
      {
        id: 'client-no-blind-resend',
        title: 'SHOULD NOT send a message again that may have been received',
        proves: ['client-stream-reconnect'],
        cites: ['trpc-agent-go #2472'],
        fix: 'A message is not idempotent; leave it to the user to send it once more.',
        judge: expectOnce,
      },
    ],
  },
  {
    // Not over gRPC: a reset may overtake what was sent before it.
    id: 'ending-after-terminal',
    area: 'endings',
    about: 'The connection is cut right after the last event.',
    on: JSONRPC_1,
    intent: ask,
    world: broken((frames, surface) => streamOfFrames(surface, frames, 'cut')),
    claims: [
      {
        id: 'client-terminal-is-enough',
        title: 'SHOULD accept a terminal state, however the connection ends',
        proves: ['client-stream-close-is-end'],
        cites: ['a2a-java #946'],
        fix: 'After a terminal state nothing is missing; a connection that breaks off then is not a failure of the task.',
        judge(e) {
          e.first('streamMessage')
          e.expectSuccess()
        },
      },
    ],
  },
  {
    id: 'ending-left-open',
    area: 'endings',
    about: 'The stream stays open after the last event.',
    on: [...JSONRPC_1, ...GRPC_1],
    intent: ask,
    world: broken((frames, surface) => streamOfFrames(surface, frames, 'open')),
    claims: [
      {
        id: 'client-leaves-open-stream',
        title: 'SHOULD NOT wait for the stream to close when the task has ended',
        proves: ['client-stream-close-is-end'],
        fix: 'Stop reading after a terminal state; some agents and proxies close late.',
        judge(e) {
          e.first('streamMessage')
          e.expect(!e.hung, 'the client does not return although the task has ended', e.first('streamMessage'))
        },
      },
    ],
  },
]
