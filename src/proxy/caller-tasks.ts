// What a caller may touch: their own tasks and nothing else. A task of another caller is answered like one that does not
// exist.

import type { Call } from '../bindings/service.ts'
import { A2AError } from '../model/errors.ts'
import type { Scope } from '../model/scope.ts'
import type { TaskRecord, TaskStore } from '../server/store/task-store.ts'
import type { TaskIdLinks, TaskLink } from './task-id-links.ts'

export class CallerTasks {
  readonly #agent: string
  readonly #store: TaskStore
  readonly #links: TaskIdLinks

  constructor(agent: string, store: TaskStore, links: TaskIdLinks) {
    this.#agent = agent
    this.#store = store
    this.#links = links
  }

  scopeOf({ tenant, subject }: Call): Scope {
    return { agent: this.#agent, tenant, subject }
  }

  async require(scope: Scope, id: string): Promise<TaskRecord> {
    const record = await this.#store.get(scope, id)
    if (record === undefined) throw new A2AError('TaskNotFound', 'Task not found', { metadata: { taskId: id } })
    return record
  }

  async has(scope: Scope, id: string): Promise<boolean> {
    return (await this.#store.get(scope, id)) !== undefined
  }

  /** The agent's side of a task that is known to be the caller's. */
  async linkOf(scope: Scope, id: string): Promise<TaskLink> {
    const link = await this.#links.of(scope, id)
    if (link !== undefined) return link
    throw new A2AError('UnsupportedOperation', `Task ${id} is too old to be continued; begin a new one.`)
  }
}
