// The behaviour all foreign peers share, chosen by the first word of the message, so that one test can be run
// against servers built with different SDKs. Each server only says how its SDK publishes a step.
//
//   task X     a task that completes with one artifact holding X
//   stream N   a task that completes with one artifact sent in N chunks
//   ask        a task that asks a question; the next message on it completes it
//   slow       a task that works until it is cancelled
//   wait N     a task that completes after N milliseconds, or is cancelled before
//   fail       a task that fails
//   otherwise  the text comes back in a message, without a task

export type PeerState = 'working' | 'completed' | 'failed' | 'canceled' | 'input-required'

export interface PeerOutput {
  message(text: string): void
  /** Publishes the task, as every turn on a task must begin. */
  task(): void
  status(state: PeerState, text?: string): void
  artifact(artifactId: string, text: string, chunk: { append: boolean; lastChunk: boolean }): void
}

export interface PeerTurn {
  text: string
  /** The message continues a task that is already there. */
  continues: boolean
  /** Resolves when a client cancels the task. */
  cancelled: Promise<void>
}

export async function playKeyword(turn: PeerTurn, out: PeerOutput): Promise<void> {
  const [keyword = '', ...rest] = turn.text.split(' ')
  const argument = rest.join(' ')
  if (turn.continues) {
    out.task()
    out.artifact('answer', `You said ${turn.text}`, { append: false, lastChunk: true })
    out.status('completed')
    return
  }
  if (keyword === 'task') {
    out.task()
    out.status('working')
    out.artifact('result', argument, { append: false, lastChunk: true })
    out.status('completed', 'done')
  } else if (keyword === 'stream') {
    out.task()
    out.status('working')
    const chunks = Number(argument)
    for (let n = 1; n <= chunks; n++) {
      out.artifact('result', `chunk ${n}\n`, { append: n > 1, lastChunk: n === chunks })
    }
    out.status('completed')
  } else if (keyword === 'ask') {
    out.task()
    out.status('input-required', 'Which colour?')
  } else if (keyword === 'slow') {
    out.task()
    out.status('working', 'working until cancelled')
    await turn.cancelled
    out.status('canceled')
  } else if (keyword === 'wait') {
    out.task()
    out.status('working', 'working for a while')
    const ending = await Promise.race([turn.cancelled.then(() => 'canceled' as const), elapsed(Number(argument))])
    if (ending === 'completed') out.artifact('result', 'waited', { append: false, lastChunk: true })
    out.status(ending)
  } else if (keyword === 'fail') {
    out.task()
    out.status('failed', 'it did not work')
  } else {
    out.message(turn.text)
  }
}

async function elapsed(ms: number): Promise<'completed'> {
  await new Promise((resolve) => setTimeout(resolve, ms))
  return 'completed'
}

/** Hands the cancel call of an SDK to the turn that is waiting for it. */
export class Cancellations {
  readonly #waiting = new Map<string, () => void>()

  of(taskId: string): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#waiting.set(taskId, resolve)
    return promise
  }

  cancel(taskId: string): void {
    this.#waiting.get(taskId)?.()
    this.#waiting.delete(taskId)
  }

  cancelAll(): void {
    for (const taskId of [...this.#waiting.keys()]) this.cancel(taskId)
  }
}
