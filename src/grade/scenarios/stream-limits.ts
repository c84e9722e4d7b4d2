// Streams at their limits: long silence, one huge event, an end that somebody else brought about.

import { setTimeout as pause } from 'node:timers/promises'
import { textAt } from '../../model/json.ts'
import type { Feed, Piece } from '../../net/serve/reply.ts'
import type { Agent } from '../../server/index.ts'
import type { Call } from '../call.ts'
import { ALL_1, HTTP_1, JSONRPC_1, type Scenario } from '../scenario.ts'
import { chunk, DONE, framesOf, result, status, streamOf, taskIn, WHOLE_STREAM } from '../wire-replies.ts'
import { ask } from './intents.ts'
import { readsAll, scripted } from './streams.ts'

const SILENCE_MS = 1_200
const HUGE = 20 * 1024 * 1024

/** Comments every now and then, and nothing else for a while, in the middle. */
function silentFor(ms: number, pieces: readonly Piece[]): Feed<Piece> {
  const middle = Math.floor(pieces.length / 2)
  const rest = [...pieces.slice(0, middle), ': still here\n\n', ...pieces.slice(middle)]
  return {
    async next() {
      if (rest[0] === ': still here\n\n') await pause(ms)
      return rest.shift()
    },
    close() {},
  }
}

/** So that a client that does not cancel comes to an end, too. */
const PATIENCE_MS = 5_000

const isPatient: Agent = async (_message, context) => {
  await context.status('TASK_STATE_WORKING')
  await context.artifact({ artifactId: 'answer', parts: [{ text: 'one ' }] })
  const isCanceled = await pause(PATIENCE_MS, false, { signal: context.signal }).catch(() => true)
  if (!isCanceled) await context.complete()
}

/** The task of a cancel: over HTTP+JSON its path names it. */
export function canceledTask({ path, params }: Call): string | undefined {
  const inPath = /\/tasks\/([^/:]+):cancel$/.exec(path)?.[1]
  return inPath === undefined ? textAt(params, 'id') : decodeURIComponent(inPath)
}

export const streamLimits: readonly Scenario[] = [
  {
    id: 'stream-silence',
    area: 'streams',
    about: 'The agent says nothing for a while in the middle of a stream, and then a comment.',
    on: HTTP_1,
    intent: ask,
    world: (surface) => ({
      answer: scripted(surface, (call) => ({
        status: 200,
        headers: ['Content-Type', 'text/event-stream'],
        body: { kind: 'messages', feed: silentFor(SILENCE_MS, framesOf(surface, call, WHOLE_STREAM)) },
      })),
    }),
    claims: [
      readsAll(
        'client-bears-silence',
        'MUST wait while the agent is silent',
        'A stream is open until it is closed; only a limit that the user set may end the wait.',
      ),
    ],
  },
  {
    id: 'stream-huge-event',
    area: 'streams',
    about: 'One event has 20 MB.',
    on: JSONRPC_1,
    intent: ask,
    world: (surface) => ({
      answer: (call, next) => {
        const events = [
          { task: taskIn('TASK_STATE_WORKING') },
          chunk('x'.repeat(HUGE), { lastChunk: true }),
          status('TASK_STATE_COMPLETED'),
        ]
        if (call.op === 'streamMessage') return streamOf(surface, call, events)
        // Whoever gave up and comes back learns how it ended.
        if (call.op === 'subscribeTask') return streamOf(surface, call, [{ task: DONE }])
        return call.op === 'getTask' ? result(surface, call, 'getTask', DONE) : next()
      },
    }),
    claims: [
      {
        id: 'client-bounds-events',
        title: 'SHOULD read an event of 20 MB, or say that it is too large',
        proves: ['client-stream-sse-robust'],
        fix: 'Set a limit for one event, and report what exceeds it; do not hang or run out of memory.',
        judge(e) {
          e.first('streamMessage')
          e.expectEnded()
          e.expect(e.exit.signal === undefined, `the client was ended by ${e.exit.signal}`, e.first('streamMessage'))
        },
      },
    ],
  },
  {
    id: 'stream-canceled',
    area: 'endings',
    about: 'The task is canceled by another user while the client reads its stream.',
    on: ALL_1,
    intent: ask,
    world: (surface) => ({
      answer: (call, next) => {
        const events = [{ task: taskIn('TASK_STATE_WORKING') }, chunk('one '), status('TASK_STATE_CANCELED')]
        if (call.op === 'streamMessage' || call.op === 'subscribeTask') return streamOf(surface, call, events)
        return call.op === 'getTask' ? result(surface, call, 'getTask', taskIn('TASK_STATE_CANCELED')) : next()
      },
    }),
    claims: [
      {
        id: 'client-stream-canceled',
        title: 'MUST NOT report a task that was canceled in the middle of its stream as success',
        proves: ['client-stream-close-is-end'],
        fix: 'Look at the state of the last status, and tell the user that the task was canceled.',
        judge(e) {
          e.first('streamMessage')
          e.expectNoSuccess('the task was canceled')
        },
      },
    ],
  },
  {
    id: 'stream-cancel',
    area: 'endings',
    about: 'The user cancels the task while its stream is read.',
    on: ALL_1,
    intent: () => ({ ...ask(), cancel: true }),
    world: () => ({ agent: isPatient }),
    claims: [
      {
        id: 'client-cancels-own-stream',
        title: 'MUST cancel the task of the stream that it reads, when its user wants to',
        proves: ['client-task-id-existing'],
        fix: 'Call CancelTask with the taskId of the events, on another connection or stream than the one that is read.',
        judge(e) {
          e.first('streamMessage')
          const call = e.first('cancelTask')
          const id = canceledTask(call)
          e.expect(id === e.stage.firstTaskId, `the client canceled ${JSON.stringify(id)}`, call)
        },
      },
      {
        id: 'client-hears-of-its-cancel',
        title: 'MUST read the stream of a task that it cancels to its end',
        proves: ['client-stream-close-is-end'],
        fix: 'Go on reading after CancelTask; the last event of the stream says that the task is canceled.',
        judge(e) {
          const call = e.first('cancelTask')
          e.need(canceledTask(call) === e.stage.firstTaskId, 'the client canceled another task')
          e.expectEnded()
          const { state } = e.understood
          e.expect(e.state === 'TASK_STATE_CANCELED', `the client reports ${state ?? 'no state'}, not canceled`, call)
        },
      },
    ],
  },
]
