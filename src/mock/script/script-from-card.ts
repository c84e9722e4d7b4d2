// A script to begin with: an agent described as a card describes it, and one rule that answers everything. What the agent
// really says is for its author to fill in.

import { stringify } from 'yaml'
import type { DialectId } from '../../dialects/dialect.ts'
import type { AgentCard } from '../../model/card.ts'

/** As YAML, to be read by `parseScript` or edited by a person. */
export function scriptFromCard(card: AgentCard, generation: DialectId): string {
  const security = Object.values(card.securitySchemes ?? {}).flatMap(
    (scheme): (string | { apiKey: { header: string } })[] => {
      if (scheme.apiKeySecurityScheme?.location === 'header')
        return [{ apiKey: { header: scheme.apiKeySecurityScheme.name } }]
      const isToken = scheme.oauth2SecurityScheme ?? scheme.openIdConnectSecurityScheme ?? scheme.httpAuthSecurityScheme
      return isToken === undefined ? [] : ['bearer']
    },
  )
  const isRequired = (card.securityRequirements ?? []).length > 0
  const skills = card.skills.map(({ id, name, description, tags }) => ({
    ...{ id, name, description },
    ...(tags.length === 0 ? {} : { tags }),
  }))
  return stringify({
    agent: {
      name: card.name || 'mock',
      description: card.description || card.name || 'A mock.',
      version: card.version || '1.0.0',
      streaming: card.capabilities.streaming === true,
      generation,
      ...(isRequired && security.length > 0 ? { security: [...new Set(security)] } : {}),
      ...(skills.length === 0 ? {} : { skills }),
    },
    rules: [{ id: 'anything', turns: [[{ complete: `This is a mock of ${card.name}; edit its script.` }]] }],
  })
}
