// One request and its answer while they happen: the journal entry that fills itself. Bytes are kept as they pass;
// JSON, operation and frames are worked out only when somebody asks.

import { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { operationOf } from '../../bindings/jsonrpc/methods.ts'
import { matchRoute } from '../../bindings/rest/routes.ts'
import { DIALECTS } from '../../dialects/index.ts'
import { isJsonObject, type JsonValue } from '../../model/json.ts'
import type { Operation } from '../../model/operation.ts'
import { atTurnEnd } from '../../net/turn-end.ts'
import type { RecordedFrame } from '../../trace/exchange.ts'
import type { FaultName } from '../faults/catalogue.ts'
import type { Journal, JournalEntry } from '../journal.ts'
import type { AnswerChoice, CurrentRequest } from '../scripted-agent.ts'
import { type Chunk, type HeaderPairs, type Observer, toPairs, type Wire } from './intercept.ts'
import { parsePayload } from './payload.ts'

const SMALL_BYTES = 16 * 1024

/** Since the process began; whole, because every fraction kept is an object of its own. */
function wholeMs(): number {
  return Math.round(performance.now())
}

interface SentChunk {
  readonly atMs: number
  readonly chunk: Chunk
}

const LISTENER = Symbol('listener')

type Heard = IncomingMessage & { [LISTENER]?: RequestRecord }

const { push: plainPush } = IncomingMessage.prototype

/** The parser pushes what arrives: listening here sees every byte and takes none from the reader. */
function pushHeard(this: Heard, chunk: Buffer | null, encoding?: BufferEncoding): boolean {
  if (chunk !== null) this[LISTENER]?.heard(chunk)
  return plainPush.call(this, chunk, encoding)
}

export class RequestRecord implements JournalEntry, Observer, CurrentRequest {
  readonly number: number
  readonly method: string
  readonly url: string
  rule: string | undefined
  turn: number | undefined
  taskId: string | undefined
  contextId: string | undefined
  unmatched: JournalEntry['unmatched']
  fault: FaultName | undefined
  status: number | undefined
  outcome: JournalEntry['outcome'] = 'open'
  durationMs: number | undefined
  readonly #journal: Journal
  /** Below the mount: what the routes are matched against. */
  readonly #path: string
  /** One text instead of twenty: what is kept long is kept in few pieces. No header can hold a line break. */
  readonly #requestHead: string
  #socket: Socket | undefined
  readonly #startedMs = wholeMs()
  /** As it was given to node:http. */
  #responseHead: unknown
  /** Most bodies and answers are one piece; a list for each would be a list too many. */
  #received: Buffer | string | (Buffer | string)[] = ''
  #sent: Chunk = ''
  #sentAtMs = 0
  #sentLater: SentChunk[] | undefined

  constructor(journal: Journal, req: IncomingMessage, path: string) {
    this.#journal = journal
    this.#path = path
    this.#requestHead = req.rawHeaders.join('\n')
    this.#socket = req.socket
    this.number = journal.nextNumber()
    this.method = req.method ?? ''
    this.url = req.url ?? ''
    const heard: Heard = req
    heard[LISTENER] = this
    req.push = pushHeard
  }

  heard(chunk: Buffer): void {
    // Small bodies are kept as text: ten thousand little buffers weigh on the garbage collector.
    const kept = chunk.byteLength <= SMALL_BYTES ? chunk.toString('latin1') : chunk
    if (this.#received === '') this.#received = kept
    else if (Array.isArray(this.#received)) this.#received.push(kept)
    else this.#received = [this.#received, kept]
  }

  get receivedAt(): string {
    return new Date(performance.timeOrigin + this.#startedMs).toISOString()
  }

  /** Names in lower case. */
  get headers(): { readonly [name: string]: string } {
    return Object.fromEntries(this.requestHeaders.map(([name, value]) => [name.toLowerCase(), value]))
  }

  get requestHeaders(): HeaderPairs {
    return toPairs(linesOf(this.#requestHead))
  }

  get requestBody(): Buffer {
    const chunks = Array.isArray(this.#received) ? this.#received : [this.#received]
    return Buffer.concat(chunks.map((chunk) => (typeof chunk === 'string' ? Buffer.from(chunk, 'latin1') : chunk)))
  }

  get requestJson(): JsonValue | undefined {
    return parsePayload(this.requestBody.toString('utf8'))
  }

  get operation(): Operation | undefined {
    return operationAsked(this.method, this.#path, () => this.requestJson)
  }

  get responseHeaders(): HeaderPairs {
    return toPairs(this.#responseHead)
  }

  get responseBody(): Buffer {
    return Buffer.concat(this.#chunks().map(({ chunk }) => Buffer.from(chunk as string)))
  }

  get frames(): readonly RecordedFrame[] {
    const isStream = this.responseHeaders.some(
      ([name, value]) => name.toLowerCase() === 'content-type' && value.startsWith('text/event-stream'),
    )
    return isStream ? framesOf(this.#chunks()) : []
  }

  /** What the script makes of it. */
  chose(choice: AnswerChoice, ids?: { taskId: string; contextId: string }): void {
    this.taskId = ids?.taskId
    this.contextId = ids?.contextId
    if (choice.ok) {
      this.rule = choice.id
      this.turn = choice.index
    } else {
      this.unmatched = { message: choice.message, nearest: choice.nearest }
    }
    this.#journal.chosen(this)
  }

  head(status: number, headers: unknown): void {
    this.status = status
    this.#responseHead = headers
  }

  chunk(chunk: Chunk): void {
    const atMs = wholeMs() - this.#startedMs
    if (this.#sent === '') {
      this.#sent = chunk
      this.#sentAtMs = atMs
    } else {
      this.#sentLater ??= []
      this.#sentLater.push({ atMs, chunk })
    }
    this.#journal.changed(this)
  }

  #chunks(): readonly SentChunk[] {
    return [{ atMs: this.#sentAtMs, chunk: this.#sent }, ...(this.#sentLater ?? [])]
  }

  /** The wire, with everything that goes over it noted. */
  tap(wire: Wire): Wire {
    return {
      head: (status, headers) => {
        this.head(status, headers.flat())
        wire.head(status, headers)
      },
      write: (chunk) => {
        this.chunk(chunk)
        return wire.write(chunk)
      },
      end: (chunk) => {
        if (chunk !== undefined) this.chunk(chunk)
        wire.end(chunk)
      },
      cut: (when) => wire.cut(when),
    }
  }

  cut(): void {
    const socket = this.#socket
    // After what was said in this turn of the event loop.
    if (socket !== undefined) atTurnEnd(() => socket.destroySoon())
  }

  closed(isWhole: boolean): void {
    if (this.outcome !== 'open') return
    this.outcome = isWhole ? 'answered' : 'cut'
    this.#socket = undefined
    this.durationMs = wholeMs() - this.#startedMs
    this.#journal.finished(this)
  }
}

/** What a request asks for, in whichever generation and binding; undefined for what none knows. */
export function operationAsked(method: string, path: string, body: () => JsonValue | undefined): Operation | undefined {
  const isRoot = path === '' || path === '/'
  if (method === 'GET' && (isRoot || DIALECTS.some(({ card }) => card.wellKnownPaths.includes(path)))) return 'getCard'
  if (isRoot || path === '/subscribe') {
    const json = body()
    const name = isJsonObject(json) && typeof json.method === 'string' ? json.method : ''
    for (const dialect of DIALECTS) {
      const operation = operationOf(dialect, name)
      if (operation !== undefined) return operation
    }
    return undefined
  }
  const route = path.startsWith('/v1/') ? path.slice(3) : path
  for (const dialect of DIALECTS) {
    const match = matchRoute(dialect, method, route)
    if ('route' in match) return match.route.op
  }
  return undefined
}

function linesOf(text: string): string[] {
  return text === '' ? [] : text.split('\n')
}

function framesOf(sent: readonly SentChunk[]): RecordedFrame[] {
  const frames: RecordedFrame[] = []
  const decoder = new TextDecoder()
  let text = ''
  for (const { atMs, chunk } of sent) {
    text += typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true })
    const blocks = text.split(/\r?\n\r?\n/)
    text = blocks.pop() ?? ''
    for (const block of blocks) {
      const fields = block.split(/\r?\n/).filter((line) => !line.startsWith(':'))
      const valuesOf = (name: string): string[] =>
        fields
          .filter((line) => line.startsWith(`${name}:`))
          .map((line) => line.slice(name.length + 1).replace(/^ /, ''))
      if (valuesOf('data').length === 0) continue
      frames.push({
        atMs,
        event: valuesOf('event')[0],
        id: valuesOf('id')[0],
        data: valuesOf('data').join('\n'),
      })
    }
  }
  return frames
}
