// Answers as a recording did, in whatever generation and binding it is asked. The event that followed a message or a
// cancel waits until the client has sent it too; everything else is told without the recorded pauses.

import type { Call, EventFeed, LoggedEvent, Service, UnaryOperation } from '../../bindings/service.ts'
import { A2AError } from '../../model/errors.ts'
import { isStreamed, type StreamEvent, type TaskEvent } from '../../model/event.ts'
import { applyEvents } from '../../model/fold.ts'
import type {
  GetTaskRequest,
  Operation,
  OperationRequest,
  OperationResult,
  StreamingOperation,
} from '../../model/operation.ts'
import { isTerminal } from '../../model/state-machine.ts'
import type { Task, TaskState } from '../../model/task.ts'
import { limitHistory } from '../../server/engine/history.ts'
import { currentRequest } from '../scripted-agent.ts'
import type { RecordedAnswer, RecordedEvent } from './read-exchange.ts'
import { translated } from './recorded-ids.ts'
import { type Pass, type Replay, type ReplayChoice, ruleOf } from './replay.ts'

type Chosen = Extract<ReplayChoice, { ok: true }>
type Stream = Extract<RecordedAnswer, { is: 'stream' }>

export class ReplayService implements Service {
  readonly #replay: () => Replay

  constructor(replay: () => Replay) {
    this.#replay = replay
  }

  async call<O extends UnaryOperation>(op: O, request: OperationRequest<O>, _call: Call): Promise<OperationResult<O>> {
    const replay = this.#replay()
    const choice = replay.choose(op, request)
    const known = choice.ok ? undefined : whatIsKnown(replay, op, request)
    if (known !== undefined) return known as OperationResult<O>
    const chosen = required(choice)
    const { answer } = chosen.call
    if (answer.is === 'cut') return cut()
    if (answer.is === 'stream') {
      for (const { atMs, event } of answer.events) await causes(replay, chosen, atMs, stateOf(event))
      return presented(asOneAnswer(answer), chosen.pass) as OperationResult<O>
    }
    await causes(replay, chosen, answer.atMs, answer.is === 'result' ? stateOf(answer.result) : undefined)
    if (answer.is === 'error') throw inPass(answer.error, chosen.pass)
    return presented(answer.result, chosen.pass) as OperationResult<O>
  }

  async stream<O extends StreamingOperation>(op: O, request: OperationRequest<O>, _call: Call): Promise<EventFeed> {
    const replay = this.#replay()
    const chosen = required(replay.choose(op, request))
    const { answer } = chosen.call
    if (answer.is === 'error') throw inPass(answer.error, chosen.pass)
    if (answer.is === 'cut') return cut()
    if (answer.is === 'stream') return new RecordedFeed(replay, chosen, answer)
    await causes(replay, chosen, answer.atMs, stateOf(answer.result))
    const event = answer.result as StreamEvent
    return new RecordedFeed(replay, chosen, {
      is: 'stream',
      events: [{ atMs: 0, seq: undefined, event }],
      end: 'ended',
    })
  }
}

/** Of a task that was played: how it stands, and that it cannot be canceled once it has ended. */
function whatIsKnown(replay: Replay, op: Operation, request: OperationRequest<Operation>): Task | undefined {
  const { id = '', historyLength } = request as Partial<GetTaskRequest>
  const task = replay.task(id)
  if (task === undefined) return undefined
  if (op === 'getTask') return limitHistory(task, historyLength)
  const { state } = task.status
  if (op === 'cancelTask' && isTerminal(state))
    throw new A2AError('TaskNotCancelable', `Task ${id} cannot be canceled: it is ${state}.`, {
      metadata: { taskId: id, state },
    })
  return undefined
}

/** The recorded answer under the ids of the pass, which remembers what it says about a task. */
function presented(result: OperationResult<Operation>, pass: Pass): OperationResult<Operation> {
  const now = translated(result, pass.ids)
  if (now !== null && 'task' in now) pass.note(now)
  else if (now !== null && 'status' in now && 'id' in now) pass.note({ task: now as Task })
  return now
}

class RecordedFeed implements EventFeed {
  readonly opening: StreamEvent | undefined
  readonly openingSeq: number | undefined
  readonly #replay: Replay
  readonly #chosen: Chosen
  readonly #rest: RecordedEvent[]
  readonly #end: Stream['end']
  #seq = 0
  readonly #closed = Promise.withResolvers<undefined>()

  constructor(replay: Replay, chosen: Chosen, { events, end }: Stream) {
    this.#replay = replay
    this.#chosen = chosen
    this.#end = end
    const [first] = events
    // What opens a stream is told by the recorded agent; where it began with an update there is no opening.
    const hasOpening = first !== undefined && ('task' in first.event || 'message' in first.event)
    this.opening = hasOpening ? translated(first.event, chosen.pass.ids) : undefined
    if (this.opening !== undefined) chosen.pass.note(this.opening)
    this.openingSeq = hasOpening ? first.seq : undefined
    this.#rest = events.slice(hasOpening ? 1 : 0)
  }

  async next(): Promise<readonly LoggedEvent[] | undefined> {
    const recorded = this.#rest.shift()
    if (recorded === undefined) {
      // What a feed throws cuts the connection.
      if (this.#end === 'cut') throw new A2AError('Unavailable', 'The recorded connection was lost here.')
      return this.#end === 'ended' ? undefined : this.#closed.promise
    }
    const { atMs, seq, event } = recorded
    const isOver = await Promise.race([
      causes(this.#replay, this.#chosen, atMs, stateOf(event)),
      this.#closed.promise.then(() => true),
    ])
    if (isOver === true) return undefined
    this.#seq = seq ?? this.#seq + 1
    const { pass } = this.#chosen
    const now = translated(event, pass.ids)
    pass.note(now)
    return updatesIn(now).map((update) => ({ seq: this.#seq, event: update, text: JSON.stringify(update) }))
  }

  close(): void {
    this.#closed.resolve(undefined)
  }
}

/** Notes in the journal what answers, or refuses. */
function required(choice: ReplayChoice): Chosen {
  const http = currentRequest.getStore()
  if (!choice.ok) {
    http?.chose(choice)
    throw new A2AError('InvalidParams', choice.message)
  }
  http?.chose({ ok: true, id: ruleOf(choice.call), index: 0 })
  return choice
}

async function causes(
  replay: Replay,
  { call, pass }: Chosen,
  atMs: number,
  state: TaskState | undefined,
): Promise<undefined> {
  for (const cause of replay.causesOf(call, atMs, state)) await pass.reached(cause)
}

/** The client loses its connection; there is no one to answer. */
function cut(): Promise<never> {
  currentRequest.getStore()?.cut()
  return new Promise(() => {})
}

function inPass({ kind, message, options }: A2AError, { ids }: Pass): A2AError {
  const { metadata, details } = options
  return new A2AError(kind, translated(message, ids), {
    ...options,
    ...(metadata === undefined ? {} : { metadata: translated(metadata, ids) }),
    ...(details === undefined ? {} : { details: translated(details, ids) }),
  })
}

function stateOf(answer: OperationResult<Operation>): TaskState | undefined {
  const { task, statusUpdate, status } = (answer ?? {}) as {
    task?: Task
    statusUpdate?: Pick<Task, 'status'>
    status?: Task['status']
  }
  return (task?.status ?? statusUpdate?.status ?? status)?.state
}

/** A Task in the middle of a stream says what updates would have said. */
function updatesIn(event: StreamEvent): TaskEvent[] {
  if ('message' in event) return []
  if (!('task' in event)) return [event]
  const { id: taskId, contextId = '', artifacts = [], status } = event.task
  return [
    ...artifacts.map((artifact) => ({ artifactUpdate: { taskId, contextId, artifact } })),
    { statusUpdate: { taskId, contextId, status } },
  ]
}

/** A stream as the one answer it adds up to. */
function asOneAnswer({ events }: Stream): OperationResult<'sendMessage'> {
  const [first, ...rest] = events.map(({ event }) => event)
  if (first === undefined) throw new A2AError('InvalidAgentResponse', 'The recorded stream has no events.')
  if ('message' in first) return first
  if ('task' in first) return { task: applyEvents(first.task, rest.flatMap(updatesIn)) }
  const { taskId, contextId } = 'statusUpdate' in first ? first.statusUpdate : first.artifactUpdate
  const begun: Task = { id: taskId, contextId, status: { state: 'TASK_STATE_SUBMITTED' } }
  return { task: applyEvents(begun, [first, ...rest].flatMap(updatesIn).filter(isStreamed)) }
}
