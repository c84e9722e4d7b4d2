import { isInterrupted, isSettled } from '../../model/state-machine.ts'
import type { Probe } from '../probe/probe.ts'
import type { RawTask } from '../probe/raw.ts'
import { area, check, type PlacedCheck } from './check.ts'

export const sendFollowUpChecks: PlacedCheck[] = area({ name: 'send', category: 'lifecycle', phase: 3 }, [
  check(
    'send-input-required',
    'MUST return from a blocking send when input is needed',
    {
      proves: ['send-blocking-input-required'],
      fix: 'Return when the task becomes input-required.',
      yieldsTo: ['send-blocking'],
      needs: ['behaviour:input-required', 'check:send-result'],
      groundOf: 'input-required',
    },
    async (t) => {
      const { task, x } = await t.startTask('input-required')
      if (task.state === 'TASK_STATE_INPUT_REQUIRED') return t.allow('the send returned when the agent asked')
      // What the agent did with the prompt shows in the task itself.
      const later = await t.awaitRest(task.id, 'input-required', isSettled)
      if (later.state !== 'TASK_STATE_INPUT_REQUIRED') t.notProvoked('input-required', later)
      t.expectState(task, ['TASK_STATE_INPUT_REQUIRED'], x)
    },
  ),
  check(
    'send-follow-up',
    'MUST continue the task a follow-up names',
    {
      proves: ['send-followup-same-task', 'state-input-required-resumes', 'send-context-inferred'],
      fix: 'Continue the task named by message.taskId, in its context, and leave the state input-required.',
      needs: ['behaviour:input-required', 'check:task-context-constant'],
    },
    async (t) => {
      const started = await t.startTask('input-required')
      // Where a send returns at once, the question comes later.
      const task = await t.awaitRest(started.task.id, 'input-required', isSettled)
      if (task.state !== 'TASK_STATE_INPUT_REQUIRED') t.notProvoked('input-required', task)
      const { followUp = 'done' } = t.behaviour('input-required')
      const x = await t.send({ text: followUp }, { taskId: task.id })
      const next = t.taskOf(x)
      t.expectEqual(next.id, task.id, 'the id of the continued task', { pointer: `${next.pointer}/id`, at: x })
      t.expectEqual(next.contextId, task.contextId, 'the context of the continued task', {
        pointer: `${next.pointer}/contextId`,
        at: x,
      })
      await t.expectTask(task.id, (now) => hasMoved(now, task))
    },
  ),
  check(
    'send-context-mismatch',
    'MUST refuse a contextId that does not match the task',
    {
      proves: ['send-context-mismatch'],
      fix: 'Refuse a message whose contextId differs from that of the task it names.',
      needs: ['behaviour:input-required'],
      category: 'error-handling',
    },
    async (t) => {
      const { task } = await t.startTask('input-required')
      if (task.state === undefined || !isInterrupted(task.state)) t.notProvoked('input-required', task)
      t.expectRefused(await t.send({ text: 'done' }, { taskId: task.id, contextId: t.unusedId() }))
    },
  ),
  check(
    'send-context-kept',
    'MUST NOT answer with another contextId than the one given',
    {
      proves: ['send-context-not-replaced', 'send-context-client-provided'],
      fix: 'Use the contextId of the client, or refuse it; never answer with another one.',
    },
    async (t) => {
      const contextId = t.unusedId()
      const x = await t.send('task', { contextId })
      t.expectAnswered(x)
      if (x.error !== undefined) return t.allow('a context id made by the client is refused, which is allowed')
      const sent = t.sendResultOf(x)
      const kept = contextOf(sent) ?? ''
      if (kept === '') return t.allow('the answer names no context; only another one is forbidden')
      if (kept !== contextId && 'task' in sent) {
        const stored = t.taskOf(await t.call('getTask', { id: sent.task.id }))
        if (stored.contextId === contextId) return t.notMeasured('the answer names another context than GetTask does')
      }
      t.expectEqual(kept, contextId, 'the context of the answer', { pointer: `${x.resultPointer}`, at: x })
    },
  ),
  check(
    'send-context-new-task',
    'MUST start a new task for a message that names only a context',
    {
      proves: ['send-context-new-task', 'send-context-generated-returned'],
      fix: 'Start a new task in the given context for a message with contextId and without taskId.',
      yieldsTo: ['send-task-ids', 'send-context-kept'],
    },
    async (t) => {
      const first = await t.startTask('task')
      const { contextId } = first.task
      if (contextId === undefined) return t.notMeasured('the agent uses no contexts')
      const { task, x } = await t.startTask('task', { contextId })
      t.expect(task.id !== first.task.id, 'the message continued the earlier task', {
        expected: 'a new task id',
        actual: task.id,
        pointer: `${task.pointer}/id`,
        at: x,
      })
      t.expectEqual(task.contextId, contextId, 'the context of the new task', {
        pointer: `${task.pointer}/contextId`,
        at: x,
      })
    },
  ),
])

function contextOf(sent: ReturnType<Probe['sendResultOf']>): string | undefined {
  return 'task' in sent ? sent.task.contextId : sent.message.contextId
}

/** Asking once more is moving on, too: with another time, or in another message. */
export function hasMoved(now: RawTask, before: RawTask): boolean {
  return (
    now.state !== before.state ||
    now.timestamp !== before.timestamp ||
    now.statusMessage?.messageId !== before.statusMessage?.messageId
  )
}
