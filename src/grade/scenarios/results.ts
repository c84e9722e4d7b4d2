// What a client makes of an answer that is no stream (1.0 §3.1.1, §4.1, §5.6).

import { createHash } from 'node:crypto'
import { isHttp1 } from '../../bindings/registry.ts'
import type { Task, TaskState } from '../../model/task.ts'
import type { Surface } from '../scenario.ts'
import {
  ALL_1,
  type Claim,
  EVERYWHERE,
  GRPC_1,
  HTTP_1,
  JSONRPC_1,
  type Scenario,
  SINCE_0_3,
  type World,
} from '../scenario.ts'
import { agentSays, artifact, DONE, reply, result, taskIn } from '../wire-replies.ts'
import { alwaysWire } from './always-wire.ts'
import { greet } from './intents.ts'

const BYTES = Buffer.from([0, 255, 10, 13, 128, 7])

/** Every message is answered with this task. */
const alwaysTask =
  (task: Task) =>
  (surface: Surface): World => ({
    answer: (call, next) => {
      if (call.isMessage) return reply(surface, call, { task })
      return call.op === 'getTask' ? result(surface, call, 'getTask', task) : next()
    },
  })

function endingIn(
  state: TaskState,
  claim: Pick<Claim, 'id' | 'title' | 'fix' | 'cites'>,
  judge: Claim['judge'],
): Scenario {
  const word = state.replace('TASK_STATE_', '').toLowerCase().replaceAll('_', '-')
  return {
    id: `result-${word}`,
    area: 'results',
    about: `The task ends up ${word}.`,
    on: SINCE_0_3,
    intent: greet,
    world: alwaysTask(taskIn(state, { status: { state, message: agentSays(`This is ${word}.`) } })),
    claims: [{ ...claim, proves: ['client-handles-both-results'], judge }],
  }
}

function expectState(state: TaskState): Claim['judge'] {
  return (e) => {
    e.need(e.sent.length > 0, 'the client sent no message')
    e.expect(e.understood.state !== undefined, 'the client reports no state', e.firstSent)
    e.expect(e.state === state, `the client reports ${e.understood.state}, not ${state}`, e.firstSent)
  }
}

function expectFailure(state: TaskState): Claim['judge'] {
  return (e) => {
    e.need(e.sent.length > 0, 'the client sent no message')
    e.expectNoSuccess(`the task is ${state}`)
    if (e.outcome?.state !== undefined) expectState(state)(e)
  }
}

function expectNoHang(state: TaskState): Claim['judge'] {
  return (e) => {
    e.need(e.sent.length > 0, 'the client sent no message')
    e.expectEnded()
    const asked = e.of('getTask').length
    e.expect(asked <= 3, `the client asked ${asked} times for a task that waits for its user`, e.calls.at(-1))
    if (e.outcome?.state !== undefined) expectState(state)(e)
  }
}

export const results: readonly Scenario[] = [
  {
    id: 'result-task',
    area: 'results',
    about: 'The answer is a task that is done, with an artifact.',
    on: EVERYWHERE,
    intent: greet,
    world: alwaysTask(DONE),
    claims: [
      {
        id: 'client-understands-task',
        title: 'MUST understand a task as the answer',
        proves: ['client-handles-both-results', 'client-no-reliance-on-messages'],
        fix: 'Look for the result in the artifacts of the task.',
        judge(e) {
          e.need(e.sent.length > 0, 'the client sent no message')
          e.expectSuccess()
          e.expectText('one two three')
          expectState('TASK_STATE_COMPLETED')(e)
        },
      },
    ],
  },
  {
    id: 'result-message',
    area: 'results',
    about: 'The answer is a message and no task.',
    on: SINCE_0_3,
    intent: greet,
    world: () => ({ agent: async (_message, context) => context.message('Just words.') }),
    claims: [
      {
        id: 'client-understands-message',
        title: 'MUST understand a message as the answer',
        proves: ['client-handles-both-results'],
        fix: 'An answer may hold a message instead of a task; there is nothing to wait for then.',
        judge(e) {
          e.need(e.sent.length > 0, 'the client sent no message')
          e.expectSuccess()
          e.expect(e.of('getTask').length === 0, 'the client asked for a task that does not exist', e.of('getTask')[0])
          e.expectText('Just words.')
        },
      },
    ],
  },
  endingIn(
    'TASK_STATE_REJECTED',
    {
      id: 'client-rejected-is-failure',
      title: 'MUST NOT report a rejected task as success',
      cites: ['openai-agents-python #3562'],
      fix: 'Only TASK_STATE_COMPLETED is success; tell the user the state and its message.',
    },
    expectFailure('TASK_STATE_REJECTED'),
  ),
  endingIn(
    'TASK_STATE_FAILED',
    {
      id: 'client-failed-is-failure',
      title: 'MUST NOT report a failed task as success',
      fix: 'Only TASK_STATE_COMPLETED is success; tell the user the state and its message.',
    },
    expectFailure('TASK_STATE_FAILED'),
  ),
  endingIn(
    'TASK_STATE_CANCELED',
    {
      id: 'client-canceled-is-no-success',
      title: 'MUST NOT report a canceled task as success',
      fix: 'Only TASK_STATE_COMPLETED is success; tell the user that the task was canceled.',
    },
    expectFailure('TASK_STATE_CANCELED'),
  ),
  endingIn(
    'TASK_STATE_INPUT_REQUIRED',
    {
      id: 'client-input-required-returns',
      title: 'MUST return to its user when the agent asks for input',
      fix: 'Treat TASK_STATE_INPUT_REQUIRED as the user’s turn; do not poll.',
    },
    expectNoHang('TASK_STATE_INPUT_REQUIRED'),
  ),
  endingIn(
    'TASK_STATE_AUTH_REQUIRED',
    {
      id: 'client-auth-required-returns',
      title: 'MUST NOT wait indefinitely when the task needs authorization',
      fix: 'Tell the user what the status message asks for; follow the task by stream, webhook or a bounded poll (1.0 §7.6.2).',
    },
    (e) => {
      e.need(e.sent.length > 0, 'the client sent no message')
      e.expectEnded()
      if (e.outcome?.state !== undefined) expectState('TASK_STATE_AUTH_REQUIRED')(e)
    },
  ),
  {
    id: 'result-unknown-state',
    area: 'results',
    about: 'The task is in an unknown state.',
    on: ALL_1,
    intent: () => ({ do: 'get', taskId: 'task-1' }),
    world: (surface) => {
      // Over gRPC states are numbers.
      const state = !isHttp1(surface.binding) ? 99 : 'TASK_STATE_DREAMING'
      return alwaysWire({ id: 'task-1', contextId: 'context-1', status: { state } })(surface)
    },
    claims: [
      {
        id: 'client-survives-unknown-state',
        title: 'SHOULD NOT crash on an unknown state',
        proves: ['client-unknown-state'],
        cites: ['a2a-js #640'],
        fix: 'Keep the name of an unknown state, or map it to unspecified; do not throw, and do not call it completed.',
        judge(e) {
          e.first('getTask')
          e.need(e.sent.length === 0, 'the client sent a message instead of asking for the task')
          e.expectEnded()
          const { outcome, state } = e.understood
          e.expect(outcome !== 'error', 'the client fails at a state that it does not know', e.first('getTask'))
          e.expect(
            !/completed/i.test(state ?? ''),
            'the client takes an unknown state for completed',
            e.first('getTask'),
          )
        },
      },
    ],
  },
  {
    id: 'result-absent-members',
    area: 'results',
    about: 'Members with default values are left out, as ProtoJSON does it.',
    on: ALL_1,
    intent: greet,
    world: alwaysWire({ id: 'task-1', status: { state: 'TASK_STATE_COMPLETED' } }),
    claims: [
      {
        id: 'client-absent-is-default',
        title: 'MUST treat absent members as their defaults',
        proves: ['client-absent-defaults'],
        fix: 'Lists that are absent are empty, texts are "", booleans false (1.0 §5.7).',
        judge(e) {
          e.need(e.sent.length > 0, 'the client sent no message')
          e.expectSuccess()
        },
      },
    ],
  },
  {
    id: 'result-null-members',
    area: 'results',
    about: 'Members without a value are null.',
    on: HTTP_1,
    intent: greet,
    world: alwaysWire({
      ...{ id: 'task-1', contextId: 'context-1', artifacts: null, history: null, metadata: null },
      status: { state: 'TASK_STATE_COMPLETED', message: null, timestamp: null },
    }),
    claims: [
      {
        id: 'client-null-is-default',
        title: 'MUST treat null as an absent member',
        proves: ['client-absent-defaults'],
        fix: 'ProtoJSON allows null for any member; treat it as absent.',
        judge(e) {
          e.need(e.sent.length > 0, 'the client sent no message')
          e.expectSuccess()
        },
      },
    ],
  },
  {
    id: 'result-unknown-members',
    area: 'results',
    about: 'The task has unknown members.',
    on: HTTP_1,
    intent: greet,
    world: alwaysWire({
      ...{ id: 'task-1', contextId: 'context-1', priority: 7, futureMember: { a: [1] } },
      status: { state: 'TASK_STATE_COMPLETED', mood: 'good' },
      artifacts: [{ artifactId: 'answer', parts: [{ text: 'fine', weight: 1 }], colour: 'red' }],
    }),
    claims: [
      {
        id: 'client-ignores-unknown-members',
        title: 'SHOULD ignore members of an answer that it does not know',
        proves: ['client-unknown-fields'],
        fix: 'Decode with unknown members allowed (1.0 §5.7).',
        judge(e) {
          e.need(e.sent.length > 0, 'the client sent no message')
          e.expectSuccess()
        },
      },
    ],
  },
  {
    id: 'result-artifacts',
    area: 'results',
    about: 'Two artifacts: one of two texts, one of bytes.',
    on: [...JSONRPC_1, ...GRPC_1],
    intent: greet,
    world: alwaysTask(
      taskIn('TASK_STATE_COMPLETED', {
        artifacts: [
          artifact([{ text: 'alpha ' }, { text: 'beta' }], 'several'),
          artifact([{ raw: BYTES.toString('base64'), mediaType: 'application/octet-stream' }], 'bytes'),
        ],
      }),
    ),
    claims: [
      {
        id: 'client-all-artifacts',
        title: 'MUST give its user all artifacts with all of their parts',
        proves: ['client-no-reliance-on-messages'],
        fix: 'Go through every artifact and every part, not only the first.',
        judge(e) {
          e.need(e.sent.length > 0, 'the client sent no message')
          e.expectSuccess()
          e.expectText('alpha ')
          e.expectText('beta')
          const { artifacts } = e.understood
          e.need(artifacts !== undefined, 'the client does not report artifacts')
          e.expect(artifacts?.length === 2, `the client reports ${artifacts?.length} of 2 artifacts`, e.firstSent)
        },
      },
      {
        id: 'client-decodes-bytes',
        title: 'MUST decode the bytes of an artifact',
        proves: ['client-no-reliance-on-messages'],
        fix: 'Decode raw from base64; the bytes may be anything.',
        judge(e) {
          e.need(e.sent.length > 0, 'the client sent no message')
          const found = e.understood.artifacts?.map(({ sha256 }) => sha256).filter((each) => each !== undefined)
          e.need(found?.length === 2, 'the client does not report the digests of both artifacts')
          const wanted = createHash('sha256').update(BYTES).digest('hex')
          e.expect(found?.includes(wanted) === true, 'no artifact has the bytes that the agent sent', e.firstSent)
        },
      },
    ],
  },
  {
    id: 'result-poll',
    area: 'results',
    about: 'The agent answers at once with a task that is still working, and finishes it later.',
    on: SINCE_0_3,
    intent: greet,
    world: (surface) => {
      let asked = 0
      return {
        answer: (call, next) => {
          if (call.isMessage) return reply(surface, call, { task: taskIn('TASK_STATE_WORKING') })
          if (call.op !== 'getTask') return next()
          return result(surface, call, 'getTask', ++asked < 2 ? taskIn('TASK_STATE_WORKING') : DONE)
        },
      }
    },
    claims: [
      {
        id: 'client-working-is-not-done',
        title: 'MUST NOT treat a working task as finished',
        proves: ['client-handles-both-results'],
        fix: 'Ask for the task, or subscribe to it, until it is in a terminal or interrupted state, or report that it is still running.',
        judge(e) {
          e.need(e.sent.length > 0, 'the client sent no message')
          e.expectEnded()
          const hasFollowed = e.of('getTask', 'subscribeTask').length > 0
          const saysSo = /WORKING|SUBMITTED/.test(e.outcome === undefined ? '' : (e.state ?? ''))
          e.expect(
            hasFollowed || saysSo || !e.reportsSuccess,
            'the client reports success while the task is still working',
            e.firstSent,
          )
        },
      },
    ],
  },
]
