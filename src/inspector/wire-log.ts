// Every exchange with the agents that are open, as it happens: rows for the list at once, the whole on request.
// Only so much is kept; the oldest go first. What leaves here is redacted.

import { transcriptOf } from '../judge/runner/transcript-of.ts'
import { isJsonObject } from '../model/json.ts'
import type { Exchange } from '../trace/exchange.ts'
import { headerOf } from '../trace/exchange.ts'
import type { Redactor } from '../trace/redact.ts'
import { commandsOf } from './commands.ts'
import type { WireDetail, WireRow } from './views.ts'

const MAX_EXCHANGES = 2_000
const MAX_BYTES = 128 * 1024 * 1024
const SHOWN = { bodyCharacters: 200_000, frames: 5_000, frameCharacters: 4_000 }
/** How often the row of a stream that goes on is told anew. */
const FRAME_TICK_MS = 100
const MAX_LABEL = 200

export interface LoggedExchange {
  readonly agent: string
  /** What the user typed for the agent; undefined for what was only recorded. */
  readonly target?: string
  readonly exchange: Exchange
  readonly redactor: Redactor
}

export class WireLog {
  readonly #log = new Map<string, LoggedExchange>()
  readonly #open = new Set<string>()
  readonly #onRow: (row: WireRow) => void
  #bytes = 0
  #timer: NodeJS.Timeout | undefined

  constructor(onRow: (row: WireRow) => void) {
    this.#onRow = onRow
  }

  /** The hooks of a client that talks to this agent. */
  hooks(
    agent: string,
    target: string,
    redactor: Redactor,
  ): { onBegin(exchange: Exchange): void; onExchange(exchange: Exchange): void } {
    return {
      onBegin: (exchange) => {
        this.#log.set(exchange.id, { agent, target, exchange, redactor })
        this.#open.add(exchange.id)
        this.#makeRoom()
        this.#tell(exchange.id)
        this.#timer ??= setInterval(() => this.#tellOpen(), FRAME_TICK_MS)
      },
      onExchange: (exchange) => {
        this.#open.delete(exchange.id)
        this.#bytes += sizeOf(exchange)
        this.#makeRoom()
        this.#tell(exchange.id)
        if (this.#open.size === 0) this.close()
      },
    }
  }

  find(id: string): LoggedExchange | undefined {
    return this.#log.get(id)
  }

  rows(): WireRow[] {
    return [...this.#log.keys()].flatMap((id) => this.#row(id) ?? [])
  }

  /** In the order they began; those of one agent, or with these ids. */
  exchanges(isWanted: (logged: LoggedExchange) => boolean): LoggedExchange[] {
    return [...this.#log.values()].filter(isWanted)
  }

  detail(id: string): WireDetail | undefined {
    const logged = this.#log.get(id)
    const row = this.#row(id)
    return logged === undefined || row === undefined ? undefined : detailOf(row, logged)
  }

  close(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  #tellOpen(): void {
    for (const id of this.#open) this.#tell(id)
  }

  #tell(id: string): void {
    const row = this.#row(id)
    if (row !== undefined) this.#onRow(row)
  }

  #row(id: string): WireRow | undefined {
    const logged = this.#log.get(id)
    return logged === undefined ? undefined : rowOf(logged, this.#open.has(id))
  }

  #makeRoom(): void {
    for (const [id, { exchange }] of this.#log) {
      if (this.#log.size <= MAX_EXCHANGES && this.#bytes <= MAX_BYTES) return
      if (this.#open.has(id)) continue
      this.#log.delete(id)
      this.#bytes -= sizeOf(exchange)
    }
  }
}

function sizeOf({ request, response }: Exchange): number {
  return request.body.length + 2 * (response?.body.length ?? 0)
}

export function rowOf({ agent, exchange, redactor }: LoggedExchange, isOpen: boolean): WireRow {
  const { id, startedAt, response, failure, durationMs } = exchange
  const messages = response?.frames?.length ?? 0
  // A single answer over gRPC is a message, too.
  const frames = exchange.protocol === 'grpc' && messages === 1 ? 0 : messages
  const status = isOpen && response === undefined ? undefined : statusText(exchange)
  return {
    ...{ id, agent, at: startedAt, isOpen, frames },
    protocol: exchange.protocol ?? 'http',
    kind: frames > 0 ? 'stream' : exchange.protocol === 'grpc' ? 'gRPC' : exchange.request.method,
    label: redactor.text(labelOf(exchange)).slice(0, MAX_LABEL),
    ...(status === undefined ? {} : { status }),
    isBad: failure !== undefined || isBad(exchange),
    ...(durationMs === undefined ? {} : { durationMs }),
  }
}

function statusText(exchange: Exchange): string {
  const { response, failure } = exchange
  if (response === undefined) return failure === undefined ? '' : 'failed'
  if (exchange.protocol !== 'grpc') return String(response.status)
  const status = grpcStatus(exchange)
  return status === undefined ? 'cut' : status === '0' ? 'OK' : `status ${status}`
}

function grpcStatus(exchange: Exchange): string | undefined {
  if (exchange.protocol !== 'grpc' || exchange.response === undefined) return undefined
  const { trailers, headers } = exchange.response
  return headerOf(trailers, 'grpc-status') ?? headerOf(headers, 'grpc-status')
}

function isBad(exchange: Exchange): boolean {
  const { response, durationMs } = exchange
  if (response === undefined) return false
  if (exchange.protocol === 'grpc') return durationMs !== undefined && grpcStatus(exchange) !== '0'
  if (response.status >= 400) return true
  const isSmall = response.frames === undefined && response.body.length < 65_536
  return isSmall && durationMs !== undefined && hasError(response.body)
}

/** A JSON-RPC error comes with HTTP 200. */
function hasError(body: Uint8Array): boolean {
  const json = jsonOf(body)
  return isJsonObject(json) && isJsonObject(json.error)
}

function labelOf(exchange: Exchange): string {
  if (exchange.protocol === 'grpc') return exchange.request.rpc.split('/').at(-1) ?? exchange.request.rpc
  const { url, body } = exchange.request
  const json = body.length > 0 && body.length < 8_388_608 ? jsonOf(body) : undefined
  if (isJsonObject(json) && typeof json.method === 'string' && json.jsonrpc !== undefined) return json.method
  const { pathname, search } = new URL(url)
  return pathname + search
}

function jsonOf(body: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(body).toString('utf8'))
  } catch {
    return undefined
  }
}

export function detailOf(row: WireRow, { exchange, redactor, target }: LoggedExchange): WireDetail {
  const transcript = transcriptOf(exchange, redactor, SHOWN)
  const { method, url, headers } = redactor.request(exchange.request)
  const sent = transcript.protocol === 'http' ? transcript.request.body : (transcript.request.messages[0]?.data ?? '')
  return {
    row,
    transcript,
    commands: commandsOf(exchange, target, redactor),
    editable: {
      ...{ method, url, body: sent, isGrpc: transcript.protocol === 'grpc' },
      headers: headers.map(([name, value]) => [name, value]),
    },
  }
}
