// The behaviour the agents on JavaScript SDKs share, chosen by the first word of the message; the agents in other
// languages do the same, so that one prompts.yaml drives them all. Each agent only says how its SDK publishes a step.
//
//   task X     a task that completes with one artifact holding X
//   stream N   a task that completes with one artifact sent in N chunks
//   steps N    the same with a pause before every chunk, so that others can follow
//   ask        a task that asks a question; the next message on it completes it
//   slow       a task that works until it is cancelled
//   wait N     a task that completes after N milliseconds, or is cancelled before
//   fail       a task that fails
//   reject     a task that is rejected
//   file       a task that completes with a named file
//   data       a task that completes with structured data
//   otherwise  the text comes back in a message, without a task

export type PeerState = 'working' | 'completed' | 'failed' | 'canceled' | 'rejected' | 'input-required'

export type PeerPart = { text: string } | { data: { [key: string]: unknown } } | { file: Uint8Array; name: string }

export interface PeerOutput {
  message(text: string): void
  /** Publishes the task, as every turn on a task must begin. */
  task(): void
  status(state: PeerState, text?: string): void
  artifact(artifactId: string, part: PeerPart, chunk: { append: boolean; lastChunk: boolean }): void
}

export interface PeerTurn {
  text: string
  /** The message continues a task that is already there. */
  continues: boolean
  /** Resolves when a client cancels the task. */
  cancelled: Promise<void>
}

/** Long enough for another client to come in between. */
const STEP_MS = 300

const FILE: PeerPart = { file: new TextEncoder().encode('a,b\n1,2\n'), name: 'table.csv' }
const DATA: PeerPart = { data: { colour: 'blue', counts: [1, 2.5], nested: { empty: null } } }

export async function playKeyword(turn: PeerTurn, out: PeerOutput): Promise<void> {
  const [keyword = '', ...rest] = turn.text.split(' ')
  const argument = rest.join(' ')
  if (turn.continues) {
    out.task()
    out.artifact('answer', { text: `You said ${turn.text}` }, { append: false, lastChunk: true })
    out.status('completed')
    return
  }
  if (keyword === 'task') {
    out.task()
    out.status('working')
    out.artifact('result', { text: argument }, { append: false, lastChunk: true })
    out.status('completed', 'done')
  } else if (keyword === 'stream' || keyword === 'steps') {
    out.task()
    out.status('working')
    const chunks = Number(argument)
    for (let n = 1; n <= chunks; n++) {
      if (keyword === 'steps') await elapsed(STEP_MS)
      out.artifact('result', { text: `chunk ${n}\n` }, { append: n > 1, lastChunk: n === chunks })
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
    if (ending === 'completed') out.artifact('result', { text: 'waited' }, { append: false, lastChunk: true })
    out.status(ending)
  } else if (keyword === 'fail') {
    out.task()
    out.status('failed', 'it did not work')
  } else if (keyword === 'reject') {
    out.task()
    out.status('rejected', 'not this')
  } else if (keyword === 'file' || keyword === 'data') {
    out.task()
    out.artifact('result', keyword === 'file' ? FILE : DATA, { append: false, lastChunk: true })
    out.status('completed')
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

  /** False when no turn of the task is running, so that nobody but the caller can end it. */
  cancel(taskId: string): boolean {
    const resolve = this.#waiting.get(taskId)
    resolve?.()
    return this.#waiting.delete(taskId)
  }

  /** The turn is over. */
  end(taskId: string): void {
    this.#waiting.delete(taskId)
  }

  cancelAll(): void {
    for (const taskId of [...this.#waiting.keys()]) this.cancel(taskId)
  }
}
