// The outcome of a check that only watched.

import type { Exchange } from '../../trace/exchange.ts'
import type { Watch } from '../probe/sighting.ts'
import { titleOf } from './evidence.ts'
import { type Outcome, skipped, unmeasured } from './execute.ts'
import { needs } from './grounds.ts'
import type { Case } from './plan.ts'

const VERDICT_OF_LEVEL = { MUST: 'fail', SHOULD: 'warn', MAY: 'info' } as const
const SHOWN = 5

/** The outcome of a check that does something and watches: what it found itself comes first. */
export function together(own: Outcome | undefined, watched: Outcome): Outcome {
  if (own === undefined) return watched
  return own.finding === undefined && watched.finding !== undefined ? watched : own
}

export function observedOutcome(item: Case, watch: Watch): Outcome {
  const blank = { notes: [], exchanges: [], durationMs: 0 }
  if (item.skip !== undefined) return skipped(item.skip)
  const { issues, sightings } = watch
  const [first] = issues
  if (first === undefined) {
    const [told] = watch.allIssues
    const explained = told?.kind.explainedBy
    if (explained !== undefined)
      return unmeasured(
        { message: needs(explained, explained), blockedBy: explained },
        { message: told?.message ?? '' },
      )
    if (sightings > 0) return { ...blank, verdict: 'pass' }
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
