// A stream that survives its connection: when it breaks, or ends while the task still works, it goes on as a
// subscription, from the last event id where the server numbers its events.

import { setTimeout as wait } from 'node:timers/promises'
import type { StreamItem } from '../bindings/endpoint-client.ts'
import { A2AError, ParleyError } from '../model/errors.ts'
import type { StreamEvent } from '../model/event.ts'
import type { Task } from '../model/task.ts'
import { endsWaiting } from './stream-completeness.ts'

/** Whether and how a broken stream goes on. */
export interface ResumeOptions {
  /**
   * Reconnect when the connection breaks before the turn is over.
   * @default false
   */
  resume?: boolean
  /**
   * Milliseconds before the first reconnection; it doubles with each that brings nothing.
   * @default 200
   */
  resumeDelayMs?: number
  /**
   * How many reconnections in a row may bring nothing; then the stream fails.
   * @default 5
   */
  resumeAttempts?: number
  /** Ends the stream and all further attempts. */
  signal?: AbortSignal
}

export interface Beginning {
  /** The task, when it is known before the first event. */
  taskId: string | undefined
  /** A message to a task that waits: the stream may begin with the task as it was before the message. */
  isContinuation?: boolean
}

export interface Reconnect {
  subscribe(taskId: string, lastEventId: string | undefined): AsyncGenerator<StreamItem, void, undefined>
  getTask(taskId: string): Promise<Task>
}

/** What does not depend on the connection: another one would bring the same event again. */
const WOULD_COME_AGAIN: ReadonlySet<string> = new Set(['answer-too-large', 'address-refused'])

export async function* resumed(
  open: AsyncGenerator<StreamItem, void, undefined>,
  { taskId: knownTaskId, isContinuation = false }: Beginning,
  options: ResumeOptions,
  reconnect: Reconnect,
): AsyncGenerator<StreamItem, void, undefined> {
  const { resumeDelayMs = 200, resumeAttempts = 5, signal } = options
  let stream = open
  let taskId = knownTaskId
  let lastEventId: string | undefined
  let fruitless = 0
  let isBefore = isContinuation
  for (;;) {
    let failure: ParleyError | undefined
    let isOver = false
    try {
      for await (const item of stream) {
        fruitless = 0
        taskId = taskIdOf(item.event) ?? taskId
        lastEventId = item.id ?? lastEventId
        yield item
        isOver = endsWaiting(item.event)
        if (isOver && !(isBefore && 'task' in item.event)) return
        isBefore = false
      }
      if (isOver) return
    } catch (error) {
      if (error instanceof A2AError && error.kind === 'UnsupportedOperation' && fruitless > 0 && taskId !== undefined) {
        // The task ended between two connections (1.0 §3.1.6): its last state is the rest of the stream.
        yield { event: { task: await reconnect.getTask(taskId) } }
        return
      }
      if (!(error instanceof ParleyError) || WOULD_COME_AGAIN.has(error.code)) throw error
      failure = error
    }
    if (taskId === undefined || fruitless >= resumeAttempts || signal?.aborted === true) {
      if (failure !== undefined) throw failure
      return
    }
    await wait(resumeDelayMs * 2 ** fruitless, undefined, signal === undefined ? {} : { signal })
    fruitless++
    stream = reconnect.subscribe(taskId, lastEventId)
  }
}

function taskIdOf(event: StreamEvent): string | undefined {
  if ('task' in event) return event.task.id
  if ('statusUpdate' in event) return event.statusUpdate.taskId
  return 'artifactUpdate' in event ? event.artifactUpdate.taskId : event.message.taskId
}
