// What a check stands on. A check may need others (`check:list-includes`): they run before it, and when one of them
// fails, the check is not measured instead of failing under a name that is not broken.

import type { Need, PlacedCheck } from '../checks/check.ts'
import type { Outcome } from './execute.ts'
import type { Case } from './plan.ts'

const PREFIX = 'check:'

/** The ids of the checks it stands on directly. */
export function groundsOf(check: { meta: { needs?: readonly Need[] } }): string[] {
  return (check.meta.needs ?? []).flatMap((need) => (need.startsWith(PREFIX) ? [need.slice(PREFIX.length)] : []))
}

/** The chosen checks and everything they stand on, in the order of `all`. */
export function withGrounds(chosen: readonly PlacedCheck[], all: readonly PlacedCheck[]): PlacedCheck[] {
  const byId = new Map(all.map((check) => [check.id, check]))
  const kept = new Set<string>()
  const keep = (id: string) => {
    const check = byId.get(id)
    if (check === undefined || kept.has(id)) return
    kept.add(id)
    groundsOf(check).forEach(keep)
  }
  for (const { id } of chosen) keep(id)
  return all.filter(({ id }) => kept.has(id))
}

/**
 * Ties every case to the cases it stands on and orders them so that these come first: by stage, a ground never later
 * than what needs it. A case of one surface stands on the same surface; a case of a whole generation on all of its
 * surfaces.
 */
export function orderByGrounds(cases: readonly Case[]): Case[] {
  const byId = Map.groupBy(cases, ({ check }) => check.id)
  const tied = cases.map((item): Case => {
    const grounds = groundsOf(item.check).flatMap((id) => (byId.get(id) ?? []).filter((other) => carries(other, item)))
    return grounds.length === 0 ? item : { ...item, grounds: grounds.map(({ key }) => key) }
  })
  const byKey = new Map(tied.map((item) => [item.key, item]))
  const stages = new Map(tied.map(({ key, stage }) => [key, stage]))
  const ordered = depthFirst(tied, byKey)
  for (const { key, grounds = [] } of ordered.toReversed()) {
    for (const ground of grounds) stages.set(ground, earlier(stages.get(ground), stages.get(key)))
  }
  const isAlone = new Set<string>()
  for (const { key, check, grounds = [] } of ordered) {
    const waits = grounds.some((ground) => isAlone.has(ground) && stages.get(ground) === stages.get(key))
    if (check.meta.alone === true || waits) isAlone.add(key)
  }
  return ordered
    .map((item) => ({ ...item, stage: stages.get(item.key) ?? item.stage, alone: isAlone.has(item.key) }))
    .sort((a, b) => a.stage - b.stage)
}

function carries(ground: Case, item: Case): boolean {
  if (ground.generation !== item.generation || ground === item) return false
  return ground.binding === undefined || item.binding === undefined || ground.binding === item.binding
}

/** Grounds before what stands on them, otherwise as they were. */
function depthFirst(cases: readonly Case[], byKey: ReadonlyMap<string, Case>): Case[] {
  const ordered = new Set<Case>()
  const visited = new Set<Case>()
  const visit = (item: Case | undefined) => {
    if (item === undefined || visited.has(item)) return
    visited.add(item)
    for (const ground of item.grounds ?? []) visit(byKey.get(ground))
    ordered.add(item)
  }
  for (const item of cases) visit(item)
  return [...ordered]
}

function earlier<S extends number>(a: S | undefined, b: S | undefined): S {
  return Math.min(a ?? Number.POSITIVE_INFINITY, b ?? Number.POSITIVE_INFINITY) as S
}

/** How the cases of a run ended, as far as others stand on them. */
export class Grounds {
  readonly #ended = new Map<string, PromiseWithResolvers<void>>()
  /** Keys of failed cases, and of those that stand on a failed one, with the failed one. */
  readonly #brokenBy = new Map<string, string>()
  readonly #watches: ReadonlyMap<string, { readonly issues: readonly unknown[] }>

  /** `watches`: what the checks that only watch have found so far, by key. */
  constructor(watches: ReadonlyMap<string, { readonly issues: readonly unknown[] }> = new Map()) {
    this.#watches = watches
  }

  end(item: Case, outcome: Outcome): void {
    const failed = outcome.finding === undefined ? outcome.blockedBy : item.key
    if (failed !== undefined) this.#brokenBy.set(item.key, failed)
    this.#waiting(item.key).resolve()
  }

  /** Settles when everything the case stands on has run. Checks that watch run all the time. */
  async ready(item: Case): Promise<void> {
    const active = (item.grounds ?? []).filter((key) => !this.#watches.has(key))
    await Promise.all(active.map((key) => this.#waiting(key).promise))
  }

  /** What keeps the case from being measured. */
  blocked(item: Case): Outcome | undefined {
    for (const ground of item.grounds ?? []) {
      const hasIssues = (this.#watches.get(ground)?.issues.length ?? 0) > 0
      const failed = hasIssues ? ground : this.#brokenBy.get(ground)
      if (failed === undefined) continue
      const [id = ground] = ground.split('@')
      const message =
        failed === ground
          ? `needs ${id} (${ground} failed)`
          : `needs ${id} (not measured either, because ${failed} failed)`
      return {
        verdict: 'not-measured',
        message,
        blockedBy: failed,
        notes: [],
        exchanges: [],
        durationMs: 0,
      }
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
