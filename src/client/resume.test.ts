import { describe, expect, test } from 'vitest'
import { drain } from '../../test/peers/drain.ts'
import type { StreamItem } from '../bindings/endpoint-client.ts'
import { A2AError, ParleyError } from '../model/errors.ts'
import type { Task, TaskState } from '../model/task.ts'
import { type Reconnect, resumed } from './resume.ts'

const LOST = new ParleyError('connection-lost', 'The connection was lost.')

function taskIn(state: TaskState): Task {
  return { id: 't1', contextId: 'c1', status: { state } }
}

function update(state: TaskState, id?: string): StreamItem {
  const event = { statusUpdate: { taskId: 't1', contextId: 'c1', status: { state } } }
  return id === undefined ? { event } : { event, id }
}

async function* play(...steps: (StreamItem | Error)[]): AsyncGenerator<StreamItem, void, undefined> {
  for (const step of steps) {
    if (step instanceof Error) throw step
    yield step
  }
}

/** Plays one list of steps per reconnection, and remembers how each was asked for. */
function reconnection(...plays: (StreamItem | Error)[][]): Reconnect & { asked: (string | undefined)[] } {
  const asked: (string | undefined)[] = []
  return {
    asked,
    subscribe(_taskId, lastEventId) {
      asked.push(lastEventId)
      return play(...(plays.shift() ?? [LOST]))
    },
    getTask: async () => taskIn('TASK_STATE_COMPLETED'),
  }
}

const FAST = { resume: true, resumeDelayMs: 0, resumeAttempts: 2 }

describe('resumed', () => {
  test('does not ask again for an event that is too large', async () => {
    const tooLarge = new ParleyError('answer-too-large', 'An event is larger than 4194304 bytes.')
    const reconnect = reconnection([update('TASK_STATE_COMPLETED')])
    const stream = resumed(play(update('TASK_STATE_WORKING', '7'), tooLarge), { taskId: undefined }, FAST, reconnect)
    await expect(drain(stream)).rejects.toBe(tooLarge)
    expect(reconnect.asked).toEqual([])
  })

  test('continues a broken stream after the last event id', async () => {
    const reconnect = reconnection([update('TASK_STATE_COMPLETED', '8')])
    const items = await drain(
      resumed(play(update('TASK_STATE_WORKING', '7'), LOST), { taskId: undefined }, FAST, reconnect),
    )
    expect(items.map(({ id }) => id)).toEqual(['7', '8'])
    expect(reconnect.asked).toEqual(['7'])
  })

  test('continues a stream that ended although the task still works', async () => {
    const reconnect = reconnection([update('TASK_STATE_COMPLETED')])
    const items = await drain(resumed(play(update('TASK_STATE_WORKING')), { taskId: undefined }, FAST, reconnect))
    expect(items).toHaveLength(2)
  })

  test.each(['TASK_STATE_COMPLETED', 'TASK_STATE_INPUT_REQUIRED'] as const)('%s is the end', async (state) => {
    const reconnect = reconnection()
    await drain(resumed(play(update(state)), { taskId: undefined }, FAST, reconnect))
    expect(reconnect.asked).toEqual([])
  })

  test('a task that finished unseen is told by its last state', async () => {
    const reconnect = reconnection([new A2AError('UnsupportedOperation', 'it is over')])
    const items = await drain(resumed(play(update('TASK_STATE_WORKING'), LOST), { taskId: undefined }, FAST, reconnect))
    expect(items.at(-1)?.event).toEqual({ task: taskIn('TASK_STATE_COMPLETED') })
  })

  test('gives up after some attempts in a row and says why', async () => {
    const reconnect = reconnection([LOST], [LOST], [LOST])
    await expect(
      drain(resumed(play(update('TASK_STATE_WORKING'), LOST), { taskId: undefined }, FAST, reconnect)),
    ).rejects.toBe(LOST)
    expect(reconnect.asked).toHaveLength(2)
  })

  test('cannot continue before it knows the task', async () => {
    const reconnect = reconnection()
    await expect(drain(resumed(play(LOST), { taskId: undefined }, FAST, reconnect))).rejects.toBe(LOST)
    expect(reconnect.asked).toEqual([])
  })

  test('an error of the agent is not a broken connection', async () => {
    const error = new A2AError('InternalError', 'no')
    const reconnect = reconnection()
    await expect(
      drain(resumed(play(update('TASK_STATE_WORKING'), error), { taskId: undefined }, FAST, reconnect)),
    ).rejects.toBe(error)
  })

  test('the task as it was before an answer is not the end of the stream', async () => {
    const before = {
      event: { task: { id: 't', contextId: 'c', status: { state: 'TASK_STATE_INPUT_REQUIRED' as const } } },
    }
    const after = update('TASK_STATE_COMPLETED')
    const open = () => play(before, after)
    const reconnect = reconnection()
    expect(await drain(resumed(open(), { taskId: undefined, isContinuation: true }, FAST, reconnect))).toHaveLength(2)
    expect(await drain(resumed(open(), { taskId: undefined }, FAST, reconnect))).toHaveLength(1)
    expect(
      await drain(resumed(play(before), { taskId: undefined, isContinuation: true }, FAST, reconnect)),
    ).toHaveLength(1)
  })
})
