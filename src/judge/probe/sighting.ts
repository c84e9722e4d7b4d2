// Everything an agent says in any check is also looked at for its own sake: against the schema and by the observed
// checks. Issues are kept once per kind, with the first exchange that shows them, however often they repeat.

import type { BindingId, DialectId } from '../../dialects/dialect.ts'
import type { Issue } from '../../model/issue.ts'
import type { JsonValue } from '../../model/json.ts'
import type { Exchange } from '../../trace/exchange.ts'

/** What was seen: the result of an operation, one event of a stream, an error, a card, a webhook body. */
export type Sight =
  | 'sendResult'
  | 'task'
  | 'taskList'
  | 'event'
  | 'pushConfig'
  | 'pushConfigList'
  | 'deletion'
  | 'card'
  | 'extendedCard'
  | 'error'
  | 'notification'

export interface Sighting {
  readonly sight: Sight
  readonly generation: DialectId
  /** Undefined for the card, which belongs to no binding. */
  readonly binding: BindingId | undefined
  readonly value: JsonValue
  /** Where `value` lies in the body of the exchange. */
  readonly pointer: string
  readonly exchange: Exchange
}

export interface ObservedIssue extends Issue {
  exchange: Exchange
  /** How often the same issue was seen. */
  times: number
}

/** Looks at one value; returns what is wrong with it. Pointers are relative to the value. */
export type Inspect = (sighting: Sighting) => readonly Issue[]

const MAX_ISSUES_KEPT = 50

/** What one observed check has seen on one surface. */
export class Watch {
  readonly #inspect: Inspect
  readonly #issues = new Map<string, ObservedIssue>()
  sightings = 0

  constructor(inspect: Inspect) {
    this.#inspect = inspect
  }

  look(sighting: Sighting): void {
    const issues = this.#inspect(sighting)
    this.sightings++
    for (const issue of issues) {
      // Indexes differ from sighting to sighting; the kind of fault does not.
      const key = `${sighting.sight} ${issue.pointer.replaceAll(/\/\d+/g, '/*')} ${issue.message}`
      const known = this.#issues.get(key)
      if (known !== undefined) known.times++
      else if (this.#issues.size < MAX_ISSUES_KEPT) {
        this.#issues.set(key, {
          pointer: `${sighting.pointer}${issue.pointer}`,
          message: issue.message,
          exchange: sighting.exchange,
          times: 1,
        })
      }
    }
  }

  get issues(): ObservedIssue[] {
    return [...this.#issues.values()]
  }
}
