// What every task of a transaction adds to, written once at its end: how many tasks a scope has had, and the tallies. Between
// the first write of a transaction and its commit nobody reads them from the database.

import type { Scope } from '../../../model/scope.ts'
import type { TallyChange } from '../../store/tally.ts'
import type { SqliteFile } from './database.ts'
import { namesOf } from './names.ts'

interface ScopeCount {
  created: number
}

interface TallySum {
  readonly scope: number
  readonly change: TallyChange
  by: number
}

export class TransactionSums {
  readonly #file: SqliteFile
  readonly #scopes = new Map<number, ScopeCount>()
  readonly #tallies = new Map<string, TallySum>()

  constructor(file: SqliteFile) {
    this.#file = file
  }

  /** The number of a scope, which is made when it is new. */
  scopeNumber(scope: Scope): number {
    const row = this.#file
      .statement(
        `INSERT INTO scopes (agent, tenant, subject, created) VALUES (?, ?, ?, 0)
         ON CONFLICT DO UPDATE SET created = created RETURNING key`,
      )
      .get(...namesOf(scope))
    return Number(row?.key)
  }

  /** The place of one more task among those of its scope. */
  nextOrder(scope: number): number {
    let count = this.#scopes.get(scope)
    if (count === undefined) {
      const row = this.#file.statement('SELECT created FROM scopes WHERE key = ?').get(scope)
      count = { created: Number(row?.created) }
      this.#scopes.set(scope, count)
    }
    return ++count.created
  }

  tally(scope: number, changes: readonly TallyChange[]): void {
    for (const change of changes) {
      const key = `${scope} ${change.width} ${change.span} ${change.state}`
      const sum = this.#tallies.get(key)
      if (sum === undefined) this.#tallies.set(key, { scope, change, by: change.by })
      else sum.by += change.by
    }
  }

  write(): void {
    for (const [scope, { created }] of this.#scopes)
      this.#file.statement('UPDATE scopes SET created = ? WHERE key = ?').run(created, scope)
    for (const { scope, change, by } of this.#tallies.values())
      this.#file
        .statement(
          `INSERT INTO tallies (scope, width, span, state, tasks) VALUES (?, ?, ?, ?, ?)
           ON CONFLICT DO UPDATE SET tasks = tasks + excluded.tasks`,
        )
        .run(scope, change.width, change.span, change.state, by)
    this.forget()
  }

  /** Nothing of the transaction counts. */
  forget(): void {
    this.#scopes.clear()
    this.#tallies.clear()
  }
}
