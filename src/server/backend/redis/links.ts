// The links of proxies in the Redis of their tasks; any number of proxies share them. Every key begins with the prefix of
// the task store, and holds the caller's scope as a digest:
//
//   link:task:<scope>:<ours>        JSON of both names of a task and its context
//   link:agent:<scope>:<theirs>     our last name of a task of the agent's
//   link:context:<scope>:<ours>     the agent's name of a context
//   link:named:<scope>:<theirs>     our first name of a context of the agent's

import { keyText, nameIn } from '../../../model/key-text.ts'
import type { Scope } from '../../../model/scope.ts'
import type { LinkedIds, LinkStore } from '../../store/link-store.ts'
import { scopeId } from '../../store/scope-id.ts'
import type { Connection } from './connection.ts'
import { RedisFollows } from './follows.ts'

type Kind = 'task' | 'agent' | 'context' | 'named'

export class RedisLinks implements LinkStore {
  readonly follows: RedisFollows
  readonly #connection: Connection
  readonly #leave: () => Promise<void>

  private constructor(connection: Connection, follows: RedisFollows) {
    this.follows = follows
    this.#connection = connection
    this.#leave = connection.enter()
  }

  static async open(connection: Connection, leaseMs?: number): Promise<RedisLinks> {
    return new RedisLinks(connection, await RedisFollows.open(connection, leaseMs))
  }

  async saveTask({ scope, ...ids }: LinkedIds): Promise<void> {
    await this.#connection.use((redis) =>
      redis.mset(
        ...[this.#key('task', scope, ids.taskId), JSON.stringify(ids)],
        ...[this.#key('agent', scope, ids.downstreamTaskId), keyText(ids.taskId)],
      ),
    )
  }

  async task(scope: Scope, taskId: string): Promise<LinkedIds | undefined> {
    const text = await this.#get('task', scope, taskId)
    if (text === undefined) return undefined
    const ids = JSON.parse(text) as Omit<LinkedIds, 'scope' | 'downstreamContextId'> & { downstreamContextId?: string }
    return { ...ids, scope, downstreamContextId: ids.downstreamContextId }
  }

  async taskOfAgent(scope: Scope, theirs: string): Promise<LinkedIds | undefined> {
    const ours = await this.#get('agent', scope, theirs)
    return ours === undefined ? undefined : this.task(scope, nameIn(ours))
  }

  async saveContext(scope: Scope, ours: string, theirs: string): Promise<void> {
    await this.#connection.use((redis) =>
      Promise.all([
        redis.set(this.#key('context', scope, ours), keyText(theirs)),
        redis.setnx(this.#key('named', scope, theirs), keyText(ours)),
      ]),
    )
  }

  async contextOfAgent(scope: Scope, theirs: string): Promise<string | undefined> {
    const ours = await this.#get('named', scope, theirs)
    return ours && nameIn(ours)
  }

  async agentContext(scope: Scope, ours: string): Promise<string | undefined> {
    const theirs = await this.#get('context', scope, ours)
    return theirs && nameIn(theirs)
  }

  async close(): Promise<void> {
    await this.follows.close()
    await this.#leave()
  }

  async #get(kind: Kind, scope: Scope, id: string): Promise<string | undefined> {
    return (await this.#connection.use((redis) => redis.get(this.#key(kind, scope, id)))) ?? undefined
  }

  #key(kind: Kind, scope: Scope, id: string): string {
    return `${this.#connection.prefix}link:${kind}:${scopeId(scope)}:${keyText(id)}`
  }
}
