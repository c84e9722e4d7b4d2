// Sending a message: what comes back, what is refused, whose ids count (1.0 §3.1.1, §3.2.2, §3.4).

import { defined } from '../../base/defined.ts'
import { isJsonObject, type JsonObject } from '../../model/json.ts'
import { isSettled, isTerminal } from '../../model/state-machine.ts'
import type { Answer } from '../probe/answer.ts'
import { quote } from '../probe/assertions.ts'
import type { Probe } from '../probe/probe.ts'
import { sameMeaning } from '../probe/proto-json.ts'
import { listAt, type RawTask } from '../probe/raw.ts'
import { area, check, type PlacedCheck } from './check.ts'
import { sentTasks } from './ends.ts'
import { messagesToFinished } from './refusals.ts'

/** A prompt for "slow" is to take at least a second; less than this, and it does not. */
const SLOW_MS = 500

export const sendChecks: PlacedCheck[] = area({ name: 'send', category: 'lifecycle', phase: 3 }, [
  check(
    'send-result',
    'MUST answer a message with a task or a message',
    {
      proves: ['send-returns-task-or-message', 'send-direct-message-allowed'],
      fix: 'Return either a task or a message for every valid message.',
      mandatory: true,
      needs: ['check:auth-accepted', 'check:version-supported', 'check:rest-send-route'],
      groundOf: 'sendMessage',
    },
    async (t) => {
      t.sendResultOf(await t.send('task'))
    },
  ),
  check(
    'send-wrapper',
    'MUST wrap the result of a send',
    { proves: ['send-response-wrapper'], fix: 'Return {"task": …} or {"message": …}, not the bare object.' },
    async (t) => {
      const x = await t.send('task')
      const result = t.expectSuccess(x)
      const members = isJsonObject(result) ? ['task', 'message'].filter((member) => isJsonObject(result[member])) : []
      t.expect(
        members.length === 1,
        `the result has ${members.length === 0 ? 'neither' : 'both'} of task and message`,
        { expected: '{"task": …} or {"message": …}', actual: quote(result), pointer: x.resultPointer, at: x },
      )
    },
  ),
  check(
    'send-task-ids',
    'MUST give every new task a unique id',
    {
      proves: ['send-task-id-server-generated', 'send-task-id-unique'],
      fix: 'Generate a new id for every task.',
      needs: ['check:send-result'],
    },
    async (t) => {
      const first = await t.startedTask()
      const started = await twoTasks(t)
      const ids = [first.id, ...started.map(({ task }) => task.id)]
      t.expect(
        ids.every((id) => id !== ''),
        'a task has an empty id',
        { actual: quote(ids), at: started.map(({ x }) => x.exchange) },
      )
      t.expect(new Set(ids).size === ids.length, 'two tasks share an id', {
        expected: 'distinct ids',
        actual: ids.join(', '),
        at: started.map(({ x }) => x.exchange),
      })
    },
  ),
  check(
    'send-unknown-task',
    'MUST refuse a message to a task that does not exist',
    {
      proves: ['send-unknown-task-id'],
      fix: 'Return TaskNotFoundError when message.taskId names no task; never create one with that id.',
      category: 'error-handling',
      phase: 2,
    },
    async (t) => {
      t.expectError(await t.call('sendMessage', { message: t.message('x', { taskId: t.unusedId() }) }), 'TaskNotFound')
    },
  ),
  check(
    'send-no-client-task',
    'MUST NOT let a client choose the id of a new task',
    {
      proves: ['send-no-client-created-task'],
      fix: 'Do not create a task with an id chosen by the client.',
      yieldsTo: ['send-unknown-task', 'get-task-unknown'],
    },
    async (t) => {
      const id = t.unusedId()
      t.expectRefused(await t.call('sendMessage', { message: t.message('x', { taskId: id }) }))
      t.expectError(await t.call('getTask', { id }), 'TaskNotFound')
    },
  ),
  check(
    'send-to-finished',
    'MUST refuse a message to a finished task',
    {
      proves: ['send-to-terminal-task'],
      fix: 'Return UnsupportedOperationError when the task is in a terminal state.',
      category: 'error-handling',
      tells: true,
    },
    async (t) => {
      for (const { x } of await messagesToFinished(t)) t.expectError(x, 'UnsupportedOperation')
    },
  ),
  check(
    'send-unsupported-media',
    'SHOULD refuse parts of a media type it does not accept',
    {
      proves: ['send-content-type-unsupported'],
      fix: 'Compare mediaType of the parts with the declared input modes and return ContentTypeNotSupportedError.',
      category: 'error-handling',
    },
    async (t) => {
      const modes = [
        ...(listAt(t.card, 'defaultInputModes') ?? []),
        ...(listAt(t.card, 'skills') ?? []).flatMap((skill) => listAt(skill, 'inputModes') ?? []),
      ]
      if (modes.some((mode) => mode === '*/*' || mode === 'application/*'))
        t.notApplicable('the card accepts any media type')
      const x = await t.send('task', { parts: [{ raw: 'AAAA', mediaType: 'application/x-parley-unsupported' }] })
      t.expectError(x, 'ContentTypeNotSupported')
    },
  ),
  check(
    'send-blocking',
    'MUST wait for the end of a task unless asked to return immediately',
    {
      proves: ['send-blocking-default'],
      fix: 'Return from SendMessage only when the task is terminal or interrupted, unless returnImmediately is true.',
      needs: ['behaviour:slow'],
    },
    async (t) => waits(t, {}),
  ),
  check(
    'send-blocking-false',
    'MUST treat returnImmediately false like an absent member',
    {
      proves: ['send-blocking-explicit-false'],
      fix: 'Wait for the end of the task when returnImmediately is false.',
      yieldsTo: ['send-blocking'],
      needs: ['behaviour:slow'],
    },
    async (t) => waits(t, { returnImmediately: false }),
  ),
  check(
    'send-snapshot',
    'MUST return the whole task from a blocking send',
    {
      proves: ['send-blocking-complete-snapshot'],
      fix: 'Return the latest status and all artifacts, as GetTask would.',
    },
    async (t) => {
      for (const { task, x } of await sentTasks(t)) {
        const y = await t.call('getTask', { id: task.id })
        const stored = t.taskOf(y)
        const at = [x.exchange, y.exchange]
        t.expectEqual(task.stateText, stored.stateText, 'the state returned by the send', {
          pointer: `${task.pointer}/status/state`,
          at,
        })
        const same = sameMeaning(task.json.artifacts, stored.json.artifacts)
        t.expect(same, 'the artifacts of the send differ from those of GetTask', {
          expected: quote(stored.json.artifacts),
          actual: quote(task.json.artifacts),
          pointer: `${task.pointer}/artifacts`,
          at,
        })
      }
    },
  ),
  check(
    'send-return-immediately',
    'MUST return immediately when asked to',
    {
      proves: ['send-return-immediately', 'send-returns-promptly'],
      fix: 'With returnImmediately true, respond as soon as the task exists, while the work continues.',
      needs: ['behaviour:slow'],
    },
    async (t) => {
      const { task, x } = await t.startTask('slow', { configuration: { returnImmediately: true } })
      // A task that is over before a send that waits for it could notice shows nothing.
      const isOver = task.state !== undefined && isTerminal(task.state)
      if (isOver && (await slowSend(t)).tookMs < SLOW_MS) t.notProvoked('slow', task)
      t.expect(
        task.state === undefined || !isTerminal(task.state),
        `the send returned only when the task was ${task.stateText}`,
        { expected: 'submitted or working', actual: task.stateText, pointer: `${task.pointer}/status/state`, at: x },
      )
    },
  ),
  check(
    'send-immediately-readable',
    'MUST let a task be read as soon as its id is known',
    {
      proves: ['send-return-immediately-retrievable'],
      fix: 'Store the task before answering the send.',
      needs: ['behaviour:slow', 'check:get-task-current'],
      groundOf: 'working',
    },
    async (t) => {
      const { task } = await t.startWorking('slow')
      t.taskOf(await t.call('getTask', { id: task.id }))
    },
  ),
  check(
    'send-immediately-message',
    'MUST answer with the same kind of result whether or not the client waits',
    {
      proves: ['send-return-immediately-message'],
      fix: 'Return a direct message as a message also when returnImmediately is true.',
      needs: ['behaviour:message-only'],
    },
    async (t) => {
      t.messageOf(await t.send('message-only'))
      const x = await t.send('message-only', { configuration: { returnImmediately: true } })
      const sent = t.sendResultOf(x)
      t.expect('message' in sent, 'with returnImmediately a task comes back', {
        expected: 'a message',
        actual: quote(x.result),
        at: x,
      })
    },
  ),
  check(
    'send-message-only',
    'MUST send direct messages with the agent role and without an invented task id',
    {
      proves: ['send-message-reply-taskid', 'send-message-reply-role'],
      fix: 'Use ROLE_AGENT, and set taskId only when that task exists.',
      needs: ['behaviour:message-only'],
    },
    async (t) => {
      const x = await t.send('message-only')
      const message = t.messageOf(x)
      t.expect(message.role === 'agent', `the role of the answer is ${quote(message.json.role)}`, {
        expected: 'the agent role',
        actual: quote(message.json.role),
        pointer: `${message.pointer}/role`,
        at: x,
      })
      if (message.taskId !== undefined && message.taskId !== '')
        t.taskOf(await t.call('getTask', { id: message.taskId }))
    },
  ),
  check(
    'send-reply-context',
    'MUST set contextId on its messages',
    {
      proves: ['send-message-reply-context'],
      fix: 'Set contextId on messages of the agent.',
      needs: ['behaviour:message-only'],
      yieldsTo: ['json-camel-case', 'schema-task'],
    },
    async (t) => {
      const message = t.messageOf(await t.send('message-only'))
      if ((message.contextId ?? '') === '') t.warn(11, 'the message carries no contextId')
    },
  ),
  check(
    'send-reference-tasks',
    'SHOULD accept references to earlier tasks',
    { proves: ['send-reference-task-ids'], fix: 'Accept message.referenceTaskIds.' },
    async (t) => {
      const { id, contextId } = await t.finishedTask()
      t.sendResultOf(
        await t.send('task', {
          ...defined({ contextId }),
          message: { referenceTaskIds: [id] },
        }),
      )
    },
  ),
  check(
    'send-metadata',
    'SHOULD accept any JSON as metadata',
    { proves: ['send-metadata-accepted'], fix: 'Accept metadata with any JSON values on request, message and part.' },
    async (t) => {
      const metadata: JsonObject = {
        nested: { list: [1, 2.5, null, true] },
        ключ: 'значение',
        'https://parley.invalid/x': '\u2028',
      }
      const parts = [{ text: t.behaviour('task').text, metadata }]
      t.sendResultOf(await t.send('task', { metadata, parts, message: { metadata } }))
    },
  ),
  check(
    'send-artifacts',
    'SHOULD deliver results as artifacts',
    {
      proves: ['send-results-as-artifacts'],
      fix: 'Put the output of a task into artifacts, not into its messages.',
      yieldsTo: ['send-snapshot'],
    },
    async (t) => {
      const task = await t.finishedTask()
      if (task.state !== 'TASK_STATE_COMPLETED') t.notMeasured(`the task is ${task.stateText}`)
      t.expect(task.artifacts.length > 0, 'the completed task has no artifacts', {
        expected: 'at least one artifact',
        actual: 'none',
        pointer: '/artifacts',
      })
    },
  ),
])

/** Two tasks that were begun at the same time, for all checks that look at several. */
export function twoTasks(t: Probe): Promise<{ task: RawTask; x: Answer }[]> {
  return t.shared('two tasks', (own) => Promise.all([own.startTask('task'), own.startTask('task')]))
}

/** How long a send takes that waits for the end of a slow task; asked once per surface. */
function slowSend(t: Probe): Promise<{ tookMs: number }> {
  return t.shared('how long a slow task takes', async (own) => {
    const started = performance.now()
    await own.send('slow')
    return { tookMs: performance.now() - started }
  })
}

async function waits(t: Probe, configuration: { returnImmediately?: boolean }): Promise<void> {
  const x = await t.send('slow', { configuration })
  // How long a task may take is not specified (docs/spec-conflicts.md, place 8).
  if (t.timedOut(x)) t.notMeasured('the task did not end in time', 'a prompt for "slow" that ends after a few seconds')
  const sent = t.sendResultOf(x)
  if ('message' in sent) return t.notMeasured('the agent answered with a message instead of a task')
  const { task } = sent
  const { state } = task
  t.expect(state !== undefined && isSettled(state), `the send returned while the task was ${task.stateText}`, {
    expected: 'a terminal or interrupted state',
    actual: task.stateText,
    pointer: `${task.pointer}/status/state`,
    at: x,
  })
}
