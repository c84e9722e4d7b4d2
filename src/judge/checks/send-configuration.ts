// What a send is configured with: how much history, and where to notify (1.0 §3.2.2).

import type { Answer } from '../probe/answer.ts'
import { quote } from '../probe/assertions.ts'
import type { Probe } from '../probe/probe.ts'
import type { RawTask } from '../probe/raw.ts'
import { area, check, type PlacedCheck } from './check.ts'

export const sendConfigurationChecks: PlacedCheck[] = area({ name: 'send', category: 'lifecycle', phase: 3 }, [
  check(
    'send-history-zero',
    'SHOULD leave out the history when none is asked for',
    {
      proves: ['send-history-length-zero'],
      fix: 'Omit history when configuration.historyLength is 0.',
      // Whoever ignores the length is told that.
      yieldsTo: ['send-history-limit'],
    },
    async (t) => {
      const { task, x } = await t.startTask('task', { configuration: { historyLength: 0 } })
      t.expect((task.history ?? []).length === 0, `the answer has ${task.history?.length} messages of history`, {
        expected: 'no history',
        actual: quote(task.json.history),
        pointer: `${task.pointer}/history`,
        at: x,
      })
    },
  ),
  check(
    'send-history-limit',
    'MUST apply the historyLength of a send',
    {
      proves: ['send-history-length-limit'],
      fix: 'Return at most historyLength messages.',
      yieldsTo: ['get-task-history-cap', 'send-follow-up'],
    },
    async (t) => {
      const { task, x } = await answered(t, { historyLength: 1 })
      t.expect((task.history ?? []).length <= 1, `the answer has ${task.history?.length} messages of history`, {
        expected: 'at most 1',
        actual: quote(task.json.history),
        pointer: `${task.pointer}/history`,
        at: x,
      })
    },
  ),
  check(
    'send-inline-push',
    'MUST NOT accept a push configuration without declaring push notifications',
    {
      proves: ['send-inline-push-unsupported'],
      fix: 'Return PushNotificationNotSupportedError when a send carries a push configuration and the capability is off.',
      yieldsTo: ['get-task-unknown'],
    },
    async (t) => {
      const x = await t.send('task', {
        configuration: { taskPushNotificationConfig: { url: 'https://parley.invalid/hook' } },
      })
      t.expectAnswered(x)
      t.expect(x.error !== undefined, 'the push configuration of a send is silently ignored', {
        expected: 'an error, because the card does not declare pushNotifications (docs/spec-conflicts.md, place 18)',
        actual: quote(x.result),
        pointer: x.resultPointer,
        at: x,
      })
    },
  ),
])

/** A task that was continued has more than one message to tell; without a prompt that makes the agent ask, a new one. */
async function answered(t: Probe, configuration: { historyLength: number }): Promise<{ task: RawTask; x: Answer }> {
  const prompt = t.known('input-required')
  if (prompt === undefined) return t.startTask('task', { configuration })
  const { task } = await t.startTask('input-required')
  if (task.state !== 'TASK_STATE_INPUT_REQUIRED') return t.startTask('task', { configuration })
  const x = await t.send({ text: prompt.followUp ?? 'done' }, { taskId: task.id, configuration })
  return { task: t.taskOf(x), x }
}
