// One request and its answer while they happen: the journal entry that fills itself. Bytes are kept as they pass;
// JSON, operation and frames are worked out only when somebody asks.

import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { operationOf } from '../../bindings/jsonrpc/methods.ts'
import { matchRoute } from '../../bindings/rest/routes.ts'
import { DIALECTS } from '../../dialects/index.ts'
import { isJsonObject, type JsonValue } from '../../model/json.ts'
import type { Operation } from '../../model/operation.ts'
import type { RecordedFrame } from '../../trace/exchange.ts'
import type { FaultName } from '../faults/catalogue.ts'
import type { Journal, JournalEntry } from '../journal.ts'
import type { AnswerChoice, CurrentRequest } from '../scripted-agent.ts'
import { type Chunk, type HeaderPairs, type Observer, toPairs, type Wire } from './intercept.ts'
import { parsePayload } from './payload.ts'

export class RequestRecord implements JournalEntry, Observer, CurrentRequest {
  readonly number: number
  readonly method: string
  readonly url: string
  readonly headers: { readonly [name: string]: string }
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
  readonly #rawHeaders: readonly string[]
  readonly #socket: Socket
  readonly #receivedMs = Date.now()
  readonly #startedMs = performance.now()
  #responseHead: unknown
  readonly #received: Buffer[] = []
  readonly #sent: { atMs: number; chunk: Chunk }[] = []

  constructor(journal: Journal, req: IncomingMessage, path: string) {
    this.#journal = journal
    this.#path = path
    this.#rawHeaders = req.rawHeaders
    this.#socket = req.socket
    this.number = journal.nextNumber()
    this.method = req.method ?? ''
    this.url = req.url ?? ''
    this.headers = req.headers as { [name: string]: string }
    // The parser pushes what arrives: listening here sees every byte and takes none from the reader.
    const push = req.push.bind(req)
    req.push = (chunk: Buffer | null, ...rest: []) => {
      if (chunk !== null) this.#received.push(chunk)
      return push(chunk, ...rest)
    }
  }

  get receivedAt(): string {
    return new Date(this.#receivedMs).toISOString()
  }

  get requestHeaders(): HeaderPairs {
    const pairs: [string, string][] = []
    for (let i = 0; i + 1 < this.#rawHeaders.length; i += 2)
      pairs.push([this.#rawHeaders[i] ?? '', this.#rawHeaders[i + 1] ?? ''])
    return pairs
  }

  get requestBody(): Buffer {
    return Buffer.concat(this.#received)
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
    return Buffer.concat(this.#sent.map(({ chunk }) => Buffer.from(chunk as string)))
  }

  get frames(): readonly RecordedFrame[] {
    const isStream = this.responseHeaders.some(
      ([name, value]) => name.toLowerCase() === 'content-type' && value.startsWith('text/event-stream'),
    )
    return isStream ? framesOf(this.#sent) : []
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
    this.#journal.changed(this)
  }

  head(status: number, headers: unknown): void {
    this.status = status
    this.#responseHead = headers
  }

  chunk(chunk: Chunk): void {
    this.#sent.push({ atMs: performance.now() - this.#startedMs, chunk })
    if (this.#sent.length > 1) this.#journal.changed(this)
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
    this.#socket.destroySoon()
  }

  ended(outcome: 'answered' | 'cut'): void {
    if (this.outcome !== 'open') return
    this.outcome = outcome
    this.durationMs = Math.round(performance.now() - this.#startedMs)
    this.#journal.changed(this)
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

function framesOf(sent: readonly { atMs: number; chunk: Chunk }[]): RecordedFrame[] {
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
        atMs: Math.round(atMs),
        event: valuesOf('event')[0],
        id: valuesOf('id')[0],
        data: valuesOf('data').join('\n'),
      })
    }
  }
  return frames
}
