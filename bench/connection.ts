// One keep-alive HTTP/1.1 connection on a raw socket, the cheapest client that still checks its answers: one request
// at a time, no pipelining, reconnects when the server closes.

import { connect, type Socket } from 'node:net'

export interface Answer {
  head: string
  /** As it came, chunk sizes included. */
  body: Buffer
}

const HEAD_END = '\r\n\r\n'
const LAST_CHUNK = Buffer.from('0\r\n\r\n')

export function requestBytes(path: string, body: string): Buffer {
  const head = [
    `POST ${path} HTTP/1.1`,
    'Host: 127.0.0.1',
    'Content-Type: application/json',
    'Accept: application/json, text/event-stream',
    'A2A-Version: 1.0',
    `Content-Length: ${Buffer.byteLength(body)}`,
  ]
  return Buffer.from(`${head.join('\r\n')}${HEAD_END}${body}`)
}

export class Connection {
  readonly #port: number
  readonly #onAnswer: (answer: Answer, connection: Connection) => void
  #socket: Socket
  #head: string | undefined
  #length: number | undefined
  #size = 0
  #chunks: Buffer[] = []
  #isStopped = false
  #request: Buffer | undefined

  constructor(port: number, onAnswer: (answer: Answer, connection: Connection) => void) {
    this.#port = port
    this.#onAnswer = onAnswer
    this.#socket = this.#open()
  }

  send(request: Buffer): void {
    this.#request = request
    if (this.#socket.destroyed) this.#socket = this.#open()
    this.#socket.write(request)
  }

  stop(): void {
    this.#isStopped = true
    this.#socket.destroy()
  }

  #open(): Socket {
    const socket = connect({ port: this.#port, host: '127.0.0.1', noDelay: true })
    socket.on('data', (chunk) => this.#take(chunk))
    // A server that drops a connection in the middle of an answer did not answer; the request is repeated and counts once.
    socket.on('close', () => {
      if (this.#isStopped || socket !== this.#socket || this.#request === undefined) return
      this.#reset()
      this.send(this.#request)
    })
    socket.on('error', () => {})
    return socket
  }

  #reset(): void {
    this.#head = undefined
    this.#chunks = []
    this.#size = 0
  }

  #take(chunk: Buffer): void {
    this.#chunks.push(chunk)
    this.#size += chunk.length
    if (this.#head === undefined && !this.#readHead()) return
    const last = this.#chunks.at(-1) ?? chunk
    const isComplete = this.#length === undefined ? last.subarray(-5).equals(LAST_CHUNK) : this.#size >= this.#length
    if (!isComplete) return
    const answer = { head: this.#head ?? '', body: this.#chunks.length === 1 ? last : Buffer.concat(this.#chunks) }
    this.#reset()
    this.#request = undefined
    if (answer.head.includes('Connection: close')) this.#socket.destroy()
    this.#onAnswer(answer, this)
  }

  #readHead(): boolean {
    const bytes = Buffer.concat(this.#chunks)
    const end = bytes.indexOf(HEAD_END)
    if (end < 0) return false
    this.#head = bytes.toString('latin1', 0, end)
    const length = /\r\ncontent-length: (\d+)/i.exec(this.#head)
    this.#length = length === null ? undefined : Number(length[1])
    const rest = bytes.subarray(end + HEAD_END.length)
    this.#chunks = [rest]
    this.#size = rest.length
    return true
  }
}
