import { expect, test } from 'vitest'
import { EXIT } from '../model/errors.ts'
import type { TaskState } from '../model/task.ts'
import { waitForTask } from './wait-for-task.ts'

function asking(...states: TaskState[]) {
  let asked = 0
  return {
    ask: async () => ({
      id: 't1',
      status: { state: states[Math.min(asked++, states.length - 1)] ?? 'TASK_STATE_FAILED' },
    }),
    asked: () => asked,
  }
}

test.each(['TASK_STATE_COMPLETED', 'TASK_STATE_INPUT_REQUIRED'] as const)(
  'asks until the task is in %s',
  async (end) => {
    const { ask, asked } = asking('TASK_STATE_SUBMITTED', 'TASK_STATE_WORKING', end)
    expect((await waitForTask(ask, { pauseMs: 1 })).status.state).toBe(end)
    expect(asked()).toBe(3)
  },
)

test('gives up at the deadline and says so', async () => {
  const { ask } = asking('TASK_STATE_WORKING')
  await expect(waitForTask(ask, { pauseMs: 1, deadlineMs: 5 })).rejects.toMatchObject({
    code: 'timeout',
    exitCode: EXIT.timeout,
  })
})

test('stops when the caller does', async () => {
  const { ask } = asking('TASK_STATE_WORKING')
  const abort = new AbortController()
  const waiting = waitForTask(ask, { pauseMs: 60_000, deadlineMs: 120_000, signal: abort.signal })
  abort.abort()
  await expect(waiting).rejects.toMatchObject({ name: 'AbortError' })
})
