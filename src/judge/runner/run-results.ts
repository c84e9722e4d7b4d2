// What a run has found so far: the result of each case, and which case an exchange belongs to.

import type { Exchange } from '../../trace/exchange.ts'
import type { AgentFacts } from '../probe/surface.ts'
import type { CertifyOptions } from './certify.ts'
import { resultOf } from './evidence.ts'
import type { Outcome } from './execute.ts'
import type { Case } from './plan.ts'
import type { ConformanceResult } from './result.ts'
import type { RunFrame } from './run-frame.ts'

export class RunResults {
  readonly #facts: AgentFacts
  readonly #frame: RunFrame
  readonly #options: CertifyOptions
  readonly #results = new Map<string, ConformanceResult>()
  readonly #keys = new WeakMap<Exchange, string>()

  constructor(facts: AgentFacts, frame: RunFrame, options: CertifyOptions) {
    this.#facts = facts
    this.#frame = frame
    this.#options = options
  }

  add(item: Case, outcome: Outcome): void {
    if (item.isGroundOnly === true && outcome.finding === undefined) return
    for (const exchange of [outcome.exchanges, ...(outcome.prepared ?? [])].flat()) this.#keys.set(exchange, item.key)
    const { redactor, turns: taken } = this.#frame
    const { strict = false, tls, listener } = this.#options
    const { target, cardExchange } = this.#facts
    const result = resultOf(item, outcome, { target: redactor.url(target), strict, redactor, tls, cardExchange })
    const turns = outcome.exchanges.filter((exchange) => taken.took(exchange)).length
    if (turns > 0) result.turns = turns
    this.#results.set(item.key, result)
    listener?.onResult?.(result)
  }

  inOrderOf(cases: readonly Case[]): ConformanceResult[] {
    return cases.flatMap((item) => this.#results.get(item.key) ?? [])
  }

  /** The case during which it was made. */
  readonly keyOf = (exchange: Exchange | undefined): string | undefined =>
    exchange === undefined ? undefined : this.#keys.get(exchange)
}
