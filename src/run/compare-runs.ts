// What changed from one run to the next, result by result. Worse is: something fails that did not fail, or the level fell.

import type { ConformanceLevel, Score } from '../judge/runner/result.ts'
import { type Run, type RunHeader, type RunResult, type RunSubject, subjectsOf } from './run.ts'

export interface ChangedResult {
  key: string
  test: string
  title: string
  agent?: RunResult['agent']
  before?: RunResult['verdict']
  after?: RunResult['verdict']
  message?: string
}

export interface ChangedSubject {
  agent?: string
  level?: { before: ConformanceLevel; after: ConformanceLevel }
  scores: {
    version: string
    before?: Pick<Score, 'mustKept' | 'mustMeasured'>
    after?: Pick<Score, 'mustKept' | 'mustMeasured'>
  }[]
}

export interface Comparison {
  before: ComparedRun
  after: ComparedRun
  isWorse: boolean
  subjects: ChangedSubject[]
  /** Fails now and did not. */
  newFailures: ChangedResult[]
  /** Failed, and passes now. */
  repaired: ChangedResult[]
  /** Failed and fails still. */
  stillFailing: ChangedResult[]
  /** Failed, and does not count any more without passing: not measured, known, not applicable. */
  unknownNow: ChangedResult[]
  /** Other verdicts that changed, such as a warning that came or went. */
  otherChanges: ChangedResult[]
  /** Only in the newer run, and only in the older one. */
  added: ChangedResult[]
  removed: ChangedResult[]
}

export interface ComparedRun extends Pick<RunHeader, 'kind' | 'startedAt' | 'parleyVersion' | 'target'> {
  complete: boolean
  summary: RunSubject['summary']
}

/** From worst to best; a level that was not determined is neither. */
const LADDER: readonly ConformanceLevel[] = ['non-conformant', 'minimal', 'partial', 'full']

export function compareRuns(before: Run, after: Run): Comparison {
  const old = byName(before.results)
  const now = byName(after.results)
  const found = {
    newFailures: [] as ChangedResult[],
    repaired: [] as ChangedResult[],
    stillFailing: [] as ChangedResult[],
    unknownNow: [] as ChangedResult[],
    otherChanges: [] as ChangedResult[],
    added: [] as ChangedResult[],
    removed: [] as ChangedResult[],
  }
  for (const [name, result] of now) {
    const earlier = old.get(name)
    const kind = kindOfChange(earlier, result)
    if (kind !== undefined) found[kind].push(changed(earlier, result))
  }
  for (const [name, result] of old) if (!now.has(name)) found.removed.push(changed(result, undefined))
  const subjects = subjectsChanged(before, after)
  return {
    before: compared(before),
    after: compared(after),
    isWorse: found.newFailures.length > 0 || subjects.some(({ level }) => level !== undefined && hasFallen(level)),
    subjects,
    ...found,
  }
}

type Kind = 'newFailures' | 'repaired' | 'stillFailing' | 'unknownNow' | 'otherChanges' | 'added'

function kindOfChange(before: RunResult | undefined, after: RunResult): Kind | undefined {
  if (after.status === 'fail') return before?.status === 'fail' ? 'stillFailing' : 'newFailures'
  if (before === undefined) return 'added'
  if (before.status === 'fail') return after.status === 'pass' ? 'repaired' : 'unknownNow'
  return before.verdict === after.verdict ? undefined : 'otherChanges'
}

/** A name may turn up twice in a run; the second is told apart by its place. */
function byName(results: readonly RunResult[]): Map<string, RunResult> {
  const named = new Map<string, RunResult>()
  for (const result of results) {
    const name = `${result.agent ?? ''} ${result.key}`
    let free = name
    for (let at = 2; named.has(free); at++) free = `${name} #${at}`
    named.set(free, result)
  }
  return named
}

function changed(before: RunResult | undefined, after: RunResult | undefined): ChangedResult {
  const { key = '', test = '', title = '', agent, message } = after ?? before ?? {}
  return { key, test, title, agent, before: before?.verdict, after: after?.verdict, message }
}

function subjectsChanged(before: Run, after: Run): ChangedSubject[] {
  const old = subjectsOf(before)
  return subjectsOf(after).map(({ subject }, at) => changedSubject(old[at]?.subject, subject))
}

function changedSubject(before: RunSubject | undefined, after: RunSubject): ChangedSubject {
  const levels = { before: before?.conformanceLevel, after: after.conformanceLevel }
  const versions = new Set([...(before?.score ?? []), ...after.score].map(({ version }) => version))
  const scores = [...versions].flatMap((version) => {
    const [old, now] = [before?.score ?? [], after.score].map((all) => kept(all.find((one) => one.version === version)))
    return JSON.stringify(old) === JSON.stringify(now) ? [] : [{ version, before: old, after: now }]
  })
  return {
    agent: after.agentName,
    level:
      levels.before === undefined || levels.after === undefined || levels.before === levels.after
        ? undefined
        : { before: levels.before, after: levels.after },
    scores,
  }
}

function kept(score: Score | undefined): Pick<Score, 'mustKept' | 'mustMeasured'> | undefined {
  return score === undefined ? undefined : { mustKept: score.mustKept, mustMeasured: score.mustMeasured }
}

function hasFallen({ before, after }: { before: ConformanceLevel; after: ConformanceLevel }): boolean {
  const [old, now] = [LADDER.indexOf(before), LADDER.indexOf(after)]
  return old >= 0 && now >= 0 && now < old
}

function compared({ header, footer }: Run): ComparedRun {
  const { kind, startedAt, parleyVersion, target } = header
  return { kind, startedAt, parleyVersion, target, complete: footer.complete, summary: footer.summary }
}
