// The card of a proxied agent: what the agent says it can do, under the proxy's name and address, and no promise the
// proxy does not keep itself.

import type { AgentCard } from '../model/card.ts'
import type { CardInput } from '../server/mount-options.ts'

/** What a card says instead of what the agent says. */
export interface CardOverrides {
  /** Instead of the agent's name. */
  readonly name?: string
  /** Instead of the agent's description. */
  readonly description?: string
}

export interface ProxyPromises {
  /** Callers have to show who they are. */
  readonly knowsCallers: boolean
}

export function proxyCard(card: AgentCard, overrides: CardOverrides, promises: ProxyPromises): CardInput {
  const {
    supportedInterfaces: _theirs,
    // How the proxy shows who it is to the agent is no business of its callers.
    securitySchemes: _schemes,
    securityRequirements: _requirements,
    signatures: _signed, // A changed card is not what was signed.
    ...kept
  } = card
  const { extendedAgentCard, pushNotifications: _theirOwn, ...capabilities } = card.capabilities
  return {
    ...kept,
    name: overrides.name ?? card.name,
    description: overrides.description ?? card.description,
    capabilities: {
      ...capabilities,
      // Webhooks are told what the proxy reads from the agent's streams; the agent's own would name its own ids.
      pushNotifications: capabilities.streaming === true,
      // Who is anonymous here must not see what the agent shows to the proxy.
      ...(extendedAgentCard === undefined ? {} : { extendedAgentCard: extendedAgentCard && promises.knowsCallers }),
    },
    // Skills may name schemes that the card no longer declares.
    skills: card.skills.map(({ securityRequirements: _ours, ...skill }) => skill),
  }
}
