// One fault is told once. A check and a watching check that trip over the same member of the same answer, or two
// watching checks that see the same member wrong in different answers, have found one fault: one of them is the
// finding, the other is not measured.

import type { ObservedIssue, Watch } from '../probe/sighting.ts'
import type { Outcome } from './execute.ts'
import { type Blocked, needs } from './grounds.ts'
import type { Case } from './plan.ts'

export class SameFault {
  readonly #cases: readonly Case[]
  readonly #watches: ReadonlyMap<string, Watch>
  /** Where the failed checks failed, by key. */
  readonly #pointers = new Map<string, string>()

  constructor(cases: readonly Case[], watches: ReadonlyMap<string, Watch>) {
    this.#cases = cases.filter(({ check }) => check.watches !== undefined)
    this.#watches = watches
  }

  /** The watching check that found the fault a check failed on, if there is one. */
  explained(item: Case, { finding }: Outcome): Blocked | undefined {
    if (finding === undefined) return undefined
    const exchange = finding.exchanges?.at(-1)
    if (finding.pointer !== undefined) this.#pointers.set(item.key, finding.pointer)
    if (exchange === undefined) return undefined
    const { groundOf, basic } = item.check.meta
    for (const { key, level } of this.#near(item)) {
      const here = this.#watches.get(key)?.issuesIn(exchange) ?? []
      if (groundOf !== undefined) {
        // Whatever is wrong with an answer that shows that the operation does not work is part of that.
        for (const { kind } of here) if (kind.ops.every((op) => op === groundOf)) kind.explainedBy = item.key
      } else if (basic !== true && level === 'MUST' && finding.pointer !== undefined) {
        const { pointer: place } = finding
        if (here.some(({ pointer }) => isSamePlace(pointer, place))) return { message: needs(key, key), blockedBy: key }
      }
    }
    return undefined
  }

  /** Lets every watching check leave to others the members they have found wrong as well. */
  share(): void {
    for (const item of this.#cases) {
      for (const issue of this.#watches.get(item.key)?.issues ?? []) {
        const cause = (item.yieldsTo ?? []).find((key) => this.#isAbout(key, issue))
        if (cause !== undefined) issue.kind.explainedBy = cause
      }
    }
  }

  #isAbout(key: string, issue: ObservedIssue): boolean {
    const pointer = this.#pointers.get(key)
    const pointers = pointer === undefined ? [] : [pointer]
    pointers.push(...(this.#watches.get(key)?.allIssues ?? []).map((other) => other.pointer))
    return pointers.some((other) => leafOf(other) === leafOf(issue.pointer))
  }

  /** The watching checks of the same surface. */
  #near({ generation, binding }: Case): Case[] {
    return this.#cases.filter(
      (other) =>
        other.generation === generation &&
        (binding === undefined || other.binding === undefined || other.binding === binding),
    )
  }
}

/** One pointer begins with the other; the inside of an error says nothing about the request that failed. */
function isSamePlace(issue: string, finding: string): boolean {
  const [a, b] = [segmentsOf(issue), segmentsOf(finding)]
  if (a[0] === 'error' && a.length > b.length) return false
  return a.slice(0, b.length).join('/') === b.slice(0, a.length).join('/')
}

/** The name of the member, whatever list it is in. */
function leafOf(pointer: string): string {
  return segmentsOf(pointer).findLast((segment) => !/^\d+$/.test(segment)) ?? ''
}

/** context_id and contextId are one member, spelled differently. */
function segmentsOf(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((segment) => segment.replaceAll('_', '').toLowerCase())
}
