// How each fault of the catalogue acts on one answer. Sits above the wire: what the journal shows is what the client
// really got. Nothing is decided here but the bytes; whether a fault fires is known when the answer begins.

import type { JsonValue } from '../../model/json.ts'
import type { FaultName } from '../faults/catalogue.ts'
import type { Fault } from '../faults/fault-shape.ts'
import type { Chunk, HeaderPairs, ResponseLayer, Wire } from './intercept.ts'
import {
  isTerminalPayload,
  parsePayload,
  stateIn,
  withBadBase64,
  withContextId,
  withLies,
  withState,
  withTaskId,
  withUnknownPart,
} from './payload.ts'

/** Faults that need one place in a stream strike after the first event unless told otherwise. */
const ONE_PLACE: ReadonlySet<FaultName> = new Set<FaultName>([
  'reset-after-event',
  'reset-mid-frame',
  'truncated-body',
  'sse-duplicate-event',
  'sse-reorder-events',
  'sse-drop-event',
])

export class FaultLayer implements ResponseLayer {
  readonly #wire: Wire
  readonly #decide: () => Fault | undefined
  #fault: Fault | undefined
  #head: { status: number; headers: HeaderPairs } | undefined
  #isBegun = false
  #isDead = false
  #isStream = false
  #unfinished = ''
  #events = 0
  #held = ''
  #isMarked = false
  #drip: Promise<void> | undefined

  constructor(wire: Wire, decide: () => Fault | undefined) {
    this.#wire = wire
    this.#decide = decide
  }

  head(status: number, headers: HeaderPairs): void {
    this.#head = { status, headers }
  }

  write(chunk: Chunk): boolean {
    this.#begin()
    if (this.#isDead) return true
    if (this.#fault === undefined) return this.#wire.write(chunk)
    this.#unfinished += textOf(chunk)
    if (this.#isStream) this.#playFrames()
    return true
  }

  end(chunk?: Chunk): void {
    this.#begin()
    if (this.#isDead) return
    if (this.#fault === undefined) {
      this.#wire.end(chunk)
      return
    }
    if (chunk !== undefined) this.#unfinished += textOf(chunk)
    if (this.#isStream) this.#endStream()
    else this.#answerWhole(this.#fault, this.#unfinished)
  }

  #begin(): void {
    if (this.#isBegun) return
    this.#isBegun = true
    const { status, headers } = this.#head ?? { status: 200, headers: [] }
    this.#fault = this.#decide()
    const type = headers.find(([name]) => name.toLowerCase() === 'content-type')?.[1] ?? ''
    this.#isStream = type.startsWith('text/event-stream')
    if (this.#fault === undefined) {
      this.#wire.head(status, headers)
      return
    }
    if (strikeWhole(this.#wire, this.#fault, this.#isStream)) {
      this.#isDead = true
      return
    }
    if (this.#isStream) this.#wire.head(status, this.#relabelled(headers))
  }

  #relabelled(headers: HeaderPairs): HeaderPairs {
    const { action } = this.#fault ?? {}
    if (action?.name !== 'wrong-content-type') return headers
    const { contentType = 'text/html' } = action.with
    return headers.map((pair) => (pair[0].toLowerCase() === 'content-type' ? [pair[0], contentType] : pair))
  }

  #answerWhole(fault: Fault, body: string): void {
    const { status, headers } = this.#head ?? { status: 200, headers: [] }
    const changed = changeText(fault, body)
    const others = this.#relabelled(headers).filter(([name]) => name.toLowerCase() !== 'content-length')
    const bytes = Buffer.from(changed)
    this.#wire.head(status, [...others, ['Content-Length', String(bytes.byteLength)]])
    if (fault.action.name === 'truncated-body') {
      this.#wire.write(bytes.subarray(0, fault.action.with.bytes ?? Math.floor(bytes.byteLength / 2)))
      this.#wire.cut('flushed')
    } else if (fault.action.name === 'slow-drip') {
      this.#dripOut(bytes, fault.action.with)
      void this.#drip?.then(() => this.#wire.end())
    } else this.#wire.end(bytes)
  }

  #playFrames(): void {
    for (
      let end = this.#unfinished.indexOf('\n\n');
      end >= 0 && !this.#isDead;
      end = this.#unfinished.indexOf('\n\n')
    ) {
      const frame = this.#unfinished.slice(0, end + 2)
      this.#unfinished = this.#unfinished.slice(end + 2)
      if (frame.startsWith(':')) this.#wire.write(frame)
      else this.#playFrame(frame)
    }
  }

  #playFrame(frame: string): void {
    if (this.#fault === undefined) return
    const { action, at } = this.#fault
    const index = this.#events++
    const place = at.afterEvent ?? (ONE_PLACE.has(action.name) ? 1 : 0)
    const isHere = index === place
    if (index < place) {
      this.#wire.write(frame)
      if (action.name === 'reset-after-event' && index + 1 === place) this.#die('cut')
      return
    }
    switch (action.name) {
      case 'reset-after-event':
        this.#die('cut')
        break
      case 'reset-mid-frame':
        this.#wire.write(half(frame))
        this.#die('cut')
        break
      case 'truncated-body':
        this.#wire.write(half(frame))
        this.#die('end')
        break
      case 'hang':
        this.#isDead = true
        break
      case 'slow-drip':
        this.#dripOut(Buffer.from(frame), action.with)
        break
      case 'sse-no-blank-line':
        this.#wire.write(frame.slice(0, -1))
        break
      case 'sse-split-utf8':
        for (const byte of Buffer.from(frame)) this.#wire.write(Uint8Array.of(byte))
        break
      case 'sse-crlf':
        this.#wire.write(frame.replaceAll('\n', '\r\n'))
        break
      case 'sse-comments':
        this.#wire.write(`: a comment\n\n:\n${frame.replace('\n', '\n: another\n')}`)
        break
      case 'sse-multiline-data':
        this.#wire.write(withData(frame, spread))
        break
      case 'sse-duplicate-event':
        this.#wire.write(isHere ? frame + frame : frame)
        break
      case 'sse-reorder-events':
        if (isHere) this.#held = frame
        else {
          this.#wire.write(frame + this.#held)
          this.#held = ''
        }
        break
      case 'sse-drop-event':
        if (!isHere) this.#wire.write(frame)
        break
      case 'no-terminal-event':
        if (!isTerminalPayload(payloadOf(frame))) this.#wire.write(frame)
        break
      case 'event-after-terminal':
        this.#wire.write(frame)
        if (isTerminalPayload(payloadOf(frame))) this.#wire.write(withData(frame, (json) => withState(json, 'working')))
        break
      case 'illegal-transition':
        if (!this.#isMarked && stateIn(payloadOf(frame)) !== undefined && !isTerminalPayload(payloadOf(frame))) {
          this.#isMarked = true
          this.#wire.write(withData(frame, (json) => withState(json, 'completed')))
        }
        this.#wire.write(frame)
        break
      default:
        this.#wire.write(changeFrame(this.#fault, frame))
        break
    }
  }

  #endStream(): void {
    if (this.#held !== '') this.#wire.write(this.#held)
    if (this.#unfinished !== '') this.#wire.write(this.#unfinished)
    if (this.#drip === undefined) this.#wire.end()
    else void this.#drip.then(() => this.#wire.end())
  }

  #die(how: 'cut' | 'end'): void {
    this.#isDead = true
    if (how === 'cut') this.#wire.cut('flushed')
    else this.#wire.end()
  }

  #dripOut(bytes: Buffer, options: { bytes?: number; interval?: number }): void {
    const { bytes: size = 16, interval = 20 } = options
    const send = async (): Promise<void> => {
      for (let at = 0; at < bytes.byteLength; at += size) {
        this.#wire.write(bytes.subarray(at, at + size))
        await new Promise((resolve) => setTimeout(resolve, interval))
      }
    }
    this.#drip = (this.#drip ?? Promise.resolve()).then(send)
  }
}

/** Faults that replace the answer as a whole; true when nothing of the real one is to be sent. */
export function strikeWhole(wire: Wire, fault: Fault, isStream: boolean): boolean {
  const { action, at } = fault
  switch (action.name) {
    case 'reset-before-headers':
      wire.cut('now')
      return true
    case 'hang':
      return !isStream || at.afterEvent === undefined
    case 'http-status': {
      const { status, body = '', contentType = 'text/plain', retryAfter } = action.with
      const headers: [string, string][] = [
        ['Content-Type', contentType],
        ['Content-Length', String(Buffer.byteLength(body))],
      ]
      if (retryAfter !== undefined) headers.push(['Retry-After', String(retryAfter)])
      wire.head(status, headers)
      wire.end(body)
      return true
    }
    case 'reset-after-event':
      if (isStream) return false
      wire.cut('now')
      return true
    default:
      return false
  }
}

function changeText(fault: Fault, text: string): string {
  if (fault.action.name === 'jsonrpc-invalid-json') return half(text)
  const json = parsePayload(text)
  if (json === undefined) return text
  return JSON.stringify(changeJson(fault, json))
}

function changeFrame(fault: Fault, frame: string): string {
  if (fault.action.name === 'jsonrpc-invalid-json') return `data: ${half(dataOf(frame))}\n\n`
  return withData(frame, (json) => changeJson(fault, json))
}

function changeJson(fault: Fault, json: JsonValue): JsonValue {
  const { action } = fault
  switch (action.name) {
    case 'jsonrpc-wrong-id':
      return isEnvelope(json) ? { ...json, id: `not-${String(json.id)}` } : json
    case 'jsonrpc-result-and-error':
      return isEnvelope(json)
        ? { result: {}, ...json, error: { code: -32603, message: 'Both a result and an error.' } }
        : json
    case 'wrong-task-id':
      return withTaskId(json, 'another-task')
    case 'wrong-context-id':
      return withContextId(json, 'another-context')
    case 'illegal-transition':
      return isTerminalPayload(json) ? withState(json, 'working') : json
    case 'unknown-state':
      return withState(json, action.with.state ?? 'dreaming')
    case 'unknown-part':
      return withUnknownPart(json)
    case 'bad-base64':
      return withBadBase64(json)
    case 'lying-card':
      return withLies(json)
    default:
      return json
  }
}

function isEnvelope(json: JsonValue): json is { [member: string]: JsonValue | undefined; jsonrpc: string } {
  return typeof json === 'object' && json !== null && !Array.isArray(json) && typeof json.jsonrpc === 'string'
}

function dataOf(frame: string): string {
  return frame
    .split('\n')
    .filter((line) => line.startsWith('data: '))
    .map((line) => line.slice(6))
    .join('\n')
}

function payloadOf(frame: string): JsonValue | undefined {
  return parsePayload(dataOf(frame))
}

/** The frame with its JSON changed, or spread over the lines of a text. */
function withData(frame: string, change: (json: JsonValue) => JsonValue | { lines: string[] }): string {
  const json = payloadOf(frame)
  if (json === undefined) return frame
  const changed = change(json)
  const isLines = typeof changed === 'object' && changed !== null && 'lines' in changed && Array.isArray(changed.lines)
  const lines = isLines ? (changed.lines as string[]) : [JSON.stringify(changed)]
  const others = frame.split('\n').filter((line) => line !== '' && !line.startsWith('data: '))
  return `${[...others, ...lines.map((line) => `data: ${line}`)].join('\n')}\n\n`
}

function spread(json: JsonValue): { lines: string[] } {
  return { lines: JSON.stringify(json, null, 1).split('\n') }
}

function half(text: string): string {
  return text.slice(0, Math.max(1, Math.floor(text.length / 2)))
}

function textOf(chunk: Chunk): string {
  return typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString('utf8')
}
