// What a check stands on. A check may need others (`check:list-by-context`): they run before it, and when one of them
// fails, the check is not measured instead of failing under a name that is not broken. Every call of an operation
// stands on the check that the operation works at all.

import type { CheckMeta, PlacedCheck } from '../checks/check.ts'
import type { Ground } from '../probe/run-context.ts'
import type { Surface } from '../probe/surface.ts'
import type { Outcome } from './execute.ts'
import type { Case } from './plan.ts'

const PREFIX = 'check:'
/** Grounds of operations run after the card and before everything that calls the operation. */
const GROUND_PHASE = 1.5
/** Whoever tells an error for others has ended before they begin. */
const TELLING_PHASE = 1.7

/** The ids of the checks it stands on directly. */
export function groundsOf(check: { meta: Pick<CheckMeta, 'needs'> }): string[] {
  return (check.meta.needs ?? []).flatMap((need) => (need.startsWith(PREFIX) ? [need.slice(PREFIX.length)] : []))
}

/** Everything that runs before it because of it. */
export function earlierThan(check: { meta: Pick<CheckMeta, 'needs' | 'yieldsTo'> }): string[] {
  return [...groundsOf(check), ...(check.meta.yieldsTo ?? [])]
}

/** The chosen checks and everything they stand on, in the order of `all`. */
export function withGrounds(chosen: readonly PlacedCheck[], all: readonly PlacedCheck[]): PlacedCheck[] {
  const byId = new Map(all.map((check) => [check.id, check]))
  const kept = new Set<string>()
  const keep = (id: string) => {
    const check = byId.get(id)
    if (check === undefined || kept.has(id)) return
    kept.add(id)
    earlierThan(check).forEach(keep)
  }
  for (const { id } of chosen) keep(id)
  return all.filter(({ id }) => kept.has(id))
}

/**
 * Ties every case to the cases it stands on and orders them so that these come first: by phase, a ground never later
 * than what needs it. A case of one surface stands on the same surface; a case of a whole generation on all of its
 * surfaces.
 */
export function orderByGrounds(cases: readonly Case[]): Case[] {
  const byId = Map.groupBy(cases, ({ check }) => check.id)
  const tied = cases.map((item): Case => {
    const keysOf = (ids: readonly string[]) =>
      ids.flatMap((id) => (byId.get(id) ?? []).filter((other) => carries(other, item)).map(({ key }) => key))
    return { ...item, grounds: keysOf(groundsOf(item.check)), yieldsTo: keysOf(item.check.meta.yieldsTo ?? []) }
  })
  const byKey = new Map(tied.map((item) => [item.key, item]))
  const phases = new Map(tied.map(({ key, check }) => [key, phaseOf(check)]))
  const ordered = depthFirst(tied, byKey)
  for (const item of ordered.toReversed()) {
    for (const ground of earlierCases(item))
      if (!isSeenAnyway(item, byKey.get(ground))) phases.set(ground, earlier(phases.get(ground), phases.get(item.key)))
  }
  const isExclusive = new Set<string>()
  for (const item of ordered) {
    const { key, check } = item
    const waits = earlierCases(item).some((ground) => isExclusive.has(ground) && phases.get(ground) === phases.get(key))
    if (check.meta.exclusive === true || waits) isExclusive.add(key)
  }
  return ordered
    .map((item) => ({ ...item, phase: phases.get(item.key) ?? item.phase, exclusive: isExclusive.has(item.key) }))
    .sort((a, b) => a.phase - b.phase)
}

function phaseOf(check: PlacedCheck): number {
  const { groundOf, tells } = check.meta
  const latest = groundOf !== undefined ? GROUND_PHASE : tells === true ? TELLING_PHASE : check.phase
  return Math.min(check.phase, latest)
}

/** What a check that watches has found is known all the time; what it does besides keeps its place in the run. */
function isSeenAnyway({ grounds = [] }: Case, other: Case | undefined): boolean {
  return other?.check.passive !== undefined && !grounds.includes(other.key)
}

/** The keys of the cases that run before it. */
export function earlierCases({ grounds = [], yieldsTo = [] }: Case): readonly string[] {
  return [...grounds, ...yieldsTo]
}

function carries(ground: Case, item: Case): boolean {
  if (ground.generation !== item.generation || ground === item) return false
  if (item.check.meta.across === true) return true
  return ground.binding === undefined || item.binding === undefined || ground.binding === item.binding
}

/** Grounds before what stands on them, otherwise as they were. */
function depthFirst(cases: readonly Case[], byKey: ReadonlyMap<string, Case>): Case[] {
  const ordered = new Set<Case>()
  const visited = new Set<Case>()
  const visit = (item: Case | undefined) => {
    if (item === undefined || visited.has(item)) return
    visited.add(item)
    for (const ground of earlierCases(item)) visit(byKey.get(ground))
    ordered.add(item)
  }
  for (const item of cases) visit(item)
  return [...ordered]
}

function earlier(a = Number.POSITIVE_INFINITY, b = Number.POSITIVE_INFINITY): number {
  return Math.min(a, b)
}

/** What keeps a check from being measured. */
export interface Blocked {
  message: string
  /** The key of the failed result. */
  blockedBy: string
}

/** How the cases of a run ended, as far as others stand on them. */
export class Grounds {
  readonly #ended = new Map<string, PromiseWithResolvers<void>>()
  /** Keys of failed cases, and of those that stand on a failed one, with the failed one. */
  readonly #brokenBy = new Map<string, string>()
  /** The cases that show whether something works at all. */
  readonly #shows: Map<Ground | undefined, Case[]>
  readonly #collectors: ReadonlyMap<string, { readonly issues: readonly unknown[] }>
  readonly #byKey: ReadonlyMap<string, Case>

  /** `collectors`: what the checks that watch have found so far, by key. */
  constructor(
    cases: readonly Case[] = [],
    collectors: ReadonlyMap<string, { readonly issues: readonly unknown[] }> = new Map(),
  ) {
    this.#shows = Map.groupBy(cases, ({ check }) => check.meta.groundOf)
    this.#collectors = collectors
    this.#byKey = new Map(cases.map((item) => [item.key, item]))
  }

  end(item: Case, outcome: Outcome): void {
    const failed = outcome.finding === undefined ? outcome.blockedBy : item.key
    if (failed !== undefined) this.#brokenBy.set(item.key, failed)
    this.#waiting(item.key).resolve()
  }

  /** Settles when everything the case stands on has run. Checks that watch run all the time. */
  async ready(item: Case): Promise<void> {
    const active = earlierCases(item).filter((key) => {
      const other = this.#byKey.get(key)
      const isLater = other !== undefined && other.phase > item.phase && isSeenAnyway(item, other)
      return other?.check.body !== undefined && !isLater
    })
    await Promise.all(active.map((key) => this.#waiting(key).promise))
  }

  /** What keeps the case from being measured. */
  blocked(item: Case): Blocked | undefined {
    return this.#firstBroken(item.grounds ?? [])
  }

  /** What explains that the case failed. */
  explained(item: Case): Blocked | undefined {
    return this.#firstBroken(earlierCases(item))
  }

  /** What keeps an operation or a preparation from being used. */
  broken(surface: Surface, ground: Ground): Blocked | undefined {
    const own = (this.#shows.get(ground) ?? []).filter((item) => item.surface === surface)
    return this.#firstBroken(own.map(({ key }) => key))
  }

  #firstBroken(keys: readonly string[]): Blocked | undefined {
    for (const key of keys) {
      const hasIssues = (this.#collectors.get(key)?.issues.length ?? 0) > 0
      const failed = hasIssues ? key : this.#brokenBy.get(key)
      if (failed !== undefined) return { message: needs(key, failed), blockedBy: failed }
    }
    return undefined
  }

  #waiting(key: string): PromiseWithResolvers<void> {
    const known = this.#ended.get(key)
    if (known !== undefined) return known
    const made = Promise.withResolvers<void>()
    this.#ended.set(key, made)
    return made
  }
}

/** How a check says that it was not measured because another failed. */
export function needs(key: string, failed: string): string {
  const [id = key] = key.split('@')
  return failed === key ? `needs ${id} (${key} failed)` : `needs ${id} (not measured either, because ${failed} failed)`
}
