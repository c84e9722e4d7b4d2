// Where the search for an agent and the calls to it may go: to what the user typed, to origins the user allowed, and
// from a place that is not public also to its neighbours. A card from the internet does not lead into a private network.

import { originOf } from '../discovery/credentials.ts'
import { resolveTarget } from '../discovery/target.ts'
import { type Reach, reachOf } from '../net/guard/reach.ts'

/** Which addresses a client may call. */
export interface ReachPreference {
  /** Replaces the usual rule. */
  reach?: Reach
  /** Origins that may be called without a check. */
  allowOrigins?: readonly string[]
}

/** For a target as it was typed. A card file is the user's own word, wherever it leads. */
export function reachForTarget(target: string, options: ReachPreference): Reach | undefined {
  return options.reach ?? reachFrom(originsOf(target), options)
}

/** For a card that was found at this origin; undefined for one that came from a file. */
export function reachForOrigin(origin: string | undefined, options: ReachPreference): Reach | undefined {
  return options.reach ?? reachFrom(origin === undefined ? [] : [origin], options)
}

/** The origins a person means with this text; none for a file. */
export function originsOf(target: string): readonly string[] {
  const resolved = resolveTarget(target, { hasCredentials: false })
  return resolved.kind === 'file' ? [] : resolved.origins.map(({ origin }) => origin)
}

function reachFrom(named: readonly string[], { allowOrigins = [] }: ReachPreference): Reach | undefined {
  if (named.length === 0) return undefined
  return reachOf({ named: [...named, ...allowOrigins.map(originOf)], allowsNeighbours: true })
}
