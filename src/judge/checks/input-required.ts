// Tasks that wait for the user (1.0 §4.1.3).

import type { Answer } from '../probe/answer.ts'
import type { Probe } from '../probe/probe.ts'
import type { RawTask } from '../probe/raw.ts'
import { area, check, type PlacedCheck } from './check.ts'

const NEEDS = ['behaviour:input-required'] as const

export const inputRequiredChecks: PlacedCheck[] = area({ name: 'input-required', category: 'lifecycle', phase: 3 }, [
  check(
    'input-required-message',
    'SHOULD say what input is needed',
    {
      proves: ['state-input-required-message'],
      fix: 'Put a message with at least one part into the status of a task that needs input.',
      needs: NEEDS,
    },
    async (t) => {
      const { task, x } = await waiting(t)
      expectStatusMessage(t, task, x)
    },
  ),
])

/** A task that waits tells the client what for. */
export function expectStatusMessage(t: Probe, task: RawTask, at: Answer): void {
  t.expect((task.statusMessage?.parts.length ?? 0) > 0, 'the status has no message', {
    expected: 'a message with parts',
    pointer: `${task.pointer}/status/message`,
    at,
  })
}

async function waiting(t: Probe) {
  const started = await t.startTask('input-required')
  if (started.task.state !== 'TASK_STATE_INPUT_REQUIRED') t.notProvoked('input-required', started.task)
  return started
}
