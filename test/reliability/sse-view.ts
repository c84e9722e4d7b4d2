// A subscriber that keeps what it was sent: event numbers in order, texts on demand, and how the stream ended.

import { type ClientRequest, request as httpRequest } from 'node:http'
import type { View } from './checker.ts'

export interface SseOptions {
  headers?: Readonly<Record<string, string>>
  body?: string
  /** Called with each frame, as text without the blank line behind it. */
  onFrame?: (frame: string) => void
  /** Keep only the numbers, not the frames. */
  isLean?: boolean
}

export class SseView implements View {
  readonly taskId: string
  readonly seqs: number[] = []
  readonly frames: string[] = []
  comments = 0
  /** Resolves with the status once the head is here. */
  readonly opened: Promise<number>
  /** Resolves when the server ended the stream or the connection broke; says which. */
  readonly ended: Promise<'end' | 'broken'>
  readonly #request: ClientRequest
  readonly #options: SseOptions
  #rest = ''

  constructor(url: string, taskId: string, options: SseOptions = {}) {
    this.taskId = taskId
    this.#options = options
    const opened = Promise.withResolvers<number>()
    const ended = Promise.withResolvers<'end' | 'broken'>()
    this.opened = opened.promise
    this.ended = ended.promise
    const method = options.body === undefined ? 'GET' : 'POST'
    const type: Record<string, string> = options.body === undefined ? {} : { 'Content-Type': 'application/json' }
    const headers = { 'A2A-Version': '1.0', ...type, ...options.headers }
    this.#request = httpRequest(url, { method, headers, agent: false }, (res) => {
      opened.resolve(res.statusCode ?? 0)
      res.setEncoding('utf8')
      res.on('data', (text: string) => this.#read(text))
      res.once('end', () => ended.resolve('end'))
      res.once('error', () => ended.resolve('broken'))
    })
    this.#request.once('error', () => {
      opened.resolve(0)
      ended.resolve('broken')
    })
    this.#request.end(options.body)
  }

  /** Waits until this many event numbers have come, or the stream is over. */
  async until(count: number): Promise<void> {
    const over = this.ended.then(() => true)
    while (this.seqs.length < count) if (await Promise.race([over, nextTurn()])) return
  }

  close(): void {
    this.#request.destroy()
  }

  #read(text: string): void {
    const frames = (this.#rest + text).split('\n\n')
    this.#rest = frames.pop() ?? ''
    for (const frame of frames) {
      if (frame.startsWith(':')) {
        this.comments++
        continue
      }
      const seq = /^id: (\d+)$/m.exec(frame)?.[1]
      // The opening carries the number of the last event before it; only events count.
      const isOpening = /"(task|result":\{"task)":\{"id"/.test(frame.slice(0, 200))
      if (seq !== undefined && !isOpening) this.seqs.push(Number(seq))
      if (this.#options.isLean !== true) this.frames.push(frame)
      this.#options.onFrame?.(frame)
    }
  }
}

function nextTurn(): Promise<false> {
  return new Promise((resolve) => setTimeout(resolve, 5, false))
}
