// What a observation says about a task that was seen before.

import type { Exchange } from '../../trace/exchange.ts'

/**
 * `state`: a finished task in another state; `frozen`: another content; `members`: a view that shows less or else;
 * `artifacts`: one that was there is gone; `order`: a task that worked is only submitted.
 */
export type ContradictionKind = 'state' | 'frozen' | 'context' | 'time' | 'members' | 'artifacts' | 'order'

export interface Contradiction {
  kind: ContradictionKind
  pointer: string
  message: string
  /** What it contradicts. */
  earlier: Exchange
}

export interface Comparison {
  /** Kinds that could be compared at all. */
  compared: ReadonlySet<ContradictionKind>
  contradictions: readonly Contradiction[]
}
