// One answer at a time on each connection. A client may send many requests without waiting for their answers
// (RFC 9112 §9.3.2), and node:http hands all of them out as soon as they are read; were they begun at once, the answers
// would wait in memory for a client that need not read any of them. So a request is begun when the answer before it has
// gone out, and while some wait the connection is not read.

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'

/** Requests of all connections that may wait for the answer before them; the connection of one more is cut. */
const MAX_WAITING = 10_000

export type Begin = (req: IncomingMessage, res: ServerResponse) => void

interface Connection {
  /** The answer under way; undefined between two. */
  answer: ServerResponse | undefined
  waiting: { req: IncomingMessage; res: ServerResponse }[]
  /** To be closed after the last answer. */
  isLast: boolean
}

export class OpenAnswers {
  readonly #begin: Begin
  readonly #onIdle: () => void
  /** From the first request of a connection until it closes: what is made for every request anew costs more. */
  readonly #connections = new Map<Duplex, Connection>()
  readonly #onClose: (this: ServerResponse) => void
  #underWay = 0
  #waiting = 0

  /** `onIdle` is told when a connection has nothing more to answer. */
  constructor(begin: Begin, onIdle: () => void) {
    this.#begin = begin
    this.#onIdle = onIdle
    const ended = (socket: Duplex) => this.#ended(socket)
    this.#onClose = function (this: ServerResponse) {
      ended(this.req.socket)
    }
  }

  /** Connections with an answer under way. */
  get size(): number {
    return this.#underWay
  }

  /** Begins it now, or when the answer before it has gone out. */
  add(req: IncomingMessage, res: ServerResponse): void {
    const { socket } = req
    const connection = this.#connections.get(socket) ?? this.#connected(socket)
    if (connection.answer === undefined) {
      this.#underWay++
      this.#start(connection, req, res)
    } else if (this.#waiting >= MAX_WAITING) socket.destroy()
    else {
      connection.waiting.push({ req, res })
      this.#waiting++
      // Later, because node:http goes on reading when it has seen the end of this request.
      if (connection.waiting.length === 1) setImmediate(() => connection.waiting.length > 0 && socket.pause())
    }
  }

  /** The answers under way. */
  *current(): Iterable<ServerResponse> {
    for (const { answer } of this.#connections.values()) if (answer !== undefined) yield answer
  }

  /** Whether bytes on this connection would be taken for a part of an answer, or for the answer to another request. */
  isSpeaking(socket: Duplex): boolean {
    const connection = this.#connections.get(socket)
    return connection?.answer !== undefined && (connection.answer.headersSent || connection.waiting.length > 0)
  }

  /** Closes the connection when everything on it has been answered. */
  closeAfterLast(socket: Duplex, close: () => void): void {
    const connection = this.#connections.get(socket)
    if (connection?.answer === undefined) close()
    else if (!connection.isLast) {
      connection.isLast = true
      connection.answer.once('close', () => this.#closeWhenDone(socket, close))
    }
  }

  #closeWhenDone(socket: Duplex, close: () => void): void {
    const answer = this.#connections.get(socket)?.answer
    if (answer === undefined) close()
    else answer.once('close', () => this.#closeWhenDone(socket, close))
  }

  #connected(socket: Duplex): Connection {
    const connection: Connection = { answer: undefined, waiting: [], isLast: false }
    this.#connections.set(socket, connection)
    socket.once('close', () => {
      // An answer under way is told of it too, and comes to its end after this.
      if (connection.answer === undefined) this.#connections.delete(socket)
    })
    return connection
  }

  #start(connection: Connection, req: IncomingMessage, res: ServerResponse): void {
    connection.answer = res
    res.on('close', this.#onClose)
    this.#begin(req, res)
  }

  #ended(socket: Duplex): void {
    const connection = this.#connections.get(socket)
    if (connection === undefined) return
    const next = socket.destroyed ? undefined : connection.waiting.shift()
    if (next === undefined) {
      // What still waits on a connection that is gone is never begun; node:http does not tell its answers.
      this.#waiting -= connection.waiting.length
      connection.waiting.length = 0
      connection.answer = undefined
      this.#underWay--
      if (socket.destroyed) this.#connections.delete(socket)
      this.#onIdle()
      return
    }
    this.#waiting--
    if (connection.waiting.length === 0) socket.resume()
    this.#start(connection, next.req, next.res)
  }
}
