// Who looks at everything the agent sends, whichever check asked for it: the checks that watch, and the ledger of what
// is known of every task.

import type { BindingId, DialectId } from '../../dialects/dialect.ts'
import { Ledger } from '../probe/ledger.ts'
import type { Said } from '../probe/said.ts'
import type { Sequence } from '../probe/sequence.ts'
import { type Sighting, Watch } from '../probe/sighting.ts'
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
  readonly watches = new Map<string, Watch>()
  readonly #bySight = new Map<string, { item: Case; watch: Watch }[]>()
  readonly #ledgers = new Map<string, Ledger>()
  readonly #options: ObserverOptions

  constructor(cases: readonly Case[], options: ObserverOptions) {
    this.#options = options
    for (const item of cases) {
      const { watches } = item.check
      if (watches === undefined) continue
      const watch = new Watch(watches.inspect, options.spoiled)
      this.watches.set(item.key, watch)
      for (const sight of watches.of) {
        const key = `${item.generation} ${sight}`
        this.#bySight.set(key, [...(this.#bySight.get(key) ?? []), { item, watch }])
      }
    }
  }

  look(sighting: Sighting): void {
    const { generation, binding } = sighting
    const { said, secrets } = this.#options
    const ledger = binding === undefined ? new Ledger(this.#options.sequence) : this.ledgerOf({ generation, binding })
    const knowledge = { said, secrets, comparison: ledger.look(sighting) }
    for (const { item, watch } of this.#bySight.get(`${generation} ${sighting.sight}`) ?? []) {
      const isElsewhere = item.binding !== undefined && binding !== undefined && item.binding !== binding
      if (!isElsewhere) watch.look(sighting, knowledge)
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
