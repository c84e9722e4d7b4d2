// A stream under judgement. Events are taken one by one or all together, always with a deadline; what arrived and how
// it ended stays readable afterwards. An answer that is no stream is kept as an ordinary answer.

import type { RawError } from '../../bindings/probe.ts'
import { BINDINGS } from '../../bindings/registry.ts'
import { isJsonObject, type JsonValue } from '../../model/json.ts'
import type { Exchange, RecordedFrame } from '../../trace/exchange.ts'
import type { Answer } from './answer.ts'
import { parsed } from './answer.ts'
import { rawError } from './error-table.ts'
import type { StreamWatcher } from './look.ts'
import { type RawEvent, rawEvent } from './raw.ts'
import type { Surface } from './surface.ts'

export type StreamEnd = 'server' | 'us' | 'deadline' | 'broken'

/** More events than any check needs; an agent that sends more is endless for our purposes. */
const MAX_EVENTS = 5_000

export interface FrameSource {
  readonly exchange: Exchange
  next(): Promise<IteratorResult<RecordedFrame, void>>
  close(): void
}

export class RawStream {
  readonly exchange: Exchange
  /** The request in words, for findings. */
  readonly about: string
  readonly events: RawEvent[] = []
  readonly frames: RecordedFrame[] = []
  /** The SSE data of each frame as JSON, envelope included; undefined where it is not JSON. */
  readonly payloads: (JsonValue | undefined)[] = []
  end: StreamEnd | undefined
  /** An error that came as an event. */
  eventError: RawError | undefined
  #refused: Answer | undefined
  readonly #source: FrameSource | undefined
  readonly #surface: Surface
  readonly #watcher: StreamWatcher
  readonly #deadline: AbortSignal

  constructor(
    surface: Surface,
    source: FrameSource | Answer,
    watcher: StreamWatcher,
    deadline: AbortSignal,
    about = 'the request',
  ) {
    this.exchange = source.exchange
    this.about = about
    this.#surface = surface
    this.#watcher = watcher
    this.#deadline = deadline
    if ('next' in source) this.#source = source
    else this.#refused = source
  }

  /**
   * Set when the agent did not open a stream but answered: an error, or something that is no stream. An error that is
   * the first event of a stream counts once it was read.
   */
  get refused(): Answer | undefined {
    return this.#refused
  }

  get error(): RawError | undefined {
    return this.#refused?.error ?? this.eventError
  }

  /** The next event; undefined when the stream is over. */
  async next(): Promise<RawEvent | undefined> {
    if (this.#source === undefined || this.end !== undefined) return undefined
    if (this.events.length >= MAX_EVENTS) {
      this.#finish('deadline')
      return undefined
    }
    const frame = await this.#nextFrame()
    if (frame === undefined) return undefined
    this.frames.push(frame)
    const payload = parsed(frame.data)
    this.payloads.push(payload)
    this.#watcher.onFrame(payload)
    const json = this.#unwrap(payload)
    if (json === undefined) return this.next()
    const event = rawEvent(json, frame.atMs)
    this.events.push(event)
    this.#watcher.onEvent(event)
    return event
  }

  async until(fits: (event: RawEvent) => boolean): Promise<RawEvent | undefined> {
    for (let event = await this.next(); event !== undefined; event = await this.next()) if (fits(event)) return event
    return undefined
  }

  /** Reads to the end the agent makes, or to the deadline. */
  async rest(): Promise<readonly RawEvent[]> {
    await this.until(() => false)
    return this.events
  }

  close(): void {
    if (this.end === undefined) this.#finish('us')
  }

  async #nextFrame(): Promise<RecordedFrame | undefined> {
    const { promise: late, resolve } = Promise.withResolvers<'late'>()
    const onAbort = () => resolve('late')
    if (this.#deadline.aborted) onAbort()
    this.#deadline.addEventListener('abort', onAbort, { once: true })
    try {
      const item = await Promise.race([this.#source?.next(), late])
      if (item === 'late' || item === undefined) {
        this.#finish('deadline')
        return undefined
      }
      if (item.done === true) {
        this.end = this.exchange.failure === undefined ? 'server' : 'broken'
        return undefined
      }
      return item.value
    } catch {
      this.#finish('broken')
      return undefined
    } finally {
      this.#deadline.removeEventListener('abort', onAbort)
    }
  }

  #finish(end: StreamEnd): void {
    this.end = end
    this.#source?.close()
  }

  #asAnswer(body: JsonValue): Answer {
    const { exchange, eventError: error } = this
    const { probe } = BINDINGS[this.#surface.binding]
    const envelope = probe.isEnveloped && isJsonObject(body) ? body : undefined
    const text = this.frames[0]?.data ?? ''
    const { about } = this
    const head = {
      op: undefined,
      exchange,
      about,
      status: probe.statusOf(exchange),
      statusText: probe.statusText(exchange),
      mediaType: 'text/event-stream',
    }
    return { ...head, text, body, envelope, result: undefined, resultPointer: '', error }
  }

  /** The StreamResponse inside the frame; an error inside is remembered instead. */
  #unwrap(payload: JsonValue | undefined): JsonValue | undefined {
    if (payload === undefined) return undefined
    const { probe } = BINDINGS[this.#surface.binding]
    const httpStatus = probe.statusOf(this.exchange)
    const found = probe.readFrame(payload, httpStatus)
    if (!('error' in found)) return found.result
    this.eventError = rawError(
      found.error.json,
      { httpStatus, statusText: probe.statusText(this.exchange) },
      found.error.pointer,
    )
    if (this.frames.length === 1) this.#refused = this.#asAnswer(payload)
    return undefined
  }
}
