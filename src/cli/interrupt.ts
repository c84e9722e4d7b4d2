// Ctrl-C while an agent works on a task: the task goes on unless it is canceled, so we say how, or do it when that was
// asked for. A second Ctrl-C does not wait for anybody.

import type { A2AClient } from '../client/a2a-client.ts'
import { EXIT } from '../model/errors.ts'
import { ownCommand } from './invocation.ts'
import { terminalLine } from './terminal-text.ts'

export interface InterruptOptions {
  client: Pick<A2AClient, 'cancelTask' | 'listTasks'>
  /** What the user typed for it. */
  agent: string
  mayCancel: boolean
  /** The id of the message that was sent: the task that has it is ours. */
  messageId: string
  tell(line: string): void
}

/** How long the agent is asked which task it is; who pressed Ctrl-C wants to leave. */
const FIND_MS = 2_000
/** Newest first, so ours is among them. */
const RECENT = 20

export class Interrupt {
  /** The task that is waited for, as soon as it has a name. */
  taskId: string | undefined
  readonly #options: InterruptOptions

  constructor(options: InterruptOptions) {
    this.#options = options
  }

  async during<T>(wait: () => Promise<T>): Promise<T> {
    const interrupted = () => {
      process.once('SIGINT', () => process.exit(EXIT.interrupted))
      void this.leave().then(() => process.exit(EXIT.interrupted))
    }
    process.once('SIGINT', interrupted)
    try {
      return await wait()
    } finally {
      process.off('SIGINT', interrupted)
    }
  }

  /** What is said or done about the task before the command ends. */
  async leave(): Promise<void> {
    const { agent, client, mayCancel, tell } = this.#options
    const id = this.taskId ?? (await this.#found())
    if (id === undefined) {
      tell(`The agent may still be working on it: ${ownCommand()} task list ${agent}`)
      return
    }
    const named = terminalLine(id)
    const byHand = `${ownCommand()} task cancel ${agent} ${named}`
    if (!mayCancel) {
      tell(`The agent is still working on task ${named}; to cancel it: ${byHand}`)
      return
    }
    try {
      await client.cancelTask({ id })
      tell(`Canceled task ${named}.`)
    } catch (error) {
      const why = error instanceof Error ? terminalLine(error.message) : 'it did not answer'
      tell(`Task ${named} could not be canceled (${why}); try again with: ${byHand}`)
    }
  }

  /** An agent that was asked to wait tells the id of its task with the answer, so it is looked for among the latest tasks. */
  async #found(): Promise<string | undefined> {
    const { client, messageId } = this.#options
    const late = new Promise<undefined>((resolve) => setTimeout(() => resolve(undefined), FIND_MS).unref())
    const search = async () => {
      const { tasks } = await client.listTasks({ pageSize: RECENT, historyLength: RECENT })
      return tasks.find(({ history = [] }) => history.some((message) => message.messageId === messageId))?.id
    }
    return Promise.race([search().catch(() => undefined), late])
  }
}
