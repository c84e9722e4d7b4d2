// Requests a correct agent refuses and a wrong one acts upon. Each is made once per surface, on a task of its own that
// no other check looks at; the answer is shared.

import type { Answer } from '../probe/answer.ts'
import type { Probe } from '../probe/probe.ts'

export function cancelOfFinished(t: Probe): Promise<Answer> {
  return t.shared('the cancel of a finished task', async (own) => {
    const { id } = await own.ownFinishedTask()
    return own.call('cancelTask', { id })
  })
}

export function messageToFinished(t: Probe): Promise<Answer> {
  return t.shared('a message to a finished task', async (own) => {
    const { id, contextId } = await own.ownFinishedTask()
    const message = own.message('more', { taskId: id, ...(contextId === undefined ? {} : { contextId }) })
    return own.call('sendMessage', { message })
  })
}

/** Canceling may fail for a task that works, too: success is not promised (1.0 §3.1.5). */
export function isNotCancelable({ error }: Answer): boolean {
  return error?.reason === 'TASK_NOT_CANCELABLE' || error?.code === -32002
}
