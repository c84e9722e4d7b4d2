// Requests a correct agent refuses and a wrong one acts upon. Each is made once per surface, on tasks of its own that
// no other check looks at, one for every way a task can end; the answers are shared.

import type { TaskState } from '../../model/task.ts'
import type { Answer } from '../probe/answer.ts'
import type { Probe } from '../probe/probe.ts'
import type { RawTask } from '../probe/raw.ts'
import type { RawStream } from '../probe/raw-stream.ts'
import { endedTasks } from './ends.ts'

export interface Refusal<X> {
  state: TaskState | undefined
  x: X
}

/** Cancels of tasks that ended by themselves; a second cancel is another matter. */
export function cancelsOfFinished(t: Probe): Promise<Refusal<Answer>[]> {
  return t.shared('cancels of finished tasks', async (own) => {
    const tasks = (await endedTasks(own, 'to be canceled')).filter(({ state }) => state !== 'TASK_STATE_CANCELED')
    return Promise.all(
      tasks.map(async ({ id, state }) => ({ state, x: spoiling(own, id, await own.call('cancelTask', { id })) })),
    )
  })
}

export async function cancelOfFinished(t: Probe): Promise<Answer> {
  return completedOf(t, await cancelsOfFinished(t))
}

export function messagesToFinished(t: Probe): Promise<Refusal<Answer>[]> {
  return t.shared('messages to finished tasks', async (own) => {
    const tasks = await endedTasks(own, 'to be sent messages')
    const sent = tasks.map(async (task) => ({
      state: task.state,
      x: spoiling(own, task.id, await own.call('sendMessage', { message: more(own, task) })),
    }))
    return Promise.all(sent)
  })
}

export async function messageToFinished(t: Probe): Promise<Answer> {
  return completedOf(t, await messagesToFinished(t))
}

export function streamsToFinished(t: Probe): Promise<Refusal<RawStream>[]> {
  return t.shared('streams to finished tasks', async (own) => {
    const tasks = await endedTasks(own, 'to be streamed to')
    const opened = tasks.map(async (task) => {
      const x = await own.stream('streamMessage', { message: more(own, task) })
      await x.next()
      return { state: task.state, x: spoiling(own, task.id, x) }
    })
    return Promise.all(opened)
  })
}

/** What became of a task by a request that was not refused is told by the check about that request, and by no other. */
function spoiling<X extends Answer | RawStream>(t: Probe, taskId: string, x: X): X {
  if (x.error === undefined) t.spoil(taskId)
  return x
}

/** Without a context, which the agent knows (1.0 §3.4.3): where contexts are wrong, that is not why it is refused or accepted. */
function more(t: Probe, { id }: RawTask) {
  return t.message('more', { taskId: id })
}

function completedOf<X>(t: Probe, refusals: readonly Refusal<X>[]): X {
  const found = refusals.find(({ state }) => state === 'TASK_STATE_COMPLETED')
  return found?.x ?? t.notMeasured('no task could be completed', 'a prompt for "task" that completes')
}

/** Canceling may fail for a task that works, too: success is not promised (1.0 §3.1.5). */
export function isNotCancelable({ error }: Answer): boolean {
  return error?.reason === 'TASK_NOT_CANCELABLE' || error?.code === -32002
}
