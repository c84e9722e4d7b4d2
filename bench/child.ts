// A process of the benchmark that answers questions over the IPC channel, one at a time: servers and load never share a
// process with each other or with what measures them.

import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'

export class Child {
  readonly #process: ChildProcess

  private constructor(process: ChildProcess) {
    this.#process = process
  }

  /** Resolves once the process has said that it is ready. */
  static async start(file: string, args: readonly string[] = []): Promise<Child> {
    const path = new URL(file, import.meta.url)
    const child = new Child(
      fork(path, args, { execArgv: ['--expose-gc'], stdio: ['ignore', 'ignore', 'inherit', 'ipc'] }),
    )
    await child.#answer()
    return child
  }

  ask<T>(question: unknown): Promise<T> {
    const answer = this.#answer()
    this.#process.send(question as object)
    return answer as Promise<T>
  }

  async stop(): Promise<void> {
    const left = once(this.#process, 'exit')
    this.#process.kill('SIGKILL')
    await left
  }

  #answer(): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const onExit = (code: number | null) => reject(new Error(`A process of the benchmark ended (${code}).`))
      this.#process.once('exit', onExit)
      this.#process.once('message', (message) => {
        this.#process.off('exit', onExit)
        if (isFailure(message)) reject(new Error(message.failed))
        else resolve(message)
      })
    })
  }
}

function isFailure(message: unknown): message is { failed: string } {
  return typeof message === 'object' && message !== null && 'failed' in message
}

/** The other end: says ready, then answers every question with what `reply` makes of it. */
export function answerParent<Q>(reply: (question: Q) => unknown): void {
  const answer = async (question: unknown) => {
    try {
      process.send?.((await reply(question as Q)) ?? {})
    } catch (error) {
      process.send?.({ failed: String(error) })
    }
  }
  process.on('message', (question) => void answer(question))
  process.on('disconnect', () => process.exit())
  process.send?.({})
}
