// One fault is told once. Checks that meet the same symptom, a check and a watching check that trip over the same member,
// or two watching checks that see the same member wrong in different answers, have found one fault: one of them is the
// finding, the others are not measured.

import { BINDING_IDS } from '../../dialects/dialect.ts'
import type { IssueCollector, ObservedIssue } from '../probe/observation.ts'
import type { Outcome } from './execute.ts'
import { type Blocked, needs } from './grounds.ts'
import type { Case } from './plan.ts'
import type { Verdict } from './result.ts'

/** What a milder verdict tells does not explain a graver one. */
const GRAVITY: Readonly<Partial<Record<Verdict, number>>> = { info: 1, 'spec-conflict': 1, warn: 2, fail: 3 }

interface Told {
  readonly key: string
  readonly gravity: number
}

export class SameFault {
  readonly #cases: readonly Case[]
  readonly #collectors: ReadonlyMap<string, IssueCollector>
  /** Where the failed checks failed, by key. */
  readonly #pointers = new Map<string, string>()
  /** Who tells a symptom, by surface. */
  readonly #told = new Map<string, Told>()

  constructor(cases: readonly Case[], collectors: ReadonlyMap<string, IssueCollector>) {
    this.#cases = cases.filter(({ check }) => check.passive !== undefined)
    this.#collectors = collectors
  }

  /** The check that tells the fault a check failed on, if there is one. */
  explained(item: Case, outcome: Outcome): Blocked | undefined {
    const { finding } = outcome
    if (finding?.pointer !== undefined) this.#pointers.set(item.key, finding.pointer)
    const exchange = finding?.exchanges?.at(-1)
    if (finding?.isUnrefused === true && exchange !== undefined)
      for (const collector of this.#collectors.values()) collector.forgive(exchange)
    return this.#bySymptom(item, outcome) ?? this.#byMember(item, outcome)
  }

  /** Keeps what a check has told, for others that meet the same; `explained` is who tells it instead. */
  tell(item: Case, { verdict, symptoms = [] }: Outcome, explained: Blocked | undefined): void {
    if (item.check.meta.tells !== true) return
    const told = { key: explained?.blockedBy ?? item.key, gravity: GRAVITY[verdict] ?? 0 }
    for (const symptom of symptoms) {
      const place = placeOf(item, symptom)
      if ((this.#told.get(place)?.gravity ?? 0) < told.gravity) this.#told.set(place, told)
    }
  }

  #bySymptom(item: Case, { verdict, symptoms = [] }: Outcome): Blocked | undefined {
    const places = symptoms.flatMap((symptom) =>
      item.check.meta.across === true
        ? BINDING_IDS.map((binding) => placeOf({ ...item, binding }, symptom))
        : [placeOf(item, symptom)],
    )
    for (const place of places) {
      const told = this.#told.get(place)
      if (told !== undefined && told.gravity >= (GRAVITY[verdict] ?? 0))
        return { message: needs(told.key, told.key), blockedBy: told.key }
    }
    return undefined
  }

  #byMember(item: Case, { finding, exchanges }: Outcome): Blocked | undefined {
    if (finding === undefined) return undefined
    const evidence = finding.exchanges ?? []
    const last = evidence.at(-1)
    const { groundOf, mandatory } = item.check.meta
    for (const { key, level, grounds = [], yieldsTo = [], check: other } of this.#near(item)) {
      const collector = this.#collectors.get(key)
      // Whoever stands on this check cannot tell its failure: then nobody would.
      if (collector === undefined || key === item.key || [...grounds, ...yieldsTo].includes(item.key)) continue
      const here = last === undefined ? [] : collector.issuesIn(last)
      const { pointer: place } = finding
      // Without an envelope nothing works; no other rule explains that something does not.
      const isEnvelope = other.meta.mandatory === true
      const isSame = place !== undefined && level === 'MUST' && (mandatory !== true || isEnvelope)
      if (isSame && (groundOf === undefined || isEnvelope) && here.some(({ pointer }) => isSamePlace(pointer, place)))
        return { message: needs(key, key), blockedBy: key }
      if (isSame) {
        // What the check went by was wrong wherever it looked, not only in the answer it ended with.
        const seen = [...new Set([...evidence, ...exchanges])].flatMap((exchange) => collector.issuesIn(exchange))
        const isElsewhere = (ops: readonly unknown[]) => groundOf === undefined || ops.some((op) => op !== groundOf)
        if (seen.some(({ pointer, kind }) => isInside(pointer, place) && isElsewhere(kind.ops)))
          return { message: needs(key, key), blockedBy: key }
      }
      // Whatever is wrong with an answer that shows that the operation does not work is part of that.
      if (groundOf !== undefined)
        for (const { kind } of here) if (kind.ops.every((op) => op === groundOf)) kind.explainedBy = item.key
    }
    return undefined
  }

  /** Lets every watching check leave to others the members they have found wrong as well. */
  share(): void {
    for (const item of this.#cases) {
      for (const issue of this.#collectors.get(item.key)?.issues ?? []) {
        const cause = (item.yieldsTo ?? []).find((key) => this.#isAbout(key, issue))
        const whole = cause ?? this.#wholeAnswer(item, issue)
        if (whole !== undefined) issue.kind.explainedBy = whole
      }
    }
  }

  /** Who finds the whole answer wrong in which the issue was seen: then nothing in it can be right. */
  #wholeAnswer(item: Case, { exchange, pointer }: ObservedIssue): string | undefined {
    const isWhole = (other: Case) =>
      this.#collectors
        .get(other.key)
        ?.issuesIn(exchange)
        .some((found) => found.pointer === '') === true
    if (pointer === '') return undefined
    return this.#near(item).find((other) => other.level === 'MUST' && isWhole(other))?.key
  }

  #isAbout(key: string, issue: ObservedIssue): boolean {
    const pointer = this.#pointers.get(key)
    const pointers = pointer === undefined ? [] : [pointer]
    pointers.push(...(this.#collectors.get(key)?.allIssues ?? []).map((other) => other.pointer))
    // What is wrong inside of a member is why the member as a whole is not what it was, and the other way round.
    return pointers.some(
      (other) =>
        leafOf(other) === leafOf(issue.pointer) || isInside(issue.pointer, other) || isInside(other, issue.pointer),
    )
  }

  /** The watching checks of the same surface. */
  #near({ generation, binding, check }: Case): Case[] {
    return this.#cases.filter(
      (other) =>
        other.generation === generation &&
        (check.meta.across === true ||
          binding === undefined ||
          other.binding === undefined ||
          other.binding === binding),
    )
  }
}

function placeOf({ generation, binding }: Pick<Case, 'generation' | 'binding'>, symptom: string): string {
  return `${generation}/${binding} ${symptom}`
}

/** One pointer begins with the other; the inside of an error says nothing about the request that failed. */
function isSamePlace(issue: string, finding: string): boolean {
  const [a, b] = [segmentsOf(issue), segmentsOf(finding)]
  if (a[0] === 'error' && a.length > b.length) return false
  return a.slice(0, b.length).join('/') === b.slice(0, a.length).join('/')
}

/** The issue is about the member of the finding, or about something inside of it, in whichever answer. */
function isInside(issue: string, finding: string): boolean {
  const leaf = leafOf(finding)
  return !WHOLE.has(leaf) && segmentsOf(issue).some((segment) => singular(segment) === singular(leaf))
}

/** Members that are the whole answer, or hold everything. */
const WHOLE: ReadonlySet<string> = new Set(['', 'id', 'result', 'task', 'tasks', 'error', 'status'])

function singular(segment: string): string {
  return segment.replace(/s$/, '')
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
