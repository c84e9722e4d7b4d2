// A database server as a child process of the test run: own port, own temporary directory, gone with the test.
// It is ready when it says so on its output; nobody sleeps.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'

export interface LaunchPlan {
  readonly name: string
  readonly command: string
  readonly args: readonly string[]
  readonly directory: string
  /** What the server prints once it accepts connections. */
  readonly readyText: string
  readonly uid?: number
  readonly gid?: number
  /** Output of a start that failed for a passing reason and may be tried again. */
  readonly transientText?: string
}

const READY_TIMEOUT_MS = 30_000
const MAX_ATTEMPTS = 100

export class ChildServer {
  readonly port: number
  readonly url: string
  readonly #plan: LaunchPlan
  #child: ChildProcess | undefined
  readonly #killAtExit = (): void => {
    this.#child?.kill('SIGKILL')
  }

  constructor(plan: LaunchPlan, port: number, url: string) {
    this.#plan = plan
    this.port = port
    this.url = url
    process.once('exit', this.#killAtExit)
  }

  get pid(): number | undefined {
    return this.#child?.pid
  }

  async start(): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      const output = await this.#launch()
      if (output === undefined) return
      const { name, transientText } = this.#plan
      const mayPass = transientText !== undefined && output.includes(transientText)
      if (!mayPass || attempt === MAX_ATTEMPTS) throw new Error(`${name} did not start: ${output}`)
    }
  }

  /** Orderly, keeping the data. */
  async halt(signal: NodeJS.Signals = 'SIGINT'): Promise<void> {
    const child = this.#child
    this.#child = undefined
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
    const gone = once(child, 'exit')
    child.kill(signal)
    await gone
  }

  kill9(): Promise<void> {
    return this.halt('SIGKILL')
  }

  async restart(): Promise<void> {
    await this.halt()
    await this.start()
  }

  /** Stops without ceremony and removes the directory. */
  async stop(): Promise<void> {
    await this.kill9()
    process.off('exit', this.#killAtExit)
    await rm(this.#plan.directory, { recursive: true, force: true, maxRetries: 5 })
  }

  /** Resolves to undefined when ready, or to the output of a start that failed. */
  async #launch(): Promise<string | undefined> {
    const { command, args, directory, readyText, uid, gid } = this.#plan
    const child = spawn(command, args, {
      cwd: directory,
      stdio: ['ignore', 'pipe', 'pipe'],
      ...(uid === undefined ? {} : { uid }),
      ...(gid === undefined ? {} : { gid }),
    })
    this.#child = child
    const { promise, resolve } = Promise.withResolvers<string | undefined>()
    let output = ''
    const read = (chunk: Buffer): void => {
      if (output.length < 65_536) output += chunk.toString()
      if (output.includes(readyText)) resolve(undefined)
    }
    child.stdout?.on('data', read)
    child.stderr?.on('data', read)
    child.once('error', (error) => resolve(error.message))
    child.once('close', () => resolve(output))
    const timer = setTimeout(() => resolve(`not ready within ${READY_TIMEOUT_MS} ms\n${output}`), READY_TIMEOUT_MS)
    try {
      return await promise
    } finally {
      clearTimeout(timer)
    }
  }
}

export async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address() as AddressInfo
  probe.close()
  await once(probe, 'close')
  return port
}
