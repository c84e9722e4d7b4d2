// Everything an agent says in any check is also looked at for its own sake: against the schema and by the observed
// checks. Issues are kept once per kind, with the first exchange that shows them, however often they repeat.

import type { BindingId, DialectId } from '../../dialects/dialect.ts'
import type { Issue } from '../../model/issue.ts'
import type { JsonValue } from '../../model/json.ts'
import type { Operation } from '../../model/operation.ts'
import type { Exchange } from '../../trace/exchange.ts'
import type { Comparison } from './comparison.ts'
import type { Said } from './said.ts'
import type { Spoiled } from './spoiled.ts'

/** What was seen: the result of an operation, one event of a stream, an error, a card, a webhook body. */
export type ObservationKind =
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
  /** Any answer that is no stream, with its envelope; null when it is not JSON. */
  | 'answer'
  /** The data of any frame of a stream, with its envelope. */
  | 'frame'

/** What the result of an operation is seen as. */
export const KIND_OF: Readonly<Partial<Record<Operation, ObservationKind>>> = {
  sendMessage: 'sendResult',
  getTask: 'task',
  cancelTask: 'task',
  listTasks: 'taskList',
  createPushConfig: 'pushConfig',
  getPushConfig: 'pushConfig',
  listPushConfigs: 'pushConfigList',
  deletePushConfig: 'deletion',
  getExtendedCard: 'extendedCard',
}

export interface Observation {
  readonly kind: ObservationKind
  readonly generation: DialectId
  /** Undefined for the card, which belongs to no binding. */
  readonly binding: BindingId | undefined
  readonly value: JsonValue
  /** Where `value` lies in the body of the exchange. */
  readonly pointer: string
  readonly exchange: Exchange
  /** The operation that brought it; undefined for what came unasked. */
  readonly op?: Operation | undefined
  /** When the request went out, in the sequence of the run; absent for what came unasked. */
  readonly begun?: number
}

/** What the run knows besides the one value. */
export interface Knowledge {
  /** How the value fits what was seen of its tasks before. */
  readonly comparison: Comparison
  /** What callers identify themselves with. */
  readonly secrets: readonly string[]
  /** The messages this run has sent. */
  readonly said: Said
}

/** Something wrong, and what it contradicts. */
export interface FoundIssue extends Issue {
  earlier?: Exchange
  /** Beside the content, which can be read in spite of it: it explains nothing else that is wrong with the answer. */
  isAside?: true
}

export interface ObservedIssue extends FoundIssue {
  exchange: Exchange
  /** How often the same issue was seen. */
  times: number
  readonly kind: IssueKind
}

/** What all observations of one issue share. */
export interface IssueKind {
  /** The operations that brought it. */
  readonly ops: (Operation | undefined)[]
  /** The key of the result that tells the same fault. */
  explainedBy?: string
}

/**
 * Looks at one value; returns what is wrong with it, or undefined when it holds nothing to be judged. Pointers are
 * relative to the value.
 */
export type Inspect = (observation: Observation, knowledge: Knowledge) => readonly FoundIssue[] | undefined

const MAX_ISSUES_KEPT = 50
/** Of one kind of issue; a message can turn out to be our own fault only later, so one is not enough. */
const MAX_PLACES_KEPT = 8

interface Place {
  issue: ObservedIssue
  value: JsonValue
  pointer: string
}

/** What one observed check has seen on one surface. */
export class IssueCollector {
  readonly #inspect: Inspect
  readonly #spoiled: Spoiled
  readonly #places = new Map<string, IssueKind & { times: number; kept: Place[] }>()
  /** Exchanges whose answers are no results. */
  readonly #forgiven = new WeakSet<Exchange>()
  readonly #inExchange = new WeakMap<Exchange, { pointer: string; kind: IssueKind }[]>()
  observations = 0

  constructor(inspect: Inspect, spoiled: Spoiled) {
    this.#inspect = inspect
    this.#spoiled = spoiled
  }

  look(observation: Observation, knowledge: Knowledge): void {
    const issues = this.#inspect(observation, knowledge)
    if (issues === undefined) return
    this.observations++
    for (const issue of issues) {
      // Indexes differ from observation to observation; the kind of fault does not.
      const key = `${observation.kind} ${issue.pointer.replaceAll(/\/\d+/g, '/*')} ${issue.message}`
      if (this.#spoiled.covers(observation.value, issue.pointer)) continue
      const known = this.#places.get(key) ?? { times: 0, kept: [], ops: [] }
      if (known.times === 0 && this.#places.size >= MAX_ISSUES_KEPT) continue
      known.times++
      this.#keep(known.kept, placeOf(issue, observation, known))
      this.#places.set(key, known)
      const { exchange, pointer, op } = observation
      if (!known.ops.includes(op)) known.ops.push(op)
      if (issue.isAside === true) continue
      const here = { pointer: `${pointer}${issue.pointer}`, kind: known }
      this.#inExchange.set(exchange, [...this.issuesIn(exchange), here])
    }
  }

  /** When there are enough, one that the agent answers for comes in the place of one that it does not. */
  #keep(kept: Place[], place: Place): void {
    if (kept.length < MAX_PLACES_KEPT) kept.push(place)
    else if (!this.#isExcused(place))
      kept[
        Math.max(
          kept.findIndex((other) => this.#isExcused(other)),
          0,
        )
      ] = place
  }

  #isExcused({ value, pointer, issue }: Place): boolean {
    return this.#forgiven.has(issue.exchange) || this.#spoiled.excuses(value, pointer)
  }

  /** The answer is none that could be right: another check tells that it came at all. */
  forgive(exchange: Exchange): void {
    this.#forgiven.add(exchange)
  }

  /** What was found in the answer of one exchange, with pointers into it. */
  issuesIn(exchange: Exchange): readonly { pointer: string; kind: IssueKind }[] {
    return this.#inExchange.get(exchange) ?? []
  }

  /** What no other check tells. */
  get issues(): ObservedIssue[] {
    return this.allIssues.filter(({ kind }) => kind.explainedBy === undefined)
  }

  /** One per kind; what belongs to a request we spoiled ourselves is left out, also when that is known only now. */
  get allIssues(): ObservedIssue[] {
    return [...this.#places.values()].flatMap(({ times, kept }) => {
      const fair = kept.find((place) => !this.#isExcused(place))
      return fair === undefined ? [] : [{ ...fair.issue, times }]
    })
  }
}

function placeOf(issue: FoundIssue, { value, pointer, exchange }: Observation, kind: IssueKind): Place {
  const told = { ...issue, pointer: `${pointer}${issue.pointer}`, exchange, times: 1, kind }
  return { issue: told, value, pointer: issue.pointer }
}
