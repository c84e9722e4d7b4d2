// Tasks that have ended, in every way the agent can be brought to: completed, failed, rejected, canceled.

import { isTerminal } from '../../model/state-machine.ts'
import type { TaskState } from '../../model/task.ts'
import type { Answer } from '../probe/answer.ts'
import type { Behaviour } from '../probe/behaviours.ts'
import { CheckFailure, NotMeasured } from '../probe/check-failure.ts'
import type { Probe } from '../probe/probe.ts'
import type { RawTask } from '../probe/raw.ts'

const ENDS: readonly (readonly [TaskState, Behaviour])[] = [
  ['TASK_STATE_COMPLETED', 'task'],
  ['TASK_STATE_FAILED', 'fails'],
  ['TASK_STATE_REJECTED', 'rejects'],
  ['TASK_STATE_CANCELED', 'cancelable'],
]

/** `for what` keeps tasks apart that a request may succeed in changing. */
export function endedTasks(t: Probe, forWhat: string): Promise<RawTask[]> {
  return t.shared(`ended tasks ${forWhat}`, async (own) => {
    const found = await Promise.all(ENDS.map(([state, what]) => ended(own, state, what)))
    return found.filter((task) => task !== undefined)
  })
}

/** A task that ended that way; undefined when the way is unknown, or it did not. */
async function ended(t: Probe, state: TaskState, what: Behaviour): Promise<RawTask | undefined> {
  if (t.known(what) === undefined) return undefined
  try {
    const task = await (what === 'cancelable' ? canceled(t) : t.ownFinishedTask(what))
    return task.state === state ? task : undefined
  } catch (error) {
    // That a task cannot be made or canceled is told by the checks about that.
    const isTold = error instanceof NotMeasured || error instanceof CheckFailure
    if (what === 'task' || !isTold) throw error
    return undefined
  }
}

async function canceled(t: Probe): Promise<RawTask> {
  const { task } = await t.startWorking('cancelable')
  const x = await t.call('cancelTask', { id: task.id })
  if (x.error !== undefined) t.notMeasured('the task could not be canceled')
  return t.awaitTask(task.id, ({ state }) => state !== undefined && isTerminal(state))
}

/** The state in words, for messages: "a failed task". */
export function wordOf(state: TaskState | undefined): string {
  return (state ?? 'TASK_STATE_UNSPECIFIED').replace('TASK_STATE_', '').toLowerCase()
}

export interface SentTask {
  what: Behaviour
  task: RawTask
  x: Answer
}

const CONTENTS: readonly Behaviour[] = ['task', 'artifact-text', 'artifact-file', 'artifact-data', 'fails', 'rejects']

/** What sends returned that waited for the end, with every kind of content and end there is a prompt for. */
export function sentTasks(t: Probe): Promise<SentTask[]> {
  return t.shared('sends of every content', async (own) => {
    const prompts = new Map<string, Behaviour>()
    for (const what of CONTENTS) {
      const text = own.known(what)?.text
      if (text !== undefined && !prompts.has(text)) prompts.set(text, what)
    }
    const sent = await Promise.all([...prompts.values()].map((what) => sentOf(own, what)))
    return sent.filter((one) => one !== undefined)
  })
}

async function sentOf(t: Probe, what: Behaviour): Promise<SentTask | undefined> {
  try {
    const { task, x } = await t.startTask(what)
    const isOver = task.state !== undefined && isTerminal(task.state)
    return isOver ? { what, task: t.keep(task), x } : undefined
  } catch (error) {
    if (what === 'task' || !(error instanceof NotMeasured || error instanceof CheckFailure)) throw error
    return undefined
  }
}
