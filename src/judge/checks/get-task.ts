// Reading a task: current state, unknown ids, history (1.0 §3.1.3, §3.2.4).

import { isJsonObject } from '../../model/json.ts'
import { isSettled, isTerminal } from '../../model/state-machine.ts'
import { quote } from '../probe/assertions.ts'
import type { Probe } from '../probe/probe.ts'
import { sameMeaning } from '../probe/proto-json.ts'
import type { RawTask } from '../probe/raw.ts'
import { area, check, type PlacedCheck } from './check.ts'
import { REFUSE_NEGATIVE_HISTORY } from './error-repairs.ts'
import { twoTasks } from './send.ts'

/** The usual time between two questions of a client that polls. */
const POLLING_MS = 1_000

export const getTaskChecks: PlacedCheck[] = area({ name: 'get-task', category: 'lifecycle', phase: 3 }, [
  check(
    'get-task-unknown',
    'MUST report an unknown task as not found',
    {
      proves: ['get-task-not-found'],
      fix: 'Return TaskNotFoundError (JSON-RPC -32001, HTTP 404) when no task has the id.',
      category: 'error-handling',
      phase: 2,
      why: 'This error tells clients that the task does not exist, so that they stop polling.',
      causes: ['The lookup throws and the exception becomes an internal error.', 'An unknown id creates a task.'],
      tells: true,
    },
    async (t) => {
      t.expectError(await t.call('getTask', { id: t.unusedId() }), 'TaskNotFound')
    },
  ),
  check(
    'get-task-current',
    'MUST return the current state of a task',
    {
      proves: ['get-task-current-state'],
      fix: 'Return the stored task: the same id, its latest status and all its artifacts.',
      mandatory: true,
      needs: [
        'check:send-result',
        'check:rest-get-task-route',
        'check:tenant-routing',
        'check:get-task-bare',
        'check:send-task-ids',
      ],
      groundOf: 'getTask',
    },
    async (t) => {
      // Of one after the other, so that a task is not taken for the one before.
      for (const { task: started } of await twoTasks(t)) {
        const x = await t.call('getTask', { id: started.id })
        const task = t.taskOf(x)
        t.expectEqual(task.id, started.id, 'the id of the task', { at: x, pointer: `${task.pointer}/id` })
        // A task whose end the send has shown is read as it ended.
        if (started.state !== undefined && isTerminal(started.state)) t.expectState(task, [started.state], x)
      }
    },
  ),
  check(
    'get-task-bare',
    'MUST return the task itself, without a wrapper object',
    {
      proves: ['get-task-bare'],
      fix: 'Return the task as the result, not {"task": …}.',
      needs: ['check:send-result', 'check:rest-get-task-route'],
      groundOf: 'getTask',
    },
    async (t) => {
      const task = await t.startedTask()
      const x = await t.call('getTask', { id: task.id })
      const { result } = x
      if (!isJsonObject(result)) return t.notMeasured('the task could not be read')
      t.expect(!isJsonObject(result.task), 'the task is wrapped', {
        expected: '{"id": …, "status": …}',
        actual: quote(result),
        pointer: x.resultPointer,
        at: x,
      })
    },
  ),
  check(
    'get-task-completes',
    'MUST bring a task to a terminal state that GetTask shows',
    {
      proves: ['lifecycle-completes', 'state-terminal-immutable'],
      fix: 'Move the task to a terminal state when the work is done, show it in tasks/get, and change nothing afterwards.',
      mandatory: true,
      needs: ['check:get-task-current'],
      groundOf: 'finished',
    },
    async (t) => {
      const shared = await t.startedTask()
      const { forgotten } = await t.call('getTask', { id: shared.id })
      // Tasks that have ended may be purged; one of its own shows whether they can be read to their end.
      const { id } = forgotten === undefined ? shared : (await t.startTask('task')).task
      const end = await t.awaitRest(id, 'task', isSettled)
      // A task that fails, or asks, is right as well; the prompt was not one for a task that can be done.
      if (end.state !== 'TASK_STATE_COMPLETED') t.notProvoked('task', end)
      const x = await t.call('getTask', { id })
      t.expectState(t.taskOf(x), ['TASK_STATE_COMPLETED'], x)
    },
  ),
  check(
    'get-task-idempotent',
    'MUST return the same finished task to repeated reads',
    {
      proves: ['get-task-idempotent'],
      fix: 'Reading a task must not change it.',
      yieldsTo: ['task-final', 'task-context-constant'],
    },
    async (t) => {
      // Of its own: other checks read the shared one in ways that change it where reading changes something.
      const { id } = await t.ownFinishedTask()
      const first = await t.call('getTask', { id })
      await t.call('getTask', { id, historyLength: 1 })
      const second = await t.call('getTask', { id })
      // Nobody has to keep it longer, but whoever asks once a second for its end should find it.
      await t.pause(POLLING_MS)
      const { forgotten } = await t.call('getTask', { id })
      if (forgotten !== undefined) t.warn(57, 'a finished task is not found a second later')
      t.expect(sameMeaning(t.expectSuccess(first), t.expectSuccess(second)), 'two reads give different answers', {
        expected: quote(first.result),
        actual: quote(second.result),
        at: [first.exchange, second.exchange],
      })
    },
  ),
  check(
    'get-task-history-cap',
    'MUST return no more history than asked for',
    {
      proves: ['get-task-history-cap', 'get-task-query-history', 'dm-explicit-zero'],
      fix: 'Return at most historyLength messages of history; 0 is not "unset".',
      yieldsTo: ['task-final'],
    },
    async (t) => {
      const task = await conversation(t)
      for (const historyLength of [0, 1, 2]) {
        const x = await t.call('getTask', { id: task.id, historyLength })
        const { history = [], pointer } = t.taskOf(x)
        if (!t.rules.zeroIsGiven && historyLength === 0 && history.length > 0) {
          t.warn(55, `historyLength 0 returns ${history.length} messages`)
          continue
        }
        t.expect(history.length <= historyLength, `historyLength ${historyLength} returns ${history.length} messages`, {
          expected: `at most ${historyLength}`,
          actual: String(history.length),
          pointer: `${pointer}/history`,
          at: x,
        })
      }
    },
  ),
  check(
    'get-task-history-recent',
    'MUST return the most recent part of the history',
    {
      proves: ['get-task-history-recent'],
      fix: 'Drop the oldest messages first: historyLength keeps the newest ones.',
      yieldsTo: ['get-task-history-cap'],
    },
    async (t) => {
      const task = await conversation(t)
      const whole = (t.taskOf(await t.call('getTask', { id: task.id })).history ?? []).map(
        ({ messageId }) => messageId ?? '',
      )
      if (whole.length < 2) t.notMeasured('the agent keeps fewer than two messages of history')
      const x = await t.call('getTask', { id: task.id, historyLength: 1 })
      const { history = [], pointer } = t.taskOf(x)
      if (history.length === 0) t.notMeasured('the agent returns no history')
      t.expectEqual(history[0]?.messageId, whole.at(-1), 'the id of the message kept', {
        pointer: `${pointer}/history/0`,
        at: x,
      })
    },
  ),
  check(
    'get-task-history-zero',
    'SHOULD leave out the history when none is asked for',
    {
      proves: ['get-task-history-zero'],
      fix: 'Omit the member history when historyLength is 0.',
      yieldsTo: ['get-task-history-cap'],
    },
    async (t) => {
      const { id } = await t.finishedTask()
      const x = await t.call('getTask', { id, historyLength: 0 })
      const task = t.taskOf(x)
      t.expect((task.history ?? []).length === 0, 'the task has history', {
        expected: 'no history',
        actual: quote(task.json.history),
        pointer: `${task.pointer}/history`,
        at: x,
      })
    },
  ),
  check(
    'get-task-history-negative',
    'MUST refuse a negative history length',
    {
      proves: ['get-task-history-negative'],
      yieldsTo: ['get-task-history-cap'],
      fix: REFUSE_NEGATIVE_HISTORY,
      category: 'error-handling',
    },
    async (t) => {
      const { id } = await t.finishedTask()
      t.expectError(await t.call('getTask', { id, historyLength: -1 }), 'InvalidParams')
    },
  ),
  check(
    'get-task-history-order',
    'SHOULD list the history in the order of the conversation',
    {
      proves: ['get-task-history-order'],
      fix: 'List history oldest first.',
      yieldsTo: ['get-task-history-recent'],
    },
    async (t) => {
      const task = await conversation(t)
      const x = await t.call('getTask', { id: task.id })
      const { history = [], pointer } = t.taskOf(x)
      const places = task.sent
        .map((id) => history.findIndex(({ messageId }) => messageId === id))
        .filter((place) => place >= 0)
      if (places.length < 2) t.notMeasured('the agent keeps fewer than two of the messages sent')
      t.expect(
        places.every((place, at) => at === 0 || place > (places[at - 1] ?? 0)),
        'the messages are out of order',
        {
          expected: 'oldest first',
          actual: places.join(', '),
          pointer: `${pointer}/history`,
          at: x,
        },
      )
    },
  ),
  check(
    'get-task-state-history',
    'MUST return the state transition history it declares',
    {
      proves: ['state-transition-history'],
      fix: 'Return at least the first and the last status in history when stateTransitionHistory is declared.',
    },
    async (t) => {
      const { id } = await t.finishedTask()
      const x = await t.call('getTask', { id, historyLength: 100 })
      const { json, pointer } = t.taskOf(x)
      const count = Array.isArray(json.history) ? json.history.length : 0
      t.expect(count >= 2, `the history has ${count} entries`, {
        expected: 'at least 2',
        actual: quote(json.history),
        pointer: `${pointer}/history`,
        at: x,
      })
    },
  ),
  check(
    'get-task-missing-id',
    'MUST refuse to read a task without id',
    {
      proves: ['get-task-missing-id'],
      fix: 'Return a validation error when id is missing or empty.',
      category: 'error-handling',
      phase: 2,
      bindings: ['jsonrpc'],
    },
    async (t) => {
      for (const edit of [() => ({}), () => ({ id: '' })]) {
        t.expectError(await t.call('getTask', { id: t.unusedId() }, { edit }), 'InvalidParams', 'TaskNotFound')
      }
    },
  ),
])

/** A task with as much history as the agent can be brought to keep, and the ids of what was said to it. */
export function conversation(t: Probe): Promise<RawTask & { sent: string[] }> {
  return t.shared('a task with history', async (own) => {
    const prompt = own.known('input-required')
    if (prompt === undefined) return { ...(await own.finishedTask()), sent: [] }
    const first = own.sendRequest(prompt)
    const { id, state } = own.taskOf(await own.call('sendMessage', first))
    const sent = [first.message.messageId]
    if (state === 'TASK_STATE_INPUT_REQUIRED') {
      const next = own.sendRequest({ text: prompt.followUp ?? 'done' }, { taskId: id })
      own.taskOf(await own.call('sendMessage', next))
      sent.push(next.message.messageId)
    }
    return own.keep({ ...own.taskOf(await own.call('getTask', { id })), sent })
  })
}
