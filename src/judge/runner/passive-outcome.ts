// The outcome of a check that only observes.

import type { Exchange } from '../../trace/exchange.ts'
import type { IssueCollector } from '../probe/observation.ts'
import { titleOf } from './evidence.ts'
import { type Outcome, skipped, unmeasured } from './execute.ts'
import { needs } from './grounds.ts'
import type { Case } from './plan.ts'

const VERDICT_OF_LEVEL = { MUST: 'fail', SHOULD: 'warn', MAY: 'info' } as const
const SHOWN = 5

/** The outcome of a check that does something and observes: what it found itself comes first. */
export function together(own: Outcome | undefined, watched: Outcome): Outcome {
  if (own === undefined) return watched
  return own.finding === undefined && watched.finding !== undefined ? watched : own
}

export function observedOutcome(item: Case, collector: IssueCollector): Outcome {
  const blank = { notes: [], exchanges: [], durationMs: 0 }
  if (item.skip !== undefined) return skipped(item.skip)
  const { issues, observations } = collector
  const [first] = issues
  if (first === undefined) {
    const [told] = collector.allIssues
    const explained = told?.kind.explainedBy
    if (explained !== undefined)
      return unmeasured(
        { message: needs(explained, explained), blockedBy: explained },
        { message: told?.message ?? '' },
      )
    if (observations > 0) return { ...blank, verdict: 'pass' }
    return {
      ...blank,
      verdict: 'not-measured',
      message: 'the agent never sent one',
    }
  }
  const lines = issues.map((issue) => `${issue.pointer === '' ? '/' : issue.pointer}: ${issue.message}`)
  const more = lines.length > SHOWN ? [`… and ${lines.length - SHOWN} more`] : []
  const told = issues
    .slice(0, SHOWN)
    .flatMap(({ earlier, exchange }) => [...(earlier === undefined ? [] : [earlier]), exchange])
  const exchanges: Exchange[] = [...new Set(told)]
  return {
    ...blank,
    verdict: VERDICT_OF_LEVEL[item.level],
    message: lines.length === 1 ? (lines[0] ?? '') : `${lines[0]} (and ${lines.length - 1} more)`,
    notes: [...lines.slice(1, SHOWN), ...more],
    finding: {
      message: first.message,
      expected: titleOf(item),
      actual: [...lines.slice(0, SHOWN), ...more].join('\n'),
      pointer: first.pointer,
      exchanges,
    },
    exchanges,
  }
}
