// The `t` of every check: one surface of one agent, ways to speak to it correctly and incorrectly (requester.ts), the usual
// conversations with it, and the claims of assertions.ts. A check never asks which generation or binding it runs on; the
// probe knows.

import { randomUUID } from 'node:crypto'
import { defined } from '../../base/defined.ts'
import type { JsonObject } from '../../model/json.ts'
import type { Operation, SendMessageRequest } from '../../model/operation.ts'
import { isSettled, isTerminal } from '../../model/state-machine.ts'
import type { Message, TaskState } from '../../model/task.ts'
import type { Exchange } from '../../trace/exchange.ts'
import type { Answer } from './answer.ts'
import { type Behaviour, type Prompt, promptFor } from './behaviours.ts'
import type { SendOptions } from './call-options.ts'
import { CheckFailure, NotMeasured } from './check-failure.ts'
import { pause } from './pause.ts'
import { type Polled, pollTask } from './poll-task.ts'
import { listAt, objectAt, type RawTask } from './raw.ts'
import type { RawStream } from './raw-stream.ts'
import { Requester } from './requester.ts'
import type { Surface } from './surface.ts'
import { Webhook } from './webhook.ts'

export class Probe extends Requester {
  /** The exchanges of what it made for all checks, as they come. */
  readonly prepared: (readonly Exchange[])[] = []

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
      ...defined({ parts: options.parts, taskId: options.taskId, contextId: options.contextId }),
      ...options.message,
    })
    return {
      message,
      ...defined({ configuration: options.configuration, metadata: options.metadata }),
    }
  }

  async send(what: Behaviour | Prompt, options: SendOptions = {}): Promise<Answer> {
    return this.#withText(await this.call('sendMessage', this.sendRequest(what, options), options), options)
  }

  async openStream(what: Behaviour | Prompt, options: SendOptions = {}): Promise<RawStream> {
    return this.#withText(await this.stream('streamMessage', this.sendRequest(what, options), options), options)
  }

  /** Prompts are texts; whose card takes none may refuse them (1.0 §3.3.2), and can be shown nothing. */
  #withText<T extends Answer | RawStream>(x: T, { parts }: SendOptions): T {
    const isRefused = x.error?.reason === 'CONTENT_TYPE_NOT_SUPPORTED' || x.error?.code === -32005
    const isText = parts === undefined || parts.every((part) => 'text' in part)
    if (isText && isRefused && !takesText(this.run.agent.card))
      this.notMeasured('the agent takes no text, and every prompt is one', 'an agent whose card lists text/plain')
    return x
  }

  /** A new task showing that behaviour, as the send returned it; not measured when the agent answers otherwise. */
  async startTask(what: Behaviour, options: SendOptions = {}): Promise<{ task: RawTask; x: Answer }> {
    this.standOn(what)
    const x = await this.send(what, options)
    return { task: this.#begun(x, what), x }
  }

  /**
   * The first task of a new context. An agent may refuse contexts it did not make (1.0 §3.4.1): then it
   * makes one.
   */
  async startInNewContext(what: Behaviour): Promise<{ task: RawTask; contextId: string }> {
    this.standOn(what)
    const ours = this.unusedId()
    const x = await this.send(what, { contextId: ours })
    if (x.error === undefined) {
      const task = this.#begun(x, what)
      if (task.contextId !== ours) this.notMeasured('the agent does not use the context of the client')
      return { task, contextId: ours }
    }
    const { task } = await this.startTask(what)
    const contextId = task.contextId ?? this.notMeasured('the agent uses no contexts')
    if ((await this.startedTask()).contextId === contextId) this.notMeasured('the agent keeps all tasks in one context')
    return { task, contextId }
  }

  #begun(x: Answer, what: Behaviour): RawTask {
    const sent = this.sendResultIn(x)
    if ('task' in sent) return sent.task
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
    if (state !== undefined && isSettled(state)) {
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
    if (this.run.kept.has(done.id)) this.notMeasured(`the agent returns a new task with the id of another, ${done.id}`)
    return done
  }

  /** From now on the task is shared: every check may look at it, none may change it. */
  keep<T extends { id: string }>(task: T): T {
    this.run.kept.add(task.id)
    return task
  }

  /** Polls until the task fits. How long an agent takes is no fault: a task that is late is not measured. */
  async awaitTask(id: string, fits: (task: RawTask) => boolean, timeoutMs = this.run.timeoutMs): Promise<RawTask> {
    const { task, late } = await this.#poll(id, fits, timeoutMs)
    return late === undefined ? task : this.notMeasured(late, 'more time: --timeout 2m, or a prompt that ends sooner')
  }

  /** The same where the task has nothing left to wait for: one that does not fit in time is wrong. */
  async expectTask(id: string, fits: (task: RawTask) => boolean, timeoutMs = this.run.timeoutMs): Promise<RawTask> {
    const { task, x, late } = await this.#poll(id, fits, timeoutMs)
    this.expect(late === undefined, late ?? '', { pointer: `${task.pointer}/status/state`, at: x })
    return task
  }

  /** Polls until the task has come to rest; says which prompt would be quicker. */
  async awaitRest(id: string, what: Behaviour, isRest: (state: TaskState) => boolean = isTerminal): Promise<RawTask> {
    const { task, late } = await this.#poll(id, ({ state }) => state !== undefined && isRest(state), this.run.timeoutMs)
    if (late === undefined) return task
    return this.notMeasured(late, `a prompt for "${what}" that ends within --timeout, named in --behaviors`)
  }

  /** Waits, for the rare claim that is about time. */
  pause(ms: number): Promise<void> {
    return pause(ms, this.deadline)
  }

  #poll(id: string, fits: (task: RawTask) => boolean, timeoutMs: number): Promise<Polled> {
    const look = async () => {
      const x = await this.call('getTask', { id })
      const task = this.taskIn(x)
      if (task.id !== id)
        this.fail(`reading task ${id} returned task ${task.id}`, { expected: id, actual: task.id, at: x })
      return { task, x }
    }
    return pollTask(look, fits, { timeoutMs, signal: this.deadline })
  }

  awaitState(id: string, states: readonly TaskState[], timeoutMs?: number): Promise<RawTask> {
    return this.awaitTask(id, ({ state }) => state !== undefined && states.includes(state), timeoutMs)
  }

  // ── what the check can count on ────────────────────────────────────────────────────────────────────────────────

  /** How to provoke a behaviour, if anybody knows. */
  known(name: Behaviour): Prompt | undefined {
    return promptFor(name, this.run.behaviours)
  }

  /** How to provoke a behaviour; ends the check as not measured when it is unknown. */
  behaviour(name: Behaviour): Prompt {
    const prompt = promptFor(name, this.run.behaviours)
    if (prompt !== undefined) return prompt
    return this.notMeasured(
      `nothing is known that makes the agent show the behavior "${name}"`,
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

  /** The tasks of this surface whose end the run has seen, as they were then; but for those we changed ourselves. */
  endedTasks() {
    const { spoiled } = this.run
    const ended = this.run.ledgerOf(this.surface).ended()
    return ended.filter(({ id }) => !spoiled.isSpoiled(id))
  }

  /** From now on nothing that is shown of the task is held against the agent: it accepted what it should refuse. */
  spoil(taskId: string): void {
    this.run.spoiled.spoil(taskId)
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

  async webhook(): Promise<Webhook> {
    const webhook = await Webhook.open()
    const { generation } = this.surface
    webhook.onDelivery = ({ json, exchange }) => {
      if (json !== undefined)
        this.run.watch({ kind: 'notification', generation, binding: this.binding, value: json, pointer: '', exchange })
    }
    this.cleanups.push(() => webhook.close())
    return webhook
  }

  /** Runs after the check, whatever its outcome. */
  onEnd(cleanup: () => unknown): void {
    this.cleanups.push(cleanup)
  }

  async end(): Promise<void> {
    for (const cleanup of this.cleanups.reverse()) await cleanup()
  }

  /** False when the check that shows whether the operation works has failed; calls of it end the check then. */
  works(op: Operation): boolean {
    return this.run.brokenGround(this.surface, op) === undefined
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
    const probe = new Probe(this.run, surface, this.deadline, this.remarks)
    this.cleanups.push(async () => {
      this.exchanges.push(...probe.exchanges)
      await probe.end()
    })
    return probe
  }
}

/** Without a list nothing is known, and text is what everybody takes. */
function takesText(card: JsonObject | undefined): boolean {
  const modes = [card, ...(listAt(card, 'skills') ?? [])].flatMap(
    (one) => listAt(one, 'defaultInputModes') ?? listAt(one, 'inputModes') ?? [],
  )
  return modes.length === 0 || modes.some((mode) => typeof mode === 'string' && /^(text|\*)\//i.test(mode.trim()))
}

async function endingWith<T>(work: Promise<T>, probe: Probe): Promise<T> {
  try {
    return await work
  } finally {
    await probe.end()
  }
}
