// What --quick looks at: the card, the mandatory, and one check for every capability the card declares, on the interface
// the card prefers.

import type { PlacedCheck } from '../checks/check.ts'
import type { Capability } from '../register.ts'

/** More turns than this are not quick. */
export const QUICK_TURNS = 12

/** How many turns the user allows, if there is a limit. */
export function maxTurnsOf({
  maxTurns,
  isQuick = false,
}: {
  maxTurns?: number
  isQuick?: boolean
}): number | undefined {
  return isQuick ? Math.min(QUICK_TURNS, maxTurns ?? QUICK_TURNS) : maxTurns
}

/** The check that stands for a capability: the first thing a client would do with it. */
export const REPRESENTATIVES: Readonly<Partial<Record<Capability, string>>> = {
  streaming: 'stream-opens',
  pushNotifications: 'push-deliver',
  extendedAgentCard: 'extended-card-served',
  extensions: 'extension-echo',
  auth: 'auth-missing',
  stateTransitionHistory: 'get-task-state-history',
}

/** Their ids; what the card does not declare turns out not to apply. */
export function quickChecks(checks: readonly PlacedCheck[]): string[] {
  const representatives = new Set(Object.values(REPRESENTATIVES))
  return checks
    .filter(({ id, category, expandOver, meta }) => {
      const isAboutCard = category === 'agent-card' && expandOver === 'card'
      return isAboutCard || meta.mandatory === true || representatives.has(id)
    })
    .map(({ id }) => id)
}
