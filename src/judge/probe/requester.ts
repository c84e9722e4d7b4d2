// How a check speaks to one surface of an agent: correct calls and streams, raw bytes, any URL. What goes out is dressed
// and noted, what comes back is recorded and shown to the passive checks.

import { jsonRpcEnvelope } from '../../bindings/jsonrpc/probe.ts'
import { sayable } from '../../bindings/probe.ts'
import { BINDINGS } from '../../bindings/registry.ts'
import { joinUrl } from '../../bindings/rest/probe.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../model/json.ts'
import type { Operation, OperationRequest, StreamingOperation } from '../../model/operation.ts'
import type { Exchange } from '../../trace/exchange.ts'
import { aboutRequest } from './about.ts'
import { type Answer, parsed, readAnswer } from './answer.ts'
import { Assertions, type Remarks } from './assertions.ts'
import type { CallOptions, RawRequest } from './call-options.ts'
import { NotMeasured } from './check-failure.ts'
import { dressed } from './dressed.ts'
import { openEitherWay } from './either-verb.ts'
import { isErrorOfRpc, lookAtAnswer, lookInside, streamWatcher } from './look.ts'
import { isAboutHttp, named, type OutgoingRequest } from './outgoing.ts'
import { limitOf, turnedAway } from './rate-limit.ts'
import { RawStream } from './raw-stream.ts'
import type { Ground, RunContext } from './run-context.ts'
import type { Surface } from './surface.ts'
import { changedTask, jsonIn, LEAVES_TRACES, saysSomething } from './traces.ts'

export abstract class Requester extends Assertions {
  /** Every exchange of this check, in order. */
  readonly exchanges: Exchange[] = []
  protected readonly deadline: AbortSignal
  protected readonly cleanups: (() => unknown)[] = []
  #requestId = 0

  constructor(run: RunContext, surface: Surface, deadline: AbortSignal, remarks?: Remarks) {
    super(run, surface, remarks)
    this.deadline = deadline
  }

  async call<O extends Operation>(op: O, request: OperationRequest<O>, options: CallOptions = {}): Promise<Answer> {
    this.standOn(op)
    const outgoing = this.#outgoing(op, request, options)
    const isSpoiled = this.#spoils(op, options, outgoing)
    const begun = this.run.sequence.next()
    const exchange = await this.#exchange(outgoing, options.timeoutMs, options.mayBeLimited)
    const answer = this.#remembering(
      request,
      this.#read(op, exchange, aboutRequest(this.surface, op, outgoing, options)),
    )
    if (isSpoiled) this.run.spoiled.answered(answer.result)
    // A task that was never made cannot be shown: that it is has a check of its own, and it is no result.
    const isOfNothing = answer.error === undefined && this.#isUnused(request)
    if (options.watched !== false && !isOfNothing) lookInside(this.run, this.surface, answer, { begun, isSpoiled })
    return answer
  }

  async stream<O extends StreamingOperation>(
    op: O,
    request: OperationRequest<O>,
    options: CallOptions = {},
  ): Promise<RawStream> {
    this.standOn(op)
    const outgoing = this.#outgoing(op, request, options)
    const isSpoiled = this.#spoils(op, options, outgoing)
    const timeoutMs = options.timeoutMs ?? this.run.timeoutMs
    const begun = this.run.sequence.next()
    const timing = { timeoutMs, signal: this.deadline }
    const alternative = BINDINGS[this.binding].probe.alternative?.(op, outgoing)
    const { opened, before } = await openEitherWay(this.run.wire, outgoing, alternative, timing)
    for (const exchange of [...before, opened.exchange]) this.#record(exchange)
    const { surface, run } = this
    const watcher = streamWatcher(run, surface, { exchange: opened.exchange, op, begun }, isSpoiled)
    const deadline = AbortSignal.any([this.deadline, AbortSignal.timeout(timeoutMs)])
    const about = aboutRequest(surface, op, outgoing, options)
    if ('next' in opened) {
      const stream = new RawStream(surface, opened, watcher, deadline, about)
      this.cleanups.push(() => stream.close())
      return stream
    }
    const answer = this.#read(op, opened.exchange, about)
    if (isSpoiled) run.spoiled.answered(answer.result)
    lookInside(run, surface, answer, { begun, isSpoiled })
    return new RawStream(surface, answer, watcher, deadline, about)
  }

  /** Any bytes to the interface: malformed bodies, other methods, other paths. */
  async raw(request: RawRequest): Promise<Answer> {
    this.#byHand()
    const { path, body, method = body === undefined && path !== undefined ? 'GET' : 'POST' } = request
    const json = typeof body === 'string' ? parsed(body) : body instanceof Uint8Array ? undefined : body
    const op = BINDINGS[this.binding].probe.operationOf(this.surface, { method, path, json })
    if (op !== undefined) this.standOn(op)
    const bytes =
      body === undefined || body instanceof Uint8Array
        ? body
        : new TextEncoder().encode(typeof body === 'string' ? body : JSON.stringify(body))
    const headers: [string, string][] = [['Accept', 'application/json, text/event-stream']]
    if (bytes !== undefined)
      headers.push([
        'Content-Type',
        BINDINGS[this.binding].probe.isEnveloped ? 'application/json' : this.surface.dialect.mediaType(),
      ])
    const url = path === undefined ? this.surface.url : joinUrl(this.surface.url, path)
    const outgoing = this.#dress({ method, url, headers, body: bytes }, request)
    const { spoiled } = this.run
    const said = jsonIn(outgoing)
    spoiled.sent(said)
    const about = aboutRequest(this.surface, undefined, outgoing, request)
    const begun = this.run.sequence.next()
    const answer = this.#read(undefined, await this.#exchange(outgoing, request.timeoutMs), about)
    if (isErrorOfRpc(answer, said)) lookInside(this.run, this.surface, answer, { begun, isSpoiled: true })
    if (op === undefined ? saysSomething(said) : LEAVES_TRACES.has(op)) spoiled.answered(answer.result)
    return answer
  }

  /** A JSON-RPC call by method name, for methods that are no operation of the generation. */
  rpc(
    method: string,
    params: JsonValue | undefined,
    options: Omit<RawRequest, 'body' | 'path'> & { id?: JsonValue } = {},
  ) {
    const { id = this.nextId(), ...rest } = options
    const body: JsonObject = { jsonrpc: '2.0', id, method }
    if (params !== undefined) body.params = params
    return this.raw({ ...rest, body })
  }

  /** The JSON-RPC body a correct call would send, for checks that break it. */
  envelope<O extends Operation>(op: O, request: OperationRequest<O>, id: JsonValue = this.nextId()): JsonObject {
    return jsonRpcEnvelope(this.surface, op, this.#encode(op, request), id)
  }

  /** Any URL, without credentials unless asked: cards, key sets, canaries. */
  async fetch(url: string, request: Omit<RawRequest, 'path'> = {}): Promise<Answer> {
    const bytes = typeof request.body === 'string' ? new TextEncoder().encode(request.body) : undefined
    const headers: [string, string][] = [['Accept', 'application/json']]
    const outgoing = this.#dress(
      { method: request.method ?? 'GET', url, headers, body: bytes },
      { identity: 'none', ...request },
      false,
    )
    const about = `${outgoing.method} ${url}`
    return readAnswer('rest', undefined, await this.#exchange(outgoing, request.timeoutMs), about)
  }
  nextId(): number {
    return ++this.#requestId
  }

  /** Ends the check when what it counts on does not work; for what others have fetched before. Calls do it by themselves. */
  standOn(ground: Ground): void {
    const broken = this.run.brokenGround(this.surface, ground)
    if (broken !== undefined) throw new NotMeasured(broken.message, undefined, broken.blockedBy)
  }

  // ── inside ─────────────────────────────────────────────────────────────────────────────────────────────────────

  #encode<O extends Operation>(op: O, request: OperationRequest<O>): JsonValue {
    const codec = this.surface.dialect.codecs[this.binding]
    if (codec === undefined || !this.surface.dialect.has(op)) {
      return this.notApplicable(`this protocol version has no ${op} over ${this.binding}`)
    }
    const { tenant } = this.surface
    return codec.encodeRequest(op, named(tenant === undefined ? request : { tenant, ...request })).wire
  }

  #outgoing<O extends Operation>(op: O, request: OperationRequest<O>, options: CallOptions): OutgoingRequest {
    const target = changedTask(op, request)
    // An agent that gives several tasks one id must not have the wrong one changed.
    if (target !== undefined && this.run.kept.has(target))
      this.notMeasured(`${op} would change task ${target}, which other checks read`)
    const encoded = structuredClone(this.#encode(op, request))
    this.run.said.note(encoded)
    const params = options.edit !== undefined && isJsonObject(encoded) ? options.edit(encoded) : encoded
    const outgoing = this.#said(op, params, options.id ?? this.nextId())
    const whole = this.#dress(outgoing, options)
    if (options.tamper !== undefined || isAboutHttp(options.headers)) this.#byHand()
    if (options.tamper === undefined) return options.edit === undefined ? { ...whole, isPlain: true } : whole
    // What the check made of it is no longer known to be a read.
    const { isRead: _, ...changed } = options.tamper(whole)
    return changed
  }

  #said(op: Operation, params: JsonValue, id: JsonValue): OutgoingRequest {
    const said = sayable(() => BINDINGS[this.binding].probe.encode(this.surface, op, params, id))
    return typeof said === 'string' ? this.notApplicable(said) : said
  }

  /** Ends the check where requests are no plain HTTP. */
  #byHand(): void {
    const { probe, title } = BINDINGS[this.binding]
    if (!probe.isHttp1) this.notApplicable(`it is about HTTP requests, which ${title} does not use`)
  }

  #dress(request: OutgoingRequest, options: Pick<CallOptions, 'headers' | 'identity'>, versioned = true) {
    return dressed(this.run, this.surface, request, { ...options, versioned })
  }

  async #exchange(request: OutgoingRequest, timeoutMs = this.run.timeoutMs, mayBeLimited = false): Promise<Exchange> {
    const exchange = await this.run.wire.send(request, { timeoutMs, signal: this.deadline })
    this.#record(exchange, mayBeLimited)
    return exchange
  }

  #read(op: Operation | undefined, exchange: Exchange, about: string): Answer {
    const answer = readAnswer(this.binding, op, exchange, about)
    lookAtAnswer(this.run, this.surface, answer)
    return answer
  }

  #record(exchange: Exchange, mayBeLimited = false): void {
    this.exchanges.push(exchange)
    const fault = this.run.wire.faultOf(exchange)
    // Our own patience ended, so whatever is missing is not the agent's fault.
    if (fault === 'aborted' && this.deadline.aborted)
      throw new NotMeasured('the check exceeded its time limit', 'more time: --timeout 2m')
    const limit = limitOf(exchange)
    if (limit !== undefined && !mayBeLimited) throw turnedAway(limit)
    if (exchange.request.withoutCertificate === true && (fault === 'tls' || fault === 'reset'))
      this.notMeasured('the agent ends connections without a client certificate')
  }

  /** Notes what goes out broken, so that it is not held against the agent when it comes back. */
  #spoils(op: Operation, options: CallOptions, outgoing: OutgoingRequest): boolean {
    const isBroken = options.edit !== undefined || options.tamper !== undefined
    if (!isBroken || !LEAVES_TRACES.has(op)) return false
    this.run.spoiled.sent(jsonIn(outgoing))
    return true
  }

  #isUnused(request: object): boolean {
    const id = taskNamedIn(request)
    return id !== undefined && this.run.unusedIds.has(id)
  }

  /** Notes that the task is not found any more. */
  #remembering(request: object, answer: Answer): Answer {
    const id = saysNotFound(answer) ? taskNamedIn(request) : undefined
    if (id === undefined || !this.run.ledgerOf(this.surface).hasEnded(id)) return answer
    return { ...answer, forgotten: id }
  }
}

function taskNamedIn(request: object): string | undefined {
  const { id, taskId = id } = request as { id?: unknown; taskId?: unknown }
  return typeof taskId === 'string' ? taskId : undefined
}

function saysNotFound({ error }: Answer): boolean {
  return error?.reason === 'TASK_NOT_FOUND' || error?.code === -32001 || error?.httpStatus === 404
}
