// Makes statements over arrays of the writes that are ready: tasks that begin, and events that are appended. Scopes are
// written before their first task and stay, so a process asks for each of them once.

import { keyText } from '../../../model/key-text.ts'
import type { Scope } from '../../../model/scope.ts'
import type { Task } from '../../../model/task.ts'
import type { FirstWrite } from '../../store/first-write.ts'
import { scopeId } from '../../store/scope-id.ts'
import { isTallied, type StatusKey } from '../../store/tally.ts'
import type { Seq } from '../../store/task-store.ts'
import type { Database } from './database.ts'
import { APPEND, APPEND_AND_TALLY, BEGIN, KNOW_SCOPES, TASK_END, TEXT_END } from './statements.ts'
import { type Write, WriteBatches } from './write-batches.ts'

const MOST_SCOPES = 10_000

export interface Beginning extends Write {
  readonly scope: Scope
  readonly begun: Task
  readonly first: FirstWrite
  readonly order: number
}

export interface Appending extends Write {
  readonly scope: string
  readonly id: string
  readonly expected: Seq
  readonly was: StatusKey
  readonly is: StatusKey
  readonly bodies: readonly string[]
  readonly tailSize: number
  /** Where it is due. */
  readonly snapshot: string | undefined
}

export class TaskWrites {
  readonly #db: Database
  readonly #replica: string
  readonly #now: () => number
  readonly #knownScopes = new Set<string>()
  readonly begins = new WriteBatches<Beginning>((writes) => this.#begin(writes))
  readonly appends = new WriteBatches<Appending>((writes) => this.#append(writes))

  constructor(db: Database, replica: string, now: () => number) {
    this.#db = db
    this.#replica = replica
    this.#now = now
  }

  async #begin(writes: readonly Beginning[]): Promise<ReadonlySet<number>> {
    await this.#knowScopes(writes)
    const rows = await this.#db.runOnce<{ place: number }>(BEGIN, [
      writes.map(({ begun }) => keyText(begun.id)),
      writes.map(({ scope }) => scopeId(scope)),
      writes.map(({ begun }) => (begun.contextId === undefined ? null : keyText(begun.contextId))),
      writes.map(({ first }) => first.status.state),
      writes.map(({ first }) => first.status.statusMs),
      writes.map(({ order }) => order),
      writes.map(({ first }) => first.bodies.length),
      writes.map(({ first }) => (first.isWhole ? first.bodies.length : 0)),
      writes.map(({ first }) => first.snapshot.length),
      writes.map(({ first }) => first.tailSize),
      writes.map(({ first }) => first.snapshot).join(TEXT_END),
      writes.map(({ first }) => first.bodies.join(TEXT_END)).join(TASK_END),
      ...[this.#replica, this.#now()],
    ])
    return new Set(rows.map(({ place }) => place))
  }

  async #append(writes: readonly Appending[]): Promise<ReadonlySet<number>> {
    const now = this.#now()
    const isRest = writes.some(({ was, is }) => isTallied(was.state) || isTallied(is.state))
    const rows = await this.#db.runOnce<{ place: number }>(isRest ? APPEND_AND_TALLY : APPEND, [
      writes.map(({ id }) => keyText(id)),
      writes.map(({ scope }) => scope),
      writes.map(({ expected }) => expected),
      writes.map(({ is }) => is.state),
      writes.map(({ is }) => is.statusMs),
      writes.map(({ was, is }) => (was.state === is.state && was.statusMs === is.statusMs ? null : now)),
      writes.map(({ expected, bodies }) => expected + bodies.length),
      writes.map(({ tailSize }) => tailSize),
      writes.map(({ snapshot }) => snapshot?.length ?? null),
      writes.map(({ snapshot }) => snapshot ?? '').join(TEXT_END),
      writes.map(({ bodies }) => bodies.join(TEXT_END)).join(TASK_END),
      this.#replica,
      writes.map(({ was }) => was.state),
      writes.map(({ was }) => was.statusMs),
    ])
    return new Set(rows.map(({ place }) => place))
  }

  async #knowScopes(writes: readonly Beginning[]): Promise<void> {
    const unknown = new Map<string, Scope>()
    for (const { scope } of writes) if (!this.#knownScopes.has(scopeId(scope))) unknown.set(scopeId(scope), scope)
    if (unknown.size === 0) return
    const scopes = [...unknown.values()]
    await this.#db.runOnce(KNOW_SCOPES, [
      [...unknown.keys()],
      scopes.map(({ agent }) => agent),
      scopes.map(({ tenant }) => keyText(tenant)),
      scopes.map(({ subject }) => keyText(subject)),
    ])
    if (this.#knownScopes.size >= MOST_SCOPES) this.#knownScopes.clear()
    for (const id of unknown.keys()) this.#knownScopes.add(id)
  }
}
