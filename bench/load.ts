// The process that makes the load: so many requests or so much time of one kind of work, every answer checked; or
// subscribers that are held open, counted and dropped.

import { connect, type Socket } from 'node:net'
import { answerParent } from './child.ts'
import { type Answer, Connection, requestBytes } from './connection.ts'
import type { Work } from './work.ts'

export interface LoadJob {
  do: 'load'
  /** The connections alternate between them. */
  ports: readonly number[]
  work: Work
  /** Where the interface is; the root unless given. */
  path?: string
  connections: number
  /** Asks nothing new after this time, or after so many requests; ends when everything asked is answered. */
  durationMs?: number
  requests?: number
}

export interface LoadResult {
  answers: number
  perSecond: number
}

export type Question =
  | LoadJob
  | { do: 'ask'; port: number; work: Work }
  | { do: 'listen'; port: number; work: Work }
  | { do: 'hold'; port: number; work: Work; connections: number }
  | { do: 'await-frames'; marker: string }
  | { do: 'drop' }

answerParent(async (question: Question) => {
  if (question.do === 'load') return load(question)
  if (question.do === 'ask') return ask(question.port, question.work)
  if (question.do === 'listen') return listen(question.port, question.work)
  if (question.do === 'hold') return hold(question)
  if (question.do === 'await-frames') return awaitFrames(question.marker)
  return drop()
})

function ask(port: number, work: Work): Promise<{ head: string; body: string }> {
  return new Promise((resolve) => {
    const connection = new Connection(port, ({ head, body }) => {
      connection.stop()
      resolve({ head, body: body.toString() })
    })
    connection.send(requestBytes('/', work.body))
  })
}

/** Milliseconds between the saying and the arrival of each chunk of a paced stream. */
function listen(port: number, { body, marker }: Work): Promise<{ ms: number[] }> {
  return new Promise((resolve, reject) => {
    const ms: number[] = []
    const socket = connect({ port, host: '127.0.0.1', noDelay: true })
    socket.on('error', reject)
    socket.on('data', (chunk) => {
      const now = performance.timeOrigin + performance.now()
      const text = chunk.toString('latin1')
      for (const [, said] of text.matchAll(/said at ([\d.]+);/g)) ms.push(now - Number(said))
      if (!text.includes(marker)) return
      socket.destroy()
      resolve({ ms })
    })
    socket.write(requestBytes('/', body))
  })
}

async function load(job: LoadJob): Promise<LoadResult> {
  const request = requestBytes(job.path ?? '/', job.work.body)
  const isOver = Promise.withResolvers<void>()
  let answers = 0
  let asked = 0
  let limit = job.requests ?? Number.POSITIVE_INFINITY
  const askNext = (connection: Connection) => {
    asked++
    connection.send(request)
  }
  const onAnswer = (answer: Answer, connection: Connection) => {
    const fault = faultIn(answer, job.work)
    if (fault !== undefined)
      isOver.reject(new Error(`${job.work.name}: ${fault}: ${answer.body.toString().slice(0, 300)}`))
    answers++
    if (asked < limit) askNext(connection)
    else if (answers === asked) isOver.resolve()
  }
  const started = performance.now()
  const connections = Array.from(
    { length: job.connections },
    (_, at) => new Connection(job.ports[at % job.ports.length] ?? 0, onAnswer),
  )
  for (const connection of connections) askNext(connection)
  if (job.durationMs !== undefined)
    setTimeout(() => {
      limit = 0
    }, job.durationMs)
  await isOver.promise
  const elapsedMs = performance.now() - started
  for (const connection of connections) connection.stop()
  return { answers, perSecond: (answers * 1000) / elapsedMs }
}

function faultIn({ head, body }: Answer, { marker, frames = 0 }: Work): string | undefined {
  if (!head.startsWith('HTTP/1.1 200')) return head.split('\r\n', 1)[0]
  if (!body.includes(marker)) return `the answer has no ${marker}`
  if (frames > 0 && count(body, 'data: ') < frames) return `the stream has less than ${frames} events`
  return undefined
}

function count(body: Buffer, word: string): number {
  let found = 0
  for (let at = body.indexOf(word); at >= 0; at = body.indexOf(word, at + word.length)) found++
  return found
}

interface Subscriber {
  socket: Socket
  /** The end of what came, so that a word split between two reads is found. */
  tail: string
  frames: number
}

let held: Subscriber[] = []
let onText = (_text: string) => {}

async function hold({ port, work, connections }: Extract<Question, { do: 'hold' }>): Promise<void> {
  const request = requestBytes('/', work.body)
  held = []
  for (let opened = 0; opened < connections; opened += 50) {
    const batch = Math.min(50, connections - opened)
    await Promise.all(Array.from({ length: batch }, () => subscribe(port, request)))
  }
}

function subscribe(port: number, request: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true })
    const subscriber: Subscriber = { socket, tail: '', frames: 0 }
    held.push(subscriber)
    socket.on('error', reject)
    socket.on('data', (chunk) => {
      const text = subscriber.tail + chunk.toString('latin1')
      for (let at = text.indexOf('data: '); at >= 0; at = text.indexOf('data: ', at + 6)) subscriber.frames++
      // Cut behind the last counted word, so that it is not counted twice.
      subscriber.tail = text.slice(Math.max(text.lastIndexOf('data: ') + 6, text.length - 20))
      if (subscriber.frames > 0) resolve()
      onText(text)
    })
    socket.write(request)
  })
}

/** Resolves when every subscriber has seen the end; frames and time since the first of them. */
function awaitFrames(marker: string): Promise<{ frames: number; perSecond: number }> {
  for (const subscriber of held) subscriber.frames = 0
  let waiting = held.length
  let started: number | undefined
  return new Promise((resolve) => {
    onText = (text) => {
      started ??= performance.now()
      if (!text.includes(marker) || --waiting > 0) return
      onText = () => {}
      const frames = held.reduce((sum, subscriber) => sum + subscriber.frames, 0)
      resolve({ frames, perSecond: (frames * 1000) / (performance.now() - started) })
    }
  })
}

async function drop(): Promise<void> {
  const closed = held.map(({ socket }) => new Promise((resolve) => socket.once('close', resolve)))
  for (const { socket } of held) socket.destroy()
  held = []
  await Promise.all(closed)
}
