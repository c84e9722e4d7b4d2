// A caller's message on its way to the agent: its ids become the agent's, references become bytes. Whatever is wrong with
// it is said before anything is sent.

import type { Call } from '../bindings/service.ts'
import { dialectById } from '../dialects/index.ts'
import { A2AError } from '../model/errors.ts'
import type { SendMessageRequest } from '../model/operation.ts'
import type { Scope } from '../model/scope.ts'
import type { Message } from '../model/task.ts'
import type { CallerTasks } from './caller-tasks.ts'
import type { Turn } from './mirror-writer.ts'
import type { ProxyDeps } from './proxy-deps.ts'
import { resolveReferences } from './resolve-references.ts'
import type { TaskIdLinks, TaskLink } from './task-id-links.ts'

/** A message ready to be forwarded, and what it is about on this side. */
export interface Outgoing {
  readonly turn: Turn
  /** The task it continues. */
  readonly link: TaskLink | undefined
  readonly request: SendMessageRequest
}

type Deps = Pick<ProxyDeps, 'artifacts' | 'app' | 'downstream'>

export class OutgoingMessages {
  readonly #deps: Deps
  readonly #tasks: CallerTasks
  readonly #links: TaskIdLinks

  constructor(deps: Deps, tasks: CallerTasks, links: TaskIdLinks) {
    this.#deps = deps
    this.#tasks = tasks
    this.#links = links
  }

  async prepare(given: SendMessageRequest, call: Call): Promise<Outgoing> {
    const { message, clientTaskId, configuration: _adapted, ...rest } = given
    const scope = this.#tasks.scopeOf(call)
    const link = await this.#continued(scope, message, clientTaskId)
    const forwarded = await this.#forwarded(scope, message, link)
    const configuration = await this.#configuration(given, call)
    const turn: Turn = {
      ...{ scope, message },
      contextId: link?.contextId ?? (message.contextId || undefined),
      ...(clientTaskId === undefined ? {} : { taskId: clientTaskId }),
    }
    const request = { ...rest, message: forwarded, ...(configuration === undefined ? {} : { configuration }) }
    return { turn, link, request }
  }

  async #continued(scope: Scope, message: Message, name: string | undefined): Promise<TaskLink | undefined> {
    const id = name ?? message.taskId
    if (!id) return undefined
    if (name !== undefined && !(await this.#tasks.has(scope, name))) return undefined
    const { task } = await this.#tasks.require(scope, id)
    if (message.contextId && message.contextId !== task.contextId)
      throw new A2AError('InvalidParams', `Task ${id} belongs to another context than ${message.contextId}.`, {
        issues: [{ pointer: '/message/contextId', message: 'must be the contextId of the task' }],
      })
    return this.#tasks.linkOf(scope, id)
  }

  async #forwarded(scope: Scope, message: Message, link: TaskLink | undefined): Promise<Message> {
    const { taskId: _task, contextId, referenceTaskIds, ...rest } = message
    const { artifacts, app } = this.#deps
    const owner = { app, user: scope.subject }
    const parts = artifacts === undefined ? message.parts : await resolveReferences(message.parts, artifacts, owner)
    const forwarded: Message = { ...rest, parts }
    if (link !== undefined) forwarded.taskId = link.downstreamTaskId
    const context = link?.downstreamContextId ?? (contextId && (await this.#links.contextDownstream(scope, contextId)))
    if (context) forwarded.contextId = context
    if (referenceTaskIds !== undefined)
      forwarded.referenceTaskIds = await Promise.all(
        referenceTaskIds.map((id, index) => this.#referenced(scope, id, index)),
      )
    return forwarded
  }

  async #referenced(scope: Scope, id: string, index: number): Promise<string> {
    const link = await this.#links.of(scope, id)
    if (link !== undefined) return link.downstreamTaskId
    throw new A2AError('InvalidParams', `The message refers to task ${id}, which this caller does not have.`, {
      issues: [{ pointer: `/message/referenceTaskIds/${index}`, message: 'must be a task of the caller' }],
    })
  }

  /**
   * History is cut and webhooks are served on this side, where all of it is known. What an absent `returnImmediately`
   * means differs between generations, so it is spelled out where they do.
   */
  async #configuration(given: SendMessageRequest, { dialect }: Call): Promise<SendMessageRequest['configuration']> {
    const { historyLength: _history, taskPushNotificationConfig: _push, ...rest } = given.configuration ?? {}
    const theirs = dialectById(await this.#deps.downstream.generationFor(dialect.id))
    const isAmbiguous = rest.returnImmediately === undefined && theirs.waitsByDefault !== dialect.waitsByDefault
    const configuration = isAmbiguous ? { ...rest, returnImmediately: !dialect.waitsByDefault } : rest
    return Object.keys(configuration).length === 0 ? undefined : configuration
  }
}
