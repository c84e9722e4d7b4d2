// What was said to the agents and what came of it. Events are kept as they came and told in batches; of an agent that says
// very much, the beginning and the end are kept and the rest counted.

import { randomUUID } from 'node:crypto'
import type { A2AClient } from '../client/a2a-client.ts'
import type { StreamEvent } from '../model/event.ts'
import { isSettled } from '../model/state-machine.ts'
import type { Message } from '../model/task.ts'
import type { Redactor } from '../trace/redact.ts'
import { errorView } from './error-view.ts'
import type { OpenAgent } from './open-agent.ts'
import type { Change, MessageForm, TurnOptions, TurnView } from './views.ts'

const MAX_TURNS = 500
/** Of more events than these, the beginning and the end are kept. */
const MAX_EVENTS = 10_000
/** So many are let go at a time. */
const LET_GO = 2_000
/** One task may take long; a person who waits can stop it. */
const TIMEOUT_MS = 600_000

interface OpenTurn {
  view: TurnView
  stop: AbortController
}

export class Conversations {
  readonly #turns = new Map<string, OpenTurn>()
  readonly #publish: (change: Change) => void

  constructor(publish: (change: Change) => void) {
    this.#publish = publish
  }

  views(): TurnView[] {
    return [...this.#turns.values()].map(({ view }) => view)
  }

  send(agent: OpenAgent, form: MessageForm): string {
    const sent: Message = {
      messageId: randomUUID(),
      role: 'ROLE_USER',
      parts: form.parts,
      ...(form.taskId === undefined ? {} : { taskId: form.taskId }),
      ...(form.contextId === undefined ? {} : { contextId: form.contextId }),
    }
    const turn = this.#begin(agent, { sent, options: form.options })
    void this.#run(turn, agent, (client, signal) => this.#answers(client, sent, form.options, signal))
    return turn.view.id
  }

  subscribe(agent: OpenAgent, taskId: string): string {
    const turn = this.#begin(agent, { subscribed: taskId, options: { stream: true } })
    void this.#run(turn, agent, (client, signal) => client.subscribeTask({ id: taskId }, { signal }))
    return turn.view.id
  }

  stop(id: string): void {
    this.#turns.get(id)?.stop.abort()
  }

  /** Forgets what was said to an agent, or to all. */
  clear(agent?: string): void {
    for (const [id, { view, stop }] of this.#turns) {
      if (agent !== undefined && view.agent !== agent) continue
      stop.abort()
      this.#turns.delete(id)
    }
  }

  #begin(agent: OpenAgent, more: Pick<TurnView, 'options'> & Partial<TurnView>): OpenTurn {
    const id = randomUUID()
    const at = new Date().toISOString()
    const view: TurnView = { id, agent: agent.id, at, events: [], count: 0, isOpen: true, ...more }
    const turn = { view, stop: new AbortController() }
    this.#turns.set(id, turn)
    const [oldest] = this.#turns.keys()
    if (this.#turns.size > MAX_TURNS && oldest !== undefined) this.#turns.delete(oldest)
    this.#publish({ kind: 'turn', turn: { ...view, events: [] } })
    return turn
  }

  async #run(
    turn: OpenTurn,
    agent: OpenAgent,
    open: (client: A2AClient, signal: AbortSignal) => AsyncIterable<{ event: StreamEvent }>,
  ): Promise<void> {
    const { view, stop } = turn
    const { binding, version, extensions } = view.options
    try {
      const client = agent.client({ binding, version, extensions })
      for await (const { event: said } of open(client, stop.signal)) {
        const event = withoutSecrets(said, agent.redactor)
        view.count++
        view.events.push(event)
        if (view.events.length > MAX_EVENTS + LET_GO) view.events.splice(MAX_EVENTS / 2, LET_GO)
        if (view.spoken === undefined) view.spoken = `${client.endpoint.dialect} ${client.endpoint.binding}`
        this.#publish({ kind: 'events', turn: view.id, events: [event], count: view.count })
      }
    } catch (error) {
      view.error = stop.signal.aborted
        ? { code: 'stopped', message: 'You stopped listening; the task itself continues.' }
        : errorView(error, agent.redactor)
    }
    agent.settle()
    view.isOpen = false
    this.#publish({ kind: 'turn', turn: { ...view, events: [] } })
  }

  async *#answers(
    client: A2AClient,
    message: Message,
    options: TurnOptions,
    signal: AbortSignal,
  ): AsyncGenerator<{ event: StreamEvent }> {
    const { historyLength, returnImmediately, acceptedOutputModes, metadata, stream } = options
    const configuration = {
      ...(historyLength === undefined ? {} : { historyLength }),
      ...(returnImmediately === undefined ? {} : { returnImmediately }),
      ...(acceptedOutputModes === undefined ? {} : { acceptedOutputModes }),
    }
    const request = {
      message,
      ...(Object.keys(configuration).length === 0 ? {} : { configuration }),
      ...(metadata === undefined ? {} : { metadata }),
    }
    if (stream) {
      yield* client.streamMessage(request, { signal })
      return
    }
    const event = await client.sendMessage(request, { signal, timeoutMs: TIMEOUT_MS })
    yield { event }
    // Some answer before they are done, and the first generation always does.
    if (!('task' in event) || returnImmediately === true || isSettled(event.task.status.state)) return
    yield { event: { task: await client.waitForTask({ id: event.task.id }, { signal }) } }
  }
}

/** An agent may repeat what it was shown. */
function withoutSecrets(event: StreamEvent, redactor: Redactor): StreamEvent {
  const text = JSON.stringify(event)
  const clean = redactor.registered(text)
  return clean === text ? event : (JSON.parse(clean) as StreamEvent)
}
