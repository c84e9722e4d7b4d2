// Who looks at everything the agent sends, whichever check asked for it: the checks that watch, and the ledger of what
// is known of every task.

import type { BindingId, DialectId } from '../../dialects/dialect.ts'
import { Ledger } from '../probe/ledger.ts'
import { IssueCollector, type Observation } from '../probe/observation.ts'
import type { Said } from '../probe/said.ts'
import type { Sequence } from '../probe/sequence.ts'
import type { Spoiled } from '../probe/spoiled.ts'
import { surfaceName } from '../probe/surface.ts'
import type { Case } from './plan.ts'

export interface ObserverOptions {
  spoiled: Spoiled
  said: Said
  secrets: readonly string[]
  sequence: Sequence
}

export class Observers {
  /** What each watching case has seen, by key. */
  readonly collectors = new Map<string, IssueCollector>()
  readonly #byKind = new Map<string, { item: Case; collector: IssueCollector }[]>()
  readonly #ledgers = new Map<string, Ledger>()
  readonly #options: ObserverOptions

  constructor(cases: readonly Case[], options: ObserverOptions) {
    this.#options = options
    for (const item of cases) {
      const { passive } = item.check
      if (passive === undefined) continue
      const collector = new IssueCollector(passive.inspect, options.spoiled)
      this.collectors.set(item.key, collector)
      for (const kind of passive.of) {
        const key = `${item.generation} ${kind}`
        this.#byKind.set(key, [...(this.#byKind.get(key) ?? []), { item, collector }])
      }
    }
  }

  look(observation: Observation): void {
    const { generation, binding } = observation
    const { said, secrets } = this.#options
    const ledger = binding === undefined ? new Ledger(this.#options.sequence) : this.ledgerOf({ generation, binding })
    const knowledge = { said, secrets, comparison: ledger.look(observation) }
    for (const { item, collector } of this.#byKind.get(`${generation} ${observation.kind}`) ?? []) {
      const isElsewhere = item.binding !== undefined && binding !== undefined && item.binding !== binding
      if (!isElsewhere) collector.look(observation, knowledge)
    }
  }

  ledgerOf(surface: { generation: DialectId; binding: BindingId }): Ledger {
    const name = surfaceName(surface)
    const known = this.#ledgers.get(name)
    if (known !== undefined) return known
    const made = new Ledger(this.#options.sequence)
    this.#ledgers.set(name, made)
    return made
  }
}
