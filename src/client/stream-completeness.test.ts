import { describe, expect, test } from 'vitest'
import type { StreamEvent } from '../model/event.ts'
import type { TaskState } from '../model/task.ts'
import { StreamCompleteness } from './stream-completeness.ts'

const status = (state: TaskState): StreamEvent => ({ statusUpdate: { taskId: 't', contextId: 'c', status: { state } } })
const task = (state: TaskState): StreamEvent => ({ task: { id: 't', status: { state } } })
const artifact: StreamEvent = {
  artifactUpdate: { taskId: 't', contextId: 'c', artifact: { artifactId: 'a', parts: [{ text: 'x' }] } },
}
const message: StreamEvent = { message: { messageId: 'm', role: 'ROLE_AGENT', parts: [{ text: 'hi' }] } }

function endAfter(...events: StreamEvent[]): string | undefined {
  const turn = new StreamCompleteness()
  for (const event of events) turn.see(event)
  return turn.earlyEnd()?.message
}

describe('a stream may end', () => {
  test.each<[string, StreamEvent[]]>([
    ['after a message', [message]],
    ['after a terminal state', [status('TASK_STATE_WORKING'), status('TASK_STATE_COMPLETED')]],
    ['after a task that has ended', [task('TASK_STATE_FAILED')]],
    ['when input is required', [status('TASK_STATE_INPUT_REQUIRED')]],
    ['when authorization is required, also after an artifact', [status('TASK_STATE_AUTH_REQUIRED'), artifact]],
  ])('%s', (_, events) => {
    expect(endAfter(...events)).toBeUndefined()
  })
})

describe('a stream ends too early', () => {
  test.each<[string, StreamEvent[], string]>([
    ['without an event', [], 'its state is unknown'],
    ['after an artifact alone', [artifact], 'its state is unknown'],
    ['while the task works', [task('TASK_STATE_SUBMITTED'), status('TASK_STATE_WORKING')], 'its last state is working'],
    [
      'when the task goes on after a question',
      [status('TASK_STATE_AUTH_REQUIRED'), status('TASK_STATE_WORKING')],
      'its last state is working',
    ],
  ])('%s', (_, events, why) => {
    expect(endAfter(...events)).toBe(`The stream ended before the task did: ${why}.`)
  })
})
