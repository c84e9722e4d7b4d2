// What the events of a stream say, and how they add up (1.0 §3.2.3).

import { isHttp1 } from '../../bindings/registry.ts'
import type { StreamEvent } from '../../model/event.ts'
import { grpcMessage, unknownField } from '../grpc-replies.ts'
import { ALL_1, EVERYWHERE, GRPC_1, JSONRPC_1, type Scenario, SINCE_0_3 } from '../scenario.ts'
import {
  agentSays,
  artifact,
  CONTEXT_ID,
  chunk,
  frameOf,
  framesOf,
  result,
  status,
  streamOf,
  streamOfFrames,
  TASK_ID,
  taskIn,
  WHOLE_STREAM,
} from '../wire-replies.ts'
import { ask } from './intents.ts'
import { played, readsAll, scripted } from './streams.ts'

export const streamEvents: readonly Scenario[] = [
  {
    id: 'stream-replace',
    area: 'streams',
    about: 'An artifact is sent again without append: it replaces what was there.',
    on: SINCE_0_3,
    intent: ask,
    world: played([
      { task: taskIn('TASK_STATE_WORKING') },
      chunk('draft'),
      chunk('final', { append: false, lastChunk: true }),
      status('TASK_STATE_COMPLETED'),
    ]),
    claims: [
      {
        id: 'client-replaces-artifact',
        title: 'MUST replace an artifact that comes again without append',
        proves: ['client-stream-all-members'],
        fix: 'append false (or absent) replaces the artifact of that id; only append true adds to it.',
        judge(e) {
          e.first('streamMessage')
          e.expectText('final')
          e.expect(
            !(e.understood.text ?? '').includes('draft'),
            'the client keeps what was replaced',
            e.first('streamMessage'),
          )
        },
      },
    ],
  },
  {
    id: 'stream-append-unknown',
    area: 'streams',
    about: 'The first chunk of an artifact already says append.',
    on: SINCE_0_3,
    intent: ask,
    world: played([
      { task: taskIn('TASK_STATE_WORKING') },
      chunk('late ', { append: true }),
      chunk('arrival', { append: true, lastChunk: true }),
      status('TASK_STATE_COMPLETED'),
    ]),
    claims: [
      {
        id: 'client-appends-to-unknown',
        title: 'SHOULD treat a chunk of an unknown artifact as its beginning',
        proves: ['client-stream-all-members'],
        cites: ['a2a-python #1038'],
        fix: 'Create the artifact when a chunk with append arrives first; do not throw it away.',
        judge(e) {
          e.first('streamMessage')
          e.expectSuccess()
          e.expectText('arrival')
        },
      },
    ],
  },
  {
    id: 'stream-snapshot',
    area: 'streams',
    about: 'A snapshot of the task comes in the middle of the stream.',
    on: SINCE_0_3,
    intent: ask,
    world: played([
      { task: taskIn('TASK_STATE_WORKING') },
      chunk('one '),
      { task: taskIn('TASK_STATE_WORKING', { artifacts: [artifact([{ text: 'one ' }])] }) },
      chunk('two', { append: true, lastChunk: true }),
      status('TASK_STATE_COMPLETED'),
    ]),
    claims: [
      {
        id: 'client-keeps-artifacts',
        title: 'MUST keep artifacts over a snapshot of the task',
        proves: ['client-stream-all-members'],
        cites: ['adk-python #6680'],
        fix: 'Take the artifacts of the snapshot as the state so far, and go on appending to them.',
        judge(e) {
          e.first('streamMessage')
          e.expectSuccess()
          const text = e.understood.text ?? ''
          e.expect(
            text.includes('one') && text.includes('two'),
            `the client understood ${JSON.stringify(text)}`,
            e.first('streamMessage'),
          )
        },
      },
    ],
  },
  {
    id: 'stream-unknown-member',
    area: 'streams',
    about: 'An event is of an unknown kind.',
    on: ALL_1,
    intent: ask,
    world: (surface) => ({
      answer: scripted(surface, (call) => {
        const frames = framesOf(surface, call, WHOLE_STREAM)
        const strange = !isHttp1(surface.binding)
          ? grpcMessage(call, {}, unknownField(900, TASK_ID))
          : frameOf(surface, call, { futureUpdate: { taskId: TASK_ID, contextId: CONTEXT_ID, value: 1 } })
        return streamOfFrames(surface, [...frames.slice(0, 3), strange, ...frames.slice(3)])
      }),
    }),
    claims: [
      {
        ...readsAll(
          'client-skips-unknown-event',
          'SHOULD skip an event of a kind that it does not know',
          'Skip it and read on.',
          ['a2a-go #435'],
        ),
        proves: ['client-unknown-fields'],
      },
    ],
  },
  {
    id: 'stream-foreign-task',
    area: 'streams',
    about: 'The stream has an event of another task.',
    on: [...JSONRPC_1, ...GRPC_1],
    intent: ask,
    world: (surface) => ({
      answer: scripted(surface, (call) => {
        const foreign: StreamEvent = {
          artifactUpdate: {
            taskId: 'task-of-somebody-else',
            contextId: CONTEXT_ID,
            artifact: artifact([{ text: 'SECRET' }], 'other'),
          },
        }
        return streamOf(surface, call, [...WHOLE_STREAM.slice(0, 2), foreign, ...WHOLE_STREAM.slice(2)])
      }),
    }),
    claims: [
      {
        id: 'client-ignores-foreign-task',
        title: 'SHOULD NOT mix events of another task into its own',
        proves: ['client-stream-all-members'],
        fix: 'Compare taskId of every update with the task that is followed.',
        judge(e) {
          e.first('streamMessage')
          e.expectEnded()
          e.expect(
            !(e.understood.text ?? '').includes('SECRET'),
            'the client mixed in an artifact of another task',
            e.first('streamMessage'),
          )
        },
      },
    ],
  },
  {
    id: 'stream-message',
    area: 'streams',
    about: 'The stream holds one message and no task.',
    on: SINCE_0_3,
    intent: ask,
    world: played([{ message: agentSays('Just words.') }]),
    claims: [
      {
        id: 'client-stream-message',
        title: 'MUST understand a stream that is one message',
        proves: ['client-stream-all-members', 'client-handles-both-results'],
        fix: 'A stream may hold a message instead of a task; it is complete then.',
        judge(e) {
          e.first('streamMessage')
          e.expectSuccess()
          if (e.outcome !== undefined) e.expectText('Just words.')
        },
      },
    ],
  },
  {
    id: 'stream-failed',
    area: 'streams',
    about: 'The stream ends with a failed task.',
    on: EVERYWHERE,
    intent: ask,
    world: (surface) => ({
      answer: (call, next) => {
        const events = [{ task: taskIn('TASK_STATE_WORKING') }, status('TASK_STATE_FAILED', 'It broke.')]
        if (call.op === 'streamMessage' || call.op === 'subscribeTask') return streamOf(surface, call, events)
        return call.op === 'getTask' ? result(surface, call, 'getTask', taskIn('TASK_STATE_FAILED')) : next()
      },
    }),
    claims: [
      {
        id: 'client-stream-failed',
        title: 'MUST NOT report a stream that ends in failure as success',
        proves: ['client-stream-close-is-end'],
        fix: 'Look at the state of the last status, not at the end of the stream alone.',
        judge(e) {
          e.first('streamMessage')
          e.expectNoSuccess('the task failed')
        },
      },
    ],
  },
  {
    id: 'stream-many',
    area: 'streams',
    about: 'A stream of 10,000 events.',
    on: [...JSONRPC_1, ...GRPC_1],
    intent: ask,
    world: played([
      { task: taskIn('TASK_STATE_WORKING') },
      ...Array.from({ length: 10_000 }, (_, at) => chunk('x', { append: at > 0 })),
      status('TASK_STATE_COMPLETED'),
    ]),
    claims: [
      {
        id: 'client-reads-many-events',
        title: 'SHOULD read a stream of 10,000 events',
        proves: ['client-stream-sse-robust'],
        fix: 'Fold events as they come; do not keep or copy all of them for each one.',
        judge(e) {
          e.first('streamMessage')
          e.expectSuccess()
          if (e.outcome?.text !== undefined)
            e.expect(
              e.outcome.text.length === 10_000,
              `the client folded ${e.outcome.text.length} of 10000 chunks`,
              e.first('streamMessage'),
            )
        },
      },
    ],
  },
]
