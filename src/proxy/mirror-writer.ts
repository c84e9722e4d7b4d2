// Our copy of the agent's tasks: what it tells, under our ids, written by compare-and-set. The store lets nothing follow
// a terminal state, so a caller sees exactly one, whatever the agent does or stops doing.

import { timedId } from '../base/random-id.ts'
import type { StreamItem } from '../bindings/endpoint-client.ts'
import { A2AError } from '../model/errors.ts'
import type { StreamEvent, TaskEvent } from '../model/event.ts'
import { eventIdIssue, MAX_ID_LENGTH } from '../model/ids.ts'
import type { JsonObject } from '../model/json.ts'
import type { Scope } from '../model/scope.ts'
import { isSettled, isTerminal } from '../model/state-machine.ts'
import type { Message, Task, TaskStatus } from '../model/task.ts'
import { weightOfEvent } from '../model/weight.ts'
import type { Limits } from '../net/limits.ts'
import type { WakeBus } from '../server/bus/wake-bus.ts'
import { toMessage } from '../server/engine/content.ts'
import { statusIn, type TaskRecord, type TaskStore } from '../server/store/task-store.ts'
import type { ArtifactExtractor } from './artifact-extractor.ts'
import { catchUp, stamped } from './catch-up.ts'
import { type FollowGuard, TakenOver } from './follow-turns.ts'
import { renamedUpdate, updateHeads } from './renamed-update.ts'
import type { TaskIdLinks, TaskLink } from './task-id-links.ts'

/** What a message of a caller is about, in our ids. */
export interface Turn {
  readonly scope: Scope
  /** The context the caller named; undefined leaves it to the agent. */
  readonly contextId: string | undefined
  /** As the caller wrote it, references and all; undefined without a message. */
  readonly message?: Message
  /** What the caller calls the new task, where the generation lets callers name tasks. */
  readonly taskId?: string
}

export interface Mirrored {
  readonly link: TaskLink
  readonly record: TaskRecord
  /** The task as it began, when this is how it began. */
  readonly created?: TaskRecord
}

export interface MirrorDeps {
  readonly store: TaskStore
  readonly bus: WakeBus
  readonly links: TaskIdLinks
  readonly limits: Pick<Limits, 'taskEvents' | 'taskBytes'>
  /** For a reply that belongs to no task. */
  outletFor(scope: Scope, contextId: string): ArtifactExtractor
}

type TaskUpdate = Extract<StreamEvent, { statusUpdate: unknown } | { artifactUpdate: unknown }>

/** What an agent calls its tasks is kept beside our own names for them; others are more generous than we are. */
const MAX_THEIR_ID = 1_024

export class MirrorWriter {
  readonly #deps: MirrorDeps
  /** Messages that are known to be in the history of their task: it need not be put together to find them. */
  readonly #joined = new WeakSet<Message>()

  constructor(deps: MirrorDeps) {
    this.#deps = deps
  }

  /** A direct reply, in our ids. */
  async reply(turn: Turn, message: Message): Promise<Message> {
    const { links } = this.#deps
    const contextId = await links.contextOurs(turn.scope, message.contextId, turn.contextId)
    const { taskId, ...said } = await this.#deps.outletFor(turn.scope, contextId).message(message)
    const link = taskId === undefined ? undefined : await links.ofDownstream(turn.scope, taskId)
    const ours: Message = { ...said, contextId }
    if (link !== undefined) ours.taskId = link.taskId
    return this.#withReferences(turn.scope, ours)
  }

  /** A whole task as the agent told it. */
  async task(turn: Turn, theirs: Task, known?: TaskLink, guard?: FollowGuard): Promise<Mirrored> {
    if (known !== undefined) checkOwn(known, theirs.id, theirs.contextId)
    const link = known ?? (await this.#deps.links.ofDownstream(turn.scope, theirs.id))
    const before = link && (await this.#deps.store.get(link.scope, link.taskId))
    // An ended task stays ended: what the agent does under its id afterwards is another task.
    const isOver = before !== undefined && isTerminal(before.task.status.state) && turn.message !== undefined
    if (link === undefined || before === undefined || isOver) return this.#create(turn, theirs)
    const ours = await this.#ours(link, theirs)
    const record = await this.#write(
      link,
      (known) => catchUp(known.task, ours, this.#joining(known, turn, link)),
      guard,
    )
    return { link, record }
  }

  /** One event of the agent's stream; `link` is the task the stream is about, once that is known. */
  async event(turn: Turn, event: StreamEvent, link?: TaskLink, guard?: FollowGuard): Promise<Mirrored> {
    if ('task' in event) return this.task(turn, event.task, link, guard)
    if ('message' in event) return this.#remark(event.message, link, guard)
    const update = updateIn(event)
    if (link !== undefined) checkOwn(link, update.taskId, update.contextId)
    const known = link ?? (await this.#deps.links.ofDownstream(turn.scope, update.taskId))
    if (known === undefined) {
      const status: TaskStatus = 'status' in update ? update.status : { state: 'TASK_STATE_SUBMITTED' }
      const begun = await this.#create(turn, { id: update.taskId, contextId: update.contextId, status })
      if ('status' in update) return begun
      return { ...begun, record: await this.#update(begun.link, event, turn) }
    }
    return { link: known, record: await this.#update(known, event, turn) }
  }

  async #update(link: TaskLink, event: TaskUpdate, turn: Turn): Promise<TaskRecord> {
    const events = await this.#prepared(link, event)
    return this.#write(link, (known) => [...this.#joining(known, turn, link), ...events])
  }

  /**
   * Events of the agent's stream that came together, in one write where they can be: what tells the whole task, or is no
   * event of a task, is written alone.
   */
  async events(turn: Turn, items: readonly StreamItem[], link: TaskLink, guard?: FollowGuard): Promise<void> {
    const ready: TaskEvent[] = []
    const heads = updateHeads(link)
    try {
      for (const item of items) {
        const { event } = item
        if ('task' in event || 'message' in event) {
          await this.#writeAll(turn, ready.splice(0), link, guard)
          await this.event(turn, event, link, guard)
        } else {
          checkOwn(link, updateIn(event).taskId, updateIn(event).contextId)
          const renamed = renamedUpdate(item, link, heads)
          if (renamed !== undefined) ready.push(renamed)
          else ready.push(...(await this.#prepared(link, event)))
        }
      }
    } finally {
      // Also when one of them is not to be told: what came before it was.
      await this.#writeAll(turn, ready, link, guard)
    }
  }

  async #writeAll(turn: Turn, events: readonly TaskEvent[], link: TaskLink, guard?: FollowGuard): Promise<void> {
    if (events.length === 0) return
    const end = events.findIndex((event) => 'statusUpdate' in event && isTerminal(event.statusUpdate.status.state))
    const told = end === -1 ? events : events.slice(0, end + 1)
    try {
      await this.#write(link, (known) => [...this.#joining(known, turn, link), ...told], guard)
    } catch (error) {
      if (told.length === 1 || !(error instanceof A2AError) || error.kind !== 'ResourceExhausted') throw error
      // More than a task may hold: as much of it as there is room for.
      for (const event of told) await this.#write(link, (known) => [...this.#joining(known, turn, link), event], guard)
    }
  }

  /** An update as it is told here, with the files that it lets go. */
  async #prepared(link: TaskLink, event: TaskUpdate): Promise<TaskEvent[]> {
    const update = updateIn(event)
    if ('artifact' in update) {
      const ready = await link.files.update(update)
      return ready.map((each) => ({ artifactUpdate: { ...each, ...idsOf(link) } }))
    }
    const files = await this.releaseFiles(link, isSettled(update.status.state))
    const status = stamped(await this.#oursStatus(link, update.status))
    return [...files, { statusUpdate: { ...update, ...idsOf(link), status } }]
  }

  /** The end the agent did not tell: failed, with the reason. */
  async fail(link: TaskLink, reason: string, error?: unknown): Promise<TaskRecord> {
    const status: TaskStatus = { state: 'TASK_STATE_FAILED', message: toMessage(reason, link) }
    const metadata = error instanceof A2AError ? { metadata: { downstreamError: describe(error) } } : {}
    const files = await this.releaseFiles(link, true)
    return this.#write(link, () => [
      ...files,
      { statusUpdate: { ...idsOf(link), status: stamped(status), ...metadata } },
    ])
  }

  /** At the end of the agent's turn nothing may be held back. */
  async settle(link: TaskLink): Promise<TaskRecord> {
    const files = await this.releaseFiles(link, true)
    return this.#write(link, () => files)
  }

  async releaseFiles(link: TaskLink, isEnd: boolean): Promise<TaskEvent[]> {
    const released = await link.files.release(isEnd)
    return released.map((artifactUpdate) => ({ artifactUpdate: { ...artifactUpdate, ...idsOf(link) } }))
  }

  /** A bare message in the stream of a task: the task goes on as it was, and says this. */
  async #remark(message: Message, link: TaskLink | undefined, guard?: FollowGuard): Promise<Mirrored> {
    if (link === undefined)
      throw new A2AError('InvalidAgentResponse', 'The agent sent a message where a task was expected.')
    const said = await this.#oursMessage(link, message)
    const remark = (known: TaskRecord): TaskEvent[] => [
      { statusUpdate: { ...idsOf(link), status: stamped({ state: statusIn(known).state, message: said }) } },
    ]
    return { link, record: await this.#write(link, remark, guard) }
  }

  async #create(turn: Turn, theirs: Task): Promise<Mirrored> {
    const { store, links } = this.#deps
    const { scope } = turn
    if (theirs.id.length > MAX_THEIR_ID || (theirs.contextId ?? '').length > MAX_THEIR_ID) throw longId(MAX_THEIR_ID)
    const contextId = await links.contextOurs(scope, theirs.contextId || undefined, turn.contextId)
    const taskId = turn.taskId ?? timedId()
    const ids = { downstreamTaskId: theirs.id, downstreamContextId: theirs.contextId || undefined }
    const link = links.fresh({ scope, contextId, taskId, ...ids })
    const ours = await this.#ours(link, theirs)
    const asked = turn.message === undefined ? [] : [{ ...turn.message, taskId: link.taskId, contextId }]
    const history = [...asked, ...(ours.history ?? [])]
    const task: Task = { ...ours, status: stamped(ours.status), ...(history.length === 0 ? {} : { history }) }
    const before = turn.taskId === undefined ? undefined : await links.of(scope, taskId)
    // First, because a task whose link was lost in a crash could never be continued.
    await links.add(link)
    const created = await beginTask(store, scope, task)
    if (created === 'exists') {
      if (before !== undefined) await links.add(before)
      throw new A2AError('InvalidParams', `Task ${taskId} exists already.`)
    }
    if (turn.message !== undefined) this.#joined.add(turn.message)
    return { link, record: created, created }
  }

  async #ours(link: TaskLink, theirs: Task): Promise<Task> {
    const { artifacts, history, ...rest } = theirs
    const ours: Task = { ...rest, id: link.taskId, contextId: link.contextId, status: theirs.status }
    ours.status = await this.#oursStatus(link, theirs.status)
    if (artifacts?.some(({ artifactId }) => artifactId.length > MAX_ID_LENGTH)) throw longId(MAX_ID_LENGTH)
    if (artifacts !== undefined) ours.artifacts = await inOrder(artifacts, (each) => link.files.artifact(each))
    // What callers said is known here as they said it; the agent saw it with its references resolved.
    const said = history?.filter(({ role }) => role !== 'ROLE_USER') ?? []
    if (said.length > 0) ours.history = await inOrder(said, (each) => this.#oursMessage(link, each))
    return ours
  }

  async #oursStatus(link: TaskLink, status: TaskStatus): Promise<TaskStatus> {
    if (status.message === undefined) return status
    return { ...status, message: await this.#oursMessage(link, status.message) }
  }

  async #oursMessage(link: TaskLink, message: Message): Promise<Message> {
    const ours = { ...(await link.files.message(message)) }
    if (ours.taskId !== undefined) ours.taskId = link.taskId
    if (ours.contextId !== undefined) ours.contextId = link.contextId
    return this.#withReferences(link.scope, ours)
  }

  async #withReferences(scope: Scope, message: Message): Promise<Message> {
    const { referenceTaskIds } = message
    if (referenceTaskIds === undefined) return message
    const ours = await inOrder(
      referenceTaskIds,
      async (id) => (await this.#deps.links.ofDownstream(scope, id))?.taskId ?? id,
    )
    return { ...message, referenceTaskIds: ours }
  }

  async #write(
    link: TaskLink,
    plan: (known: TaskRecord) => readonly TaskEvent[],
    guard?: FollowGuard,
  ): Promise<TaskRecord> {
    const { store, bus } = this.#deps
    for (;;) {
      const record = await store.get(link.scope, link.taskId)
      if (record === undefined)
        throw new A2AError('TaskNotFound', 'Task not found', { metadata: { taskId: link.taskId } })
      if (isTerminal(statusIn(record).state)) return record
      const events = plan(record)
      if (events.length === 0) return record
      if (guard !== undefined && !(await guard.holds(record.seq))) throw new TakenOver()
      const bytes = this.#checked(link, record, events)
      const result = await store.append(link.scope, link.taskId, record.seq, events)
      if (!result.ok) continue
      link.bytes += bytes
      guard?.wrote(result.record.seq)
      bus.wake(link.taskId)
      return result.record
    }
  }

  /** The caller's message joins the history once the agent has taken it. */
  #joining(known: TaskRecord, turn: Turn, link: TaskLink): TaskEvent[] {
    const { message } = turn
    if (message === undefined || this.#joined.has(message)) return []
    if (!known.task.history?.some(({ messageId }) => messageId === message.messageId))
      return [{ historyMessage: { ...message, taskId: link.taskId, contextId: link.contextId } }]
    this.#joined.add(message)
    return []
  }

  /** What the events weigh; throws where they are more of a task than we keep, unless they end it. */
  #checked(link: TaskLink, { seq }: TaskRecord, events: readonly TaskEvent[]): number {
    const { taskEvents, taskBytes } = this.#deps.limits
    let bytes = 0
    let count = 0
    for (const event of events) {
      if (eventIdIssue(event) !== undefined) throw longId(MAX_ID_LENGTH)
      if ('statusUpdate' in event && isTerminal(event.statusUpdate.status.state)) continue
      bytes += weightOfEvent(event)
      count++
    }
    if (count > 0 && seq + count > taskEvents)
      throw new A2AError('ResourceExhausted', `The agent sent more than the ${taskEvents} events a task may have.`)
    if (count > 0 && link.bytes + bytes > taskBytes)
      throw new A2AError('ResourceExhausted', `The agent sent more than the ${taskBytes} bytes a task may have.`)
    return bytes
  }
}

/**
 * A task that had come to rest before we heard of it: its last status is an event of its own, so that whoever asks to be
 * told of the end is told, as of any other.
 */
async function beginTask(store: TaskStore, scope: Scope, task: Task): Promise<TaskRecord | 'exists'> {
  const { status, ...rest } = task
  if (!isSettled(status.state)) return store.create(scope, task)
  const begun: Task = { ...rest, status: { state: 'TASK_STATE_SUBMITTED', ...timeOf(status) } }
  const events: TaskEvent[] = [{ statusUpdate: { taskId: task.id, contextId: task.contextId ?? '', status } }]
  if (store.begin !== undefined) {
    const result = await store.begin(scope, begun, events)
    return result !== 'exists' && result.ok ? result.record : 'exists'
  }
  const created = await store.create(scope, begun)
  if (created === 'exists') return created
  const result = await store.append(scope, task.id, created.seq, events)
  return result.ok ? result.record : created
}

function timeOf({ timestamp }: TaskStatus): Pick<TaskStatus, 'timestamp'> {
  return timestamp === undefined ? {} : { timestamp }
}

function longId(most: number): A2AError {
  return new A2AError('InvalidAgentResponse', `The agent chose an id of more than ${most} characters.`)
}

function updateIn(event: TaskUpdate) {
  return 'statusUpdate' in event ? event.statusUpdate : event.artifactUpdate
}

function checkOwn(link: TaskLink, taskId: string, contextId: string | undefined): void {
  if (taskId !== link.downstreamTaskId)
    throw new A2AError('InvalidAgentResponse', 'The agent sent an event of another task.')
  if (contextId && link.downstreamContextId !== undefined && contextId !== link.downstreamContextId)
    throw new A2AError('InvalidAgentResponse', 'The agent moved the task to another context.')
}

function idsOf({ taskId, contextId }: TaskLink): { taskId: string; contextId: string } {
  return { taskId, contextId }
}

/** One after the other: versions are numbered in the order the agent gave the files. */
async function inOrder<T, U>(items: readonly T[], convert: (item: T) => Promise<U>): Promise<U[]> {
  const converted: U[] = []
  for (const item of items) converted.push(await convert(item))
  return converted
}

function describe(error: A2AError): JsonObject {
  const { details, metadata } = error.options
  return {
    kind: error.label,
    message: error.message,
    ...(metadata === undefined ? {} : { metadata }),
    ...(details === undefined ? {} : { details: [...details] }),
  }
}
