// Ctrl-C while an agent works on a task: the task goes on unless it is canceled, so we say how, or do it when that was
// asked for. A second Ctrl-C does not wait for anybody.

import type { A2AClient } from '../client/a2a-client.ts'
import { EXIT } from '../model/errors.ts'
import { ownCommand } from './invocation.ts'
import { terminalLine } from './terminal-text.ts'

export interface InterruptOptions {
  client: Pick<A2AClient, 'cancelTask'>
  /** What the user typed for it. */
  agent: string
  mayCancel: boolean
  tell(line: string): void
}

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
    const { taskId: id } = this
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
}
