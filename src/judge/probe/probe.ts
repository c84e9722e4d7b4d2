// The `t` of every check: one surface of one agent, ways to speak to it correctly and incorrectly, and the claims of
// assertions.ts. A check never asks which generation or binding it runs on; the probe knows.

import { randomUUID } from 'node:crypto'
import { jsonRpcEnvelope } from '../../bindings/jsonrpc/probe.ts'
import { sayable } from '../../bindings/probe.ts'
import { BINDINGS } from '../../bindings/registry.ts'
import { joinUrl } from '../../bindings/rest/probe.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../model/json.ts'
import type { Operation, OperationRequest, SendMessageRequest, StreamingOperation } from '../../model/operation.ts'
import { isInterrupted, isTerminal } from '../../model/state-machine.ts'
import type { Message, TaskState } from '../../model/task.ts'
import type { Exchange } from '../../trace/exchange.ts'
import { aboutRequest } from './about.ts'
import { type Answer, parsed, readAnswer } from './answer.ts'
import { Assertions, type Remarks } from './assertions.ts'
import { type Behaviour, type Prompt, promptFor } from './behaviours.ts'
import type { CallOptions, RawRequest, SendOptions } from './call-options.ts'
import { CheckFailure, NotMeasured } from './check-failure.ts'
import { dressed } from './dressed.ts'
import { openEitherWay } from './either-verb.ts'
import { isErrorOfRpc, lookAtAnswer, lookInside, streamWatcher } from './look.ts'
import { isAboutHttp, named, type OutgoingRequest } from './outgoing.ts'
import { pause } from './pause.ts'
import { objectAt, type RawTask } from './raw.ts'
import { RawStream } from './raw-stream.ts'
import type { Ground, RunContext } from './run-context.ts'
import type { Surface } from './surface.ts'
import { changedTask, jsonIn, LEAVES_TRACES, saysSomething } from './traces.ts'
import { Webhook } from './webhook.ts'

const FIRST_POLL_MS = 25
const SLOWEST_POLL_MS = 2_000

export class Probe extends Assertions {
  /** Every exchange of this check, in order. */
  readonly exchanges: Exchange[] = []
  /** The exchanges of what it made for all checks, as they come. */
  readonly prepared: (readonly Exchange[])[] = []
  readonly #deadline: AbortSignal
  readonly #cleanups: (() => unknown)[] = []
  #requestId = 0

  constructor(run: RunContext, surface: Surface, deadline: AbortSignal, remarks?: Remarks) {
    super(run, surface, remarks)
    this.#deadline = deadline
  }

  // ── speaking ───────────────────────────────────────────────────────────────────────────────────────────────────

  async call<O extends Operation>(op: O, request: OperationRequest<O>, options: CallOptions = {}): Promise<Answer> {
    this.standOn(op)
    const outgoing = this.#outgoing(op, request, options)
    const isSpoiled = this.#spoils(op, options, outgoing)
    const begun = this.run.sequence.next()
    const exchange = await this.#exchange(outgoing, options.timeoutMs)
    const answer = this.#read(op, exchange, aboutRequest(this.surface, op, outgoing, options))
    if (isSpoiled) this.run.spoiled.answered(answer.result)
    // A task nobody made cannot be shown: that it is has a check of its own, and it is no result.
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
    const timing = { timeoutMs, signal: this.#deadline }
    const alternative = BINDINGS[this.binding].probe.alternative?.(op, outgoing)
    const { opened, before } = await openEitherWay(this.run.wire, outgoing, alternative, timing)
    for (const exchange of [...before, opened.exchange]) this.#record(exchange)
    const { surface, run } = this
    const watcher = streamWatcher(run, surface, { exchange: opened.exchange, op, begun }, isSpoiled)
    const deadline = AbortSignal.any([this.#deadline, AbortSignal.timeout(timeoutMs)])
    const about = aboutRequest(surface, op, outgoing, options)
    if ('next' in opened) {
      const stream = new RawStream(surface, opened, watcher, deadline, about)
      this.#cleanups.push(() => stream.close())
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

  // ── the usual conversation ─────────────────────────────────────────────────────────────────────────────────────

  /** A user message. */
  message(text: string, members: Partial<Message> = {}): Message {
    return { messageId: randomUUID(), role: 'ROLE_USER', parts: [{ text }], ...members }
  }

  /** The request that provokes a behaviour (or says a sentence), continuing a task when asked. */
  sendRequest(what: Behaviour | Prompt, options: SendOptions = {}): SendMessageRequest {
    const prompt = typeof what === 'string' ? this.behaviour(what) : what
    const prefix = prompt.messageIdPrefix
    const message = this.message(prompt.text, {
      ...(prefix === undefined ? {} : { messageId: `${prefix}-${randomUUID()}` }),
      ...(options.parts === undefined ? {} : { parts: options.parts }),
      ...(options.taskId === undefined ? {} : { taskId: options.taskId }),
      ...(options.contextId === undefined ? {} : { contextId: options.contextId }),
      ...options.message,
    })
    return {
      message,
      ...(options.configuration === undefined ? {} : { configuration: options.configuration }),
      ...(options.metadata === undefined ? {} : { metadata: options.metadata }),
    }
  }

  send(what: Behaviour | Prompt, options: SendOptions = {}): Promise<Answer> {
    return this.call('sendMessage', this.sendRequest(what, options), options)
  }

  openStream(what: Behaviour | Prompt, options: SendOptions = {}): Promise<RawStream> {
    return this.stream('streamMessage', this.sendRequest(what, options), options)
  }

  /** A new task showing that behaviour, as the send returned it; not measured when the agent answers otherwise. */
  async startTask(what: Behaviour, options: SendOptions = {}): Promise<{ task: RawTask; x: Answer }> {
    this.standOn(what)
    const x = await this.send(what, options)
    const sent = this.sendResultIn(x)
    if ('task' in sent) return { task: sent.task, x }
    return this.notMeasured(
      `the agent answered the prompt for "${what}" with a message instead of a task`,
      `a prompt that makes a task, named in --behaviors as "${what}"`,
    )
  }

  /** A task that was left working: sent with returnImmediately and not yet finished when it came back. */
  async startWorking(what: Behaviour = 'slow', options: SendOptions = {}): Promise<{ task: RawTask; x: Answer }> {
    this.standOn('working')
    const configuration = { returnImmediately: true, ...options.configuration }
    const started = await this.startTask(what, { ...options, configuration })
    const { state } = started.task
    if (state !== undefined && (isTerminal(state) || isInterrupted(state))) {
      this.notMeasured(
        `the task was already ${started.task.stateText} when the send returned`,
        `a prompt for a task that takes at least a second, named in --behaviors as "${what}"`,
      )
    }
    return started
  }

  /** A task that all checks of this surface share, as its send returned it; never change it. */
  startedTask(): Promise<RawTask> {
    return this.shared('a task', async (own) => (await own.startTask('task')).task)
  }

  /** A finished task that all checks of this surface share; never change it. */
  async finishedTask(what: Behaviour = 'task'): Promise<RawTask> {
    this.standOn('finished')
    return this.shared(`finished ${what}`, async (t) => {
      const { id } = what === 'task' ? await t.startedTask() : (await t.startTask(what)).task
      return t.keep(await t.awaitTask(id, (now) => now.state !== undefined && isTerminal(now.state)))
    })
  }

  /** A finished task of the check's own, which it may try to change. */
  async ownFinishedTask(what: Behaviour = 'task'): Promise<RawTask> {
    this.standOn('finished')
    const { task } = await this.startTask(what)
    const done = await this.awaitRest(task.id, what)
    // Changing it would change the task others look at; that ids are not unique is told by the checks about ids.
    if (this.run.kept.has(done.id)) this.notMeasured(`the agent shows a new task under the id of another, ${done.id}`)
    return done
  }

  /** From now on the task is shared: every check may look at it, none may change it. */
  keep<T extends { id: string }>(task: T): T {
    this.run.kept.add(task.id)
    return task
  }

  /** Polls until the task fits, with growing pauses. */
  async awaitTask(id: string, fits: (task: RawTask) => boolean, timeoutMs = this.run.timeoutMs): Promise<RawTask> {
    const deadline = performance.now() + timeoutMs
    for (let pauseMs = FIRST_POLL_MS; ; pauseMs = Math.min(pauseMs * 2, SLOWEST_POLL_MS)) {
      const x = await this.call('getTask', { id })
      const task = this.taskIn(x)
      if (task.id !== id)
        this.fail(`reading task ${id} returned task ${task.id}`, { expected: id, actual: task.id, at: x })
      if (fits(task)) return task
      if (performance.now() + pauseMs > deadline) {
        this.fail(`task ${id} was still ${task.stateText} after ${Math.round(timeoutMs / 1000)} s`, {
          pointer: `${task.pointer}/status/state`,
          at: x,
        })
      }
      await pause(pauseMs, this.#deadline)
    }
  }

  /** Polls until the task has come to rest; how long that takes is nobody's fault, so a slow one is not measured. */
  async awaitRest(id: string, what: Behaviour, isRest: (state: TaskState) => boolean = isTerminal): Promise<RawTask> {
    try {
      return await this.awaitTask(id, ({ state }) => state !== undefined && isRest(state))
    } catch (error) {
      if (!(error instanceof CheckFailure)) throw error
      return this.notMeasured(error.message, `a prompt for "${what}" that ends within --timeout, named in --behaviors`)
    }
  }

  awaitState(id: string, states: readonly TaskState[], timeoutMs?: number): Promise<RawTask> {
    return this.awaitTask(id, ({ state }) => state !== undefined && states.includes(state), timeoutMs)
  }

  // ── what the check can count on ────────────────────────────────────────────────────────────────────────────────

  /** How to provoke a behaviour, if anybody knows. */
  known(name: Behaviour): Prompt | undefined {
    return promptFor(name, this.run.behaviours)
  }

  /** How to provoke a behaviour; ends the check as not measured when nobody knows. */
  behaviour(name: Behaviour): Prompt {
    const prompt = promptFor(name, this.run.behaviours)
    if (prompt !== undefined) return prompt
    return this.notMeasured(
      `nothing is known that makes the agent show the behaviour "${name}"`,
      `a prompt for "${name}" in the file given with --behaviors`,
    )
  }

  get card(): JsonObject {
    return this.run.agent.card ?? this.notMeasured('the agent has no readable card')
  }

  get cardUrl(): string {
    return this.run.agent.cardUrl ?? this.notMeasured('the agent has no readable card')
  }

  get agent() {
    return this.run.agent
  }

  /** The tasks of this surface whose end the run has seen, as they were then. */
  endedTasks() {
    return this.run.ledgerOf(this.surface).ended()
  }

  get cardKeys() {
    return this.run.cardKeys
  }

  get timeoutMs(): number {
    return this.run.timeoutMs
  }

  /** No answer because the time was over, not because the connection failed. */
  timedOut(x: Answer | RawStream): boolean {
    return this.run.wire.faultOf(x.exchange) === 'timeout'
  }

  declares(capability: string): boolean {
    const { card } = this.run.agent
    if (objectAt(card, 'capabilities')?.[capability] === true) return true
    // Before 1.0 the extended card was announced at the top of the card.
    return capability === 'extendedAgentCard' && card?.supportsAuthenticatedExtendedCard === true
  }

  /** The same agent over another binding of the same generation. */
  sibling(): Probe {
    const other = this.run.agent.surfaces.find(
      (surface) => surface.generation === this.generation && surface.binding !== this.binding,
    )
    if (other === undefined) return this.notApplicable('the agent offers only one binding')
    return this.#like(other)
  }

  /** An id no agent has ever given out. */
  unusedId(): string {
    const id = randomUUID()
    this.run.unusedIds.add(id)
    return id
  }

  nextId(): number {
    return ++this.#requestId
  }

  async webhook(): Promise<Webhook> {
    const webhook = await Webhook.open()
    const { generation } = this.surface
    webhook.onDelivery = ({ json, exchange }) => {
      if (json !== undefined)
        this.run.watch({ kind: 'notification', generation, binding: this.binding, value: json, pointer: '', exchange })
    }
    this.#cleanups.push(() => webhook.close())
    return webhook
  }

  /** Runs after the check, whatever its outcome. */
  onEnd(cleanup: () => unknown): void {
    this.#cleanups.push(cleanup)
  }

  async end(): Promise<void> {
    for (const cleanup of this.#cleanups.reverse()) await cleanup()
  }

  /** False when the check that shows whether the operation works has failed; calls of it end the check then. */
  works(op: Operation): boolean {
    return this.run.brokenGround(this.surface, op) === undefined
  }

  /** Ends the check when what it counts on does not work; for what others have fetched before. Calls do it by themselves. */
  standOn(ground: Ground): void {
    const broken = this.run.brokenGround(this.surface, ground)
    if (broken !== undefined) throw new NotMeasured(broken.message, undefined, broken.blockedBy)
  }

  #isUnused(request: object): boolean {
    const { id, taskId = id } = request as { id?: unknown; taskId?: unknown }
    return typeof taskId === 'string' && this.run.unusedIds.has(taskId)
  }

  // ── inside ─────────────────────────────────────────────────────────────────────────────────────────────────────

  #encode<O extends Operation>(op: O, request: OperationRequest<O>): JsonValue {
    const codec = this.surface.dialect.codecs[this.binding]
    if (codec === undefined || !this.surface.dialect.has(op)) {
      return this.notApplicable(`this generation has no ${op} over ${this.binding}`)
    }
    const { tenant } = this.surface
    return codec.encodeRequest(op, named(tenant === undefined ? request : { tenant, ...request })).wire
  }

  #outgoing<O extends Operation>(op: O, request: OperationRequest<O>, options: CallOptions): OutgoingRequest {
    const target = changedTask(op, request)
    // An agent that gives several tasks one id must not have the wrong one changed.
    if (target !== undefined && this.run.kept.has(target))
      this.notMeasured(`${op} would change task ${target}, which other checks look at`)
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
    if (!probe.isHttp1) this.notApplicable(`it is about HTTP requests, and ${title} has none of its own`)
  }

  #dress(request: OutgoingRequest, options: Pick<CallOptions, 'headers' | 'identity'>, versioned = true) {
    return dressed(this.run, this.surface, request, { ...options, versioned })
  }

  async #exchange(request: OutgoingRequest, timeoutMs = this.run.timeoutMs): Promise<Exchange> {
    const exchange = await this.run.wire.send(request, { timeoutMs, signal: this.#deadline })
    this.#record(exchange)
    return exchange
  }

  #read(op: Operation | undefined, exchange: Exchange, about: string): Answer {
    const answer = readAnswer(this.binding, op, exchange, about)
    lookAtAnswer(this.run, this.surface, answer)
    return answer
  }

  #record(exchange: Exchange): void {
    this.exchanges.push(exchange)
    const fault = this.run.wire.faultOf(exchange)
    // Our own patience ended, so whatever is missing is not the agent's fault.
    if (fault === 'aborted' && this.#deadline.aborted)
      throw new NotMeasured('the check took longer than it may', 'more time: --timeout 2m')
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

  /** Made once per surface, outside the deadline of the check that happened to ask first. */
  async shared<T>(key: string, make: (t: Probe) => Promise<T>): Promise<T> {
    const { fixtures, timeoutMs, signal } = this.run
    const full = `${this.generation}/${this.binding} ${key}`
    let made = fixtures.get(full) as Promise<T> | undefined
    if (made === undefined) {
      const deadline = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs * 2)])
      const probe = new Probe(this.run, this.surface, deadline)
      this.prepared.push(probe.exchanges)
      made = endingWith(make(probe), probe)
      fixtures.set(full, made)
    }
    try {
      return await made
    } catch (error) {
      // The check that is about sending reports the failure; the others could just not be measured.
      if (error instanceof CheckFailure) throw new NotMeasured(`its prerequisite (${key}) failed: ${error.message}`)
      throw error
    }
  }

  #like(surface: Surface): Probe {
    const probe = new Probe(this.run, surface, this.#deadline, this.remarks)
    this.#cleanups.push(async () => {
      this.exchanges.push(...probe.exchanges)
      await probe.end()
    })
    return probe
  }
}

async function endingWith<T>(work: Promise<T>, probe: Probe): Promise<T> {
  try {
    return await work
  } finally {
    await probe.end()
  }
}
