// Starts the emitter as a process and talks to it: begin a task, read its gauges, stop it.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { Task } from '../../src/model/task.ts'
import { SseView } from './sse-view.ts'

const ENTRY = fileURLToPath(new URL('./emitter-server.ts', import.meta.url))

export class EmitterProcess implements AsyncDisposable {
  readonly url: string
  readonly child: ChildProcess

  private constructor(child: ChildProcess, url: string) {
    this.child = child
    this.url = url
  }

  static async start(options: object = {}, store = 'memory'): Promise<EmitterProcess> {
    const args = ['--expose-gc', ENTRY, store, JSON.stringify(options)]
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
    for await (const line of createInterface({ input: child.stdout })) return new EmitterProcess(child, line)
    throw new Error('the emitter ended before it was ready')
  }

  send(text: string, more: { taskId?: string; returnImmediately?: boolean } = {}): Promise<Response> {
    const message = {
      messageId: 'm',
      role: 'ROLE_USER',
      parts: [{ text }],
      ...(more.taskId && { taskId: more.taskId }),
    }
    const configuration = { returnImmediately: more.returnImmediately ?? false }
    return fetch(`${this.url}/message:send`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'A2A-Version': '1.0' },
      body: JSON.stringify({ message, configuration }),
    })
  }

  async begin(text: string): Promise<Task> {
    const response = await this.send(text, { returnImmediately: text === 'idle' })
    return ((await response.json()) as { task: Task }).task
  }

  subscribe(taskId: string, options: ConstructorParameters<typeof SseView>[2] = {}): SseView {
    return new SseView(`${this.url}/tasks/${taskId}:subscribe`, taskId, options)
  }

  async gauge(name: string): Promise<number> {
    const text = await (await fetch(`${this.url}/metrics`)).text()
    return Number(new RegExp(`^${name} (.+)$`, 'm').exec(text)?.[1])
  }

  /** Resident bytes after a collection. */
  async memory(): Promise<number> {
    this.child.kill('SIGUSR2')
    await this.gauge('parley_store_up')
    this.child.kill('SIGUSR2')
    return this.gauge('process_resident_memory_bytes')
  }

  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> {
    if (this.child.exitCode !== null) return this.child.exitCode
    const exit = once(this.child, 'exit')
    this.child.kill(signal)
    const [code] = await exit
    return code as number | null
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.child.exitCode === null && this.child.signalCode === null) await this.stop('SIGKILL')
  }
}
