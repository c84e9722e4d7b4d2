// What the mock received and answered, in order: every request, also card fetches and refused ones, with headers, times
// and stream frames. Tests ask it what happened, wait for what is to happen, and verify what should have.

import { grpcStatusName } from '../dialects/errors/error-table.ts'
import { EXIT, ParleyError } from '../model/errors.ts'
import type { JsonValue } from '../model/json.ts'
import type { Operation } from '../model/operation.ts'
import type { RecordedFrame } from '../trace/exchange.ts'
import type { FaultName } from './faults/catalogue.ts'
import type { NearestRule } from './interpreter/match-rule.ts'

/** A request the mock received, and what it answered. */
export interface JournalEntry {
  /** 1 for the first request. */
  readonly number: number
  /** ISO 8601, UTC. */
  readonly receivedAt: string
  /** Of HTTP: `POST`. */
  readonly method: string
  /** Path and query as they came. */
  readonly url: string
  /** Names as received, in order. */
  readonly requestHeaders: readonly (readonly [string, string])[]
  /** As received. */
  readonly requestBody: Buffer
  /** The body as JSON; undefined when it is none. */
  readonly requestJson: JsonValue | undefined
  /** Undefined for what no generation knows. */
  readonly operation: Operation | undefined
  /** The rule or test case that answered. */
  readonly rule: string | undefined
  /** The turn of the rule that was played, counted from 0. */
  readonly turn: number | undefined
  /** The task it was about, or began. */
  readonly taskId: string | undefined
  /** The conversation it was about, or began. */
  readonly contextId: string | undefined
  /** Set when the script had no answer: the reason, and the rule that came nearest. */
  readonly unmatched:
    | {
        /** The reason, in one sentence. */
        readonly message: string
        /** The rule that came nearest; undefined when the script has none. */
        readonly nearest: NearestRule | undefined
      }
    | undefined
  /** What went wrong on purpose. */
  readonly fault: FaultName | undefined
  /** Status code of HTTP; undefined when no answer was sent. */
  readonly status: number | undefined
  /** How a call of gRPC ended: google.rpc.Code. */
  readonly grpcStatus?: number | undefined
  /** Names as sent, in order. */
  readonly responseHeaders: readonly (readonly [string, string])[]
  /** As sent; of a stream, all its events. */
  readonly responseBody: Buffer
  /** Of a call of gRPC. */
  readonly responseTrailers?: readonly (readonly [string, string])[]
  /** Server-sent events, or messages of gRPC, in order. */
  readonly frames: readonly RecordedFrame[]
  /** 'open' until the answer ended or the connection was lost. */
  readonly outcome: 'open' | 'answered' | 'cut'
  /** Milliseconds until the answer ended; undefined until then. */
  readonly durationMs: number | undefined
}

/** Which entries of the journal to show. */
export interface EntryFilter {
  /** Only requests for this operation. */
  readonly operation?: Operation
  /** Only requests this rule answered. */
  readonly rule?: string
  /** Only requests about this task. */
  readonly taskId?: string
}

/** How often a rule should have been played. */
export interface Expectation {
  /** Exactly so often, or within bounds; at least once when absent. */
  readonly times?:
    | number
    | {
        /**
         * At least so often.
         * @default 0
         */
        readonly min?: number
        /** At most so often. */
        readonly max?: number
      }
  /** Rules that must have been played before the first time this one was, in this order. */
  readonly after?: readonly string[]
}

/** What is kept has to be gone through by the garbage collector again and again: more would be felt. */
const MAX_ENTRIES = 1_000
/** Entries are let go a block at a time: taking them from the front of a long list moves all the others. */
const BLOCK = 100

type Watcher = (entry: JournalEntry) => void

export class Journal {
  /** Oldest first; only the last one grows. */
  readonly #blocks: JournalEntry[][] = []
  readonly #watchers = new Set<Watcher>()
  #count = 0
  #dropped = 0
  /** How often each rule was played, entries let go included. */
  readonly #plays = new Map<string, number>()
  /** What was still under way when everything was forgotten does not count. */
  #forgottenUpTo = 0

  readonly #onFinished: Watcher | undefined

  /** `onFinished` is told of every request once it is over. */
  constructor(onFinished?: Watcher) {
    this.#onFinished = onFinished
  }

  get entries(): readonly JournalEntry[] {
    return this.#blocks.flat()
  }

  /** How many of the oldest entries were let go, because there were too many. */
  get dropped(): number {
    return this.#dropped
  }

  nextNumber(): number {
    return ++this.#count
  }

  add(entry: JournalEntry): void {
    const last = this.#blocks.at(-1)
    if (last === undefined || last.length === BLOCK) this.#begin(entry)
    else last.push(entry)
    if (entry.rule !== undefined) this.chosen(entry)
    else this.changed(entry)
  }

  #begin(entry: JournalEntry): void {
    this.#blocks.push([entry])
    if (this.#blocks.length > MAX_ENTRIES / BLOCK) this.#dropped += this.#blocks.shift()?.length ?? 0
  }

  /** The entry knows now which rule answers it, and with which turn. */
  chosen(entry: JournalEntry): void {
    const { rule, turn, number } = entry
    if (rule !== undefined && turn === 0 && number > this.#forgottenUpTo)
      this.#plays.set(rule, (this.#plays.get(rule) ?? 0) + 1)
    this.changed(entry)
  }

  /** Tells those who wait that more is known about an entry. */
  changed(entry: JournalEntry): void {
    if (this.#watchers.size > 0) for (const watcher of [...this.#watchers]) watcher(entry)
  }

  finished(entry: JournalEntry): void {
    this.changed(entry)
    this.#onFinished?.(entry)
  }

  find(filter: EntryFilter): readonly JournalEntry[] {
    return this.entries.filter(
      (entry) =>
        (filter.operation === undefined || entry.operation === filter.operation) &&
        (filter.rule === undefined || entry.rule === filter.rule) &&
        (filter.taskId === undefined || entry.taskId === filter.taskId),
    )
  }

  cancels(): readonly JournalEntry[] {
    return this.find({ operation: 'cancelTask' })
  }

  unmatched(): readonly JournalEntry[] {
    return this.entries.filter((entry) => entry.unmatched !== undefined)
  }

  /** Resolves with the first entry, past or future, for which the predicate holds. */
  waitFor(predicate: (entry: JournalEntry) => boolean, timeoutMs = 5_000): Promise<JournalEntry> {
    const known = this.entries.find(predicate)
    if (known !== undefined) return Promise.resolve(known)
    return new Promise((resolve, reject) => {
      const stop = (): void => {
        clearTimeout(timer)
        this.#watchers.delete(watcher)
      }
      const watcher: Watcher = (entry) => {
        try {
          if (!predicate(entry)) return
          resolve(entry)
        } catch (error) {
          // The test's own bug: it is told, not the request that happens to be answered.
          reject(error)
        }
        stop()
      }
      const timer = setTimeout(() => {
        stop()
        const seen = this.entries.slice(-5).map(describeEntry).join('; ') || 'nothing'
        const message = `Nothing the mock received within ${timeoutMs} ms was what the test waits for; it received ${seen}.`
        reject(new ParleyError('wait-timeout', message, { exitCode: EXIT.timeout }))
      }, timeoutMs)
      this.#watchers.add(watcher)
    })
  }

  /** What is wrong with how a rule was played; empty when all is as expected. */
  verify(rule: string, expectation: Expectation = {}): string[] {
    const played = this.#plays.get(rule) ?? 0
    const { times = { min: 1 }, after = [] } = expectation
    const { min = 0, max = Number.POSITIVE_INFINITY } = typeof times === 'number' ? { min: times, max: times } : times
    const problems: string[] = []
    if (played < min || played > max)
      problems.push(
        `rule '${rule}' matched ${played} time${played === 1 ? '' : 's'}; expected ${describeRange(min, max)}`,
      )
    let previous: JournalEntry | undefined
    for (const name of after.length === 0 ? [] : [...after, rule]) {
      const earliest = previous?.number ?? 0
      const next = this.entries.find((entry) => entry.rule === name && entry.number > earliest)
      if (next === undefined) {
        problems.push(`rule '${name}' did not match${previous === undefined ? '' : ` after '${previous.rule}'`}`)
        break
      }
      previous = next
    }
    return problems
  }

  clear(): void {
    this.#blocks.length = 0
    this.#dropped = 0
    this.#plays.clear()
    this.#forgottenUpTo = this.#count
  }
}

export function describeEntry(entry: JournalEntry): string {
  const what = entry.operation ?? `${entry.method} ${entry.url}`
  const answer = entry.outcome === 'open' ? 'still open' : (grpcName(entry.grpcStatus) ?? entry.status ?? 'cut')
  return `#${entry.number} ${what}${entry.rule === undefined ? '' : ` (rule '${entry.rule}', turn ${entry.turn})`} → ${answer}`
}

function describeRange(min: number, max: number): string {
  if (min === max) return String(min)
  return max === Number.POSITIVE_INFINITY ? `at least ${min}` : `${min} to ${max}`
}

function grpcName(code: number | undefined): string | undefined {
  return code === undefined ? undefined : `gRPC ${grpcStatusName(code)}`
}
