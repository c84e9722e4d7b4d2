// The conversations of the demo: each one sentence of A2A, tried with a real client. They throw when the agent does
// not do what its card promises.

import { setTimeout as sleep } from 'node:timers/promises'
import type { A2AClient } from '../client/a2a-client.ts'
import { A2AError } from '../model/errors.ts'
import type { SendMessageRequest, SendMessageResult } from '../model/operation.ts'
import { isSettled, isTerminal } from '../model/state-machine.ts'
import type { Task, TaskState } from '../model/task.ts'

export type ConversationName = 'reply' | 'task' | 'stream' | 'turns' | 'cancel' | 'list' | 'subscribe' | 'no-such-task'

export const CONVERSATIONS: Readonly<Record<ConversationName, (client: A2AClient) => Promise<void>>> = {
  async reply(client) {
    const result = await client.sendMessage(say('message-only hello'))
    if (!('message' in result)) throw new Error(`expected a message, got ${describe(result)}`)
  },
  async task(client) {
    const task = await settled(client, say('task-lifecycle demo'))
    expectState(task, 'TASK_STATE_COMPLETED')
    expectState(await client.getTask({ id: task.id }), 'TASK_STATE_COMPLETED')
  },
  async stream(client) {
    let chunks = 0
    let last: TaskState | undefined
    for await (const { event } of client.streamMessage(say('chunks 5'))) {
      if ('artifactUpdate' in event) chunks += 1
      if ('statusUpdate' in event) last = event.statusUpdate.status.state
    }
    if (chunks !== 5 || last !== 'TASK_STATE_COMPLETED') throw new Error(`got ${chunks} of 5 chunks, ended at ${last}`)
  },
  async turns(client) {
    const asked = await settled(client, say('multi-turn begin'))
    expectState(asked, 'TASK_STATE_INPUT_REQUIRED')
    expectState(await settled(client, say('done', asked)), 'TASK_STATE_COMPLETED')
  },
  async cancel(client) {
    const { id } = await startWaiting(client)
    expectState(await client.cancelTask({ id }), 'TASK_STATE_CANCELED')
  },
  async list(client) {
    const { tasks, totalSize } = await client.listTasks({ pageSize: 1 })
    if (tasks.length !== 1 || totalSize < 1) throw new Error(`listed ${tasks.length} of ${totalSize} tasks`)
  },
  async subscribe(client) {
    const { id } = await startWaiting(client)
    for await (const { event } of client.subscribeTask({ id })) {
      if ('statusUpdate' in event && isTerminal(event.statusUpdate.status.state)) return
      if ('task' in event || 'statusUpdate' in event) await client.cancelTask({ id })
    }
    throw new Error('the subscription ended without a terminal state')
  },
  async 'no-such-task'(client) {
    try {
      await client.getTask({ id: 'no-such-task' })
    } catch (error) {
      if (error instanceof A2AError && error.kind === 'TaskNotFound') return
      throw error
    }
    throw new Error('an unknown task was found')
  },
}

function say(text: string, task?: Task): SendMessageRequest {
  const ids = task === undefined ? {} : { taskId: task.id, ...(task.contextId ? { contextId: task.contextId } : {}) }
  return { message: { messageId: crypto.randomUUID(), role: 'ROLE_USER', parts: [{ text }], ...ids } }
}

/** The task once the agent's turn is over; generations that answer at once are polled, as their clients do. */
async function settled(client: A2AClient, request: SendMessageRequest): Promise<Task> {
  let task = taskOf(await client.sendMessage(request))
  for (let pauseMs = 5; !isSettled(task.status.state); pauseMs *= 2) {
    if (pauseMs > 5_000) throw new Error(`the task is still ${task.status.state} after ten seconds`)
    await sleep(pauseMs)
    task = await client.getTask({ id: task.id })
  }
  return task
}

/** A task that works until it is canceled. */
async function startWaiting(client: A2AClient): Promise<Task> {
  return taskOf(await client.sendMessage({ ...say('task-cancel demo'), configuration: { returnImmediately: true } }))
}

function taskOf(result: SendMessageResult): Task {
  if ('message' in result) throw new Error('expected a task, got a message')
  return result.task
}

function expectState(task: Task, state: TaskState): void {
  if (task.status.state !== state) throw new Error(`expected ${state}, got ${task.status.state}`)
}

function describe(result: SendMessageResult): string {
  return 'task' in result ? `a task in ${result.task.status.state}` : 'a message'
}
