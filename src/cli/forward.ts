// How the relay agent reaches another agent: as any client would, in whatever generation that agent speaks, and no further
// than its operator allows. The client is loaded with the first message, so that servers without a relay start faster.

import type { RelayOptions } from '../agents/relay.ts'

export interface ForwardOptions {
  /** Targets that messages choose, and other addresses that cards lead to, may be on this machine or private. */
  readonly allowsPrivate?: boolean
}

export function forwardWith({ allowsPrivate = false }: ForwardOptions = {}): RelayOptions['forward'] {
  return async (target, message, { signal, isChosen }) => {
    const { A2AClient } = await import('../client/a2a-client.ts')
    const { originsOf } = await import('../client/agent-reach.ts')
    const { asUpstreamError } = await import('../client/upstream-error.ts')
    const { reachOf } = await import('../net/guard/reach.ts')
    try {
      const named = isChosen ? [] : originsOf(target)
      // A card file is the operator's own word.
      const isFile = !isChosen && named.length === 0
      const reach = reachOf({ named, guard: { allowPrivateNetworks: allowsPrivate } })
      using client = await A2AClient.connect(target, isFile ? { signal } : { signal, reach })
      return await client.sendMessage({ message }, { signal })
    } catch (error) {
      throw asUpstreamError(error, 'The agent the relay was to ask')
    }
  }
}

/** For relays whose callers are their operators: demonstrations and tests. */
export const forwardMessage: RelayOptions['forward'] = forwardWith({ allowsPrivate: true })
