// A recording: a file of JSON lines. The first names the format, then one per exchange, the last says how many there
// were; a file without that last line was not finished. Secrets are redacted before anything is written.

import { type FileHandle, open, readFile, stat, truncate } from 'node:fs/promises'
import { whyUnreadable } from '../base/why-unreadable.ts'
import { EXIT, ParleyError } from '../model/errors.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../model/json.ts'
import {
  type Exchange,
  isGrpcResponse,
  type RecordedFrame,
  type RecordedRequest,
  type RecordedResponse,
} from './exchange.ts'
import { Redactor } from './redact.ts'

const FORMAT = 'parley-recording'
const VERSION = 1

/** What to do when there is a file at the path of a new recording. */
export type IfRecorded = 'refuse' | 'append' | 'overwrite'

export interface RecordOptions {
  redactor?: Redactor
  started?: Date
  /** A recording that is there is kept, and the new one refused, unless given. */
  ifRecorded?: IfRecorded
}

export class RecordWriter {
  readonly #file: FileHandle
  readonly #redactor: Redactor
  #tail: Promise<unknown>
  #count: number

  private constructor(file: FileHandle, redactor: Redactor, before: number) {
    this.#file = file
    this.#redactor = redactor
    this.#count = before
    this.#tail = Promise.resolve()
  }

  /** Only its owner may read the file: bodies are private even without secrets. */
  static async create(path: string, options: RecordOptions = {}): Promise<RecordWriter> {
    const { redactor = new Redactor(), started = new Date(), ifRecorded = 'refuse' } = options
    const isThere = await hasContent(path)
    if (isThere && ifRecorded === 'refuse')
      throw new ParleyError('recording-exists', `There is a file at ${path} already; it was left as it is.`, {
        exitCode: EXIT.usage,
        hint: 'Continue that recording with --append, or replace it with --overwrite.',
      })
    const before = isThere && ifRecorded === 'append' ? await endOfExchanges(path) : undefined
    try {
      if (before !== undefined) await truncate(path, before.bytes)
      const file = await open(path, before === undefined ? 'w' : 'a', 0o600)
      const writer = new RecordWriter(file, redactor, before?.count ?? 0)
      if (before === undefined) await writer.#line({ format: FORMAT, version: VERSION, started: started.toISOString() })
      return writer
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error)
      throw new ParleyError('recording-unwritable', `The recording cannot be written to ${path}: ${why}.`, {
        exitCode: EXIT.usage,
        cause: error,
      })
    }
  }

  /** Resolves once the line is with the operating system; lines keep the order of the calls. */
  append(exchange: Exchange): Promise<void> {
    this.#count++
    const line = encodeExchange(this.#redactor.exchange(exchange))
    const written = this.#tail.then(() => this.#line(line))
    // One line that could not be written must not stop the others; its caller is told.
    this.#tail = written.catch(() => {})
    return written
  }

  /** Writes the footer, which is what makes the recording a finished one. */
  async close(): Promise<void> {
    await this.#tail
    await this.#line({ end: true, count: this.#count })
    await this.#file.close()
  }

  async #line(value: JsonObject): Promise<void> {
    await this.#file.appendFile(`${JSON.stringify(value)}\n`)
  }
}

/** A finished recording as text, of exchanges that are redacted already. */
export function recordingText(exchanges: readonly Exchange[], started: Date): string {
  const head = { format: FORMAT, version: VERSION, started: started.toISOString() }
  const lines = [head, ...exchanges.map(encodeExchange), { end: true, count: exchanges.length }]
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('')
}

async function hasContent(path: string): Promise<boolean> {
  try {
    const found = await stat(path)
    // A device or a pipe has nothing that could be lost.
    return found.isFile() && found.size > 0
  } catch {
    return false
  }
}

/** Where a recording can be continued: after its last whole exchange, before the line that finished it. */
async function endOfExchanges(path: string): Promise<{ bytes: number; count: number }> {
  const { exchanges, unfinished } = await readRecording(path)
  const bytes = await readFile(path)
  let end = bytes.lastIndexOf(LINE_BREAK)
  if (unfinished === undefined) end = bytes.lastIndexOf(LINE_BREAK, end - 1)
  return { bytes: end + 1, count: exchanges.length }
}

const LINE_BREAK = 0x0a

export interface Recording {
  started: string
  exchanges: Exchange[]
  /** One sentence when the recording was not finished; undefined when it is whole. */
  unfinished: string | undefined
}

export async function readRecording(path: string): Promise<Recording> {
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(await readFile(path))
  } catch (error) {
    throw new ParleyError('recording-unreadable', `The recording ${path} cannot be read: ${whyUnreadable(error)}.`, {
      exitCode: EXIT.usage,
      cause: error,
    })
  }
  const lines = text.split('\n')
  // What follows the last line break is nothing, or a line the writer did not get to finish.
  const torn = lines.pop() ?? ''
  const [head, ...rest] = lines.map((line, index) => parseLine(line, path, index + 1))
  if (head?.format !== FORMAT) {
    throw new ParleyError('not-a-recording', `${path} is not a Parley recording; make one with --record.`, {
      exitCode: EXIT.usage,
    })
  }
  if (head.version !== VERSION) {
    const message = `${path} is a recording of version ${JSON.stringify(head.version)}; this Parley reads version ${VERSION}.`
    throw new ParleyError('recording-version', message, { exitCode: EXIT.usage })
  }
  const last = rest.at(-1)
  const isFinished = last?.end === true
  if (isFinished) rest.pop()
  const exchanges = rest.map((line, index) => decodeExchange(line, path, index + 2))
  if (isFinished && (last.count !== exchanges.length || torn !== '')) {
    throw damaged(
      path,
      lines.length,
      `has ${exchanges.length} exchanges where ${JSON.stringify(last.count)} were recorded`,
    )
  }
  return {
    started: typeof head.started === 'string' ? head.started : '',
    exchanges,
    unfinished: isFinished ? undefined : unfinishedSentence(path, exchanges.length, torn !== ''),
  }
}

function unfinishedSentence(path: string, count: number, isTorn: boolean): string {
  const torn = isTorn ? ', and a last line that was cut off and left out' : ''
  return `The recording ${path} was not finished: it has ${count} exchange${count === 1 ? '' : 's'}${torn}.`
}

function encodeExchange(exchange: Exchange): JsonObject {
  const { id, startedAt, request, response, failure, durationMs, repeated } = exchange
  return {
    ...(exchange.protocol === 'grpc' ? { protocol: 'grpc' } : {}),
    id,
    startedAt,
    request: { ...request, headers: copyPairs(request.headers), body: encodeBody(request.body) },
    response: response && {
      status: response.status,
      headers: copyPairs(response.headers),
      body: encodeBody(response.body),
      incomplete: response.incomplete,
      frames: response.frames?.map((frame) => ({ ...frame })),
      ...(isGrpcResponse(response)
        ? { trailers: copyPairs(response.trailers), unknownFields: response.unknownFields?.map((each) => each) }
        : {}),
    },
    failure,
    durationMs,
    repeated,
  }
}

/** Text where it is text, so that people can read and search the file; base64 where it is not. */
function encodeBody(body: Uint8Array): JsonObject {
  try {
    return { text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body) }
  } catch {
    return { base64: Buffer.from(body).toString('base64') }
  }
}

function copyPairs(pairs: RecordedRequest['headers']): JsonValue[] {
  return pairs.map(([name, value]) => [name, value])
}

/** One line of a recording; undefined for those that are no exchange: the first, and the last of a finished one. */
export function exchangeIn(text: string, path: string, number: number): Exchange | undefined {
  const line = parseLine(text, path, number)
  return line.format === FORMAT || line.end === true ? undefined : decodeExchange(line, path, number)
}

function decodeExchange(line: JsonObject, path: string, number: number): Exchange {
  const bad = (what: string) => damaged(path, number, what)
  const { id, startedAt, request, response, failure, durationMs, repeated } = line
  if (typeof id !== 'string' || typeof startedAt !== 'string' || !isJsonObject(request)) throw bad('is not an exchange')
  const { method, url } = request
  if (typeof method !== 'string' || typeof url !== 'string') throw bad('has a request without method or url')
  const sent = { method, url, headers: decodePairs(request.headers, bad), body: decodeBody(request.body, bad) }
  const answered = isJsonObject(response) ? decodeResponse(response, bad) : undefined
  const exchange: Exchange =
    line.protocol === 'grpc'
      ? { protocol: 'grpc', id, startedAt, request: { ...sent, ...decodeCall(request, bad) } }
      : { id, startedAt, request: sent }
  if (answered !== undefined && exchange.protocol === 'grpc' && isJsonObject(response)) {
    exchange.response = { ...answered, trailers: decodePairs(response.trailers, bad) }
    if (Array.isArray(response.unknownFields)) exchange.response.unknownFields = response.unknownFields.map(String)
  } else if (answered !== undefined && exchange.protocol !== 'grpc') exchange.response = answered
  if (typeof failure === 'string') exchange.failure = failure
  if (typeof durationMs === 'number') exchange.durationMs = durationMs
  if (typeof repeated === 'string') exchange.repeated = repeated
  return exchange
}

type Bad = (what: string) => ParleyError

function decodeCall({ rpc, message }: JsonObject, bad: Bad): { rpc: string; message: string | undefined } {
  if (typeof rpc !== 'string') throw bad('has a gRPC request without its rpc')
  return { rpc, message: typeof message === 'string' ? message : undefined }
}

function decodeResponse(response: JsonObject, bad: Bad): RecordedResponse {
  const { status, headers, body, incomplete, frames } = response
  if (typeof status !== 'number') throw bad('has a response without status')
  const decoded: RecordedResponse = { status, headers: decodePairs(headers, bad), body: decodeBody(body, bad) }
  if (typeof incomplete === 'string') decoded.incomplete = incomplete
  if (Array.isArray(frames)) decoded.frames = frames.map((frame) => decodeFrame(frame, bad))
  return decoded
}

function decodeFrame(frame: JsonValue, bad: Bad): RecordedFrame {
  if (!isJsonObject(frame)) throw bad('has a frame that is not an object')
  const { atMs, event, id, data } = frame
  if (typeof atMs !== 'number' || typeof data !== 'string') throw bad('has a frame without time or data')
  const text = (value: JsonValue | undefined) => (typeof value === 'string' ? value : undefined)
  return { atMs, event: text(event), id: text(id), data }
}

function decodePairs(value: JsonValue | undefined, bad: Bad): [string, string][] {
  if (!Array.isArray(value)) throw bad('has no headers')
  return value.map((pair) => {
    const [name, text] = Array.isArray(pair) ? pair : []
    if (typeof name !== 'string' || typeof text !== 'string') throw bad('has a header that is not a pair')
    return [name, text]
  })
}

function decodeBody(body: JsonValue | undefined, bad: Bad): Uint8Array {
  if (isJsonObject(body) && typeof body.text === 'string') return Buffer.from(body.text)
  if (isJsonObject(body) && typeof body.base64 === 'string') return Buffer.from(body.base64, 'base64')
  throw bad('has a body that is neither text nor base64')
}

function parseLine(line: string, path: string, number: number): JsonObject {
  try {
    const value: unknown = JSON.parse(line, refusePrototype)
    if (isJsonObject(value)) return value
  } catch {
    // Said below, without quoting the line.
  }
  throw damaged(path, number, 'is not a JSON object')
}

function refusePrototype(key: string, value: unknown): unknown {
  if (key === '__proto__') throw new SyntaxError('forbidden member name')
  return value
}

function damaged(path: string, line: number, what: string): ParleyError {
  return new ParleyError(
    'recording-damaged',
    `The recording ${path} is damaged: line ${line} ${what}; record it again.`,
    { exitCode: EXIT.usage },
  )
}
