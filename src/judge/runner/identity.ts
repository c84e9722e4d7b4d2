// Who the judged agent says it is: what its card tells, and which bytes told it.

import { createHash } from 'node:crypto'
import type { Redactor } from '../../trace/redact.ts'
import { textAt } from '../probe/raw.ts'
import type { AgentFacts } from '../probe/surface.ts'
import type { IdentifiedAgent } from './result.ts'

export function identityOf({ target, card, cardUrl, cardExchange }: AgentFacts, redactor: Redactor): IdentifiedAgent {
  const agent: IdentifiedAgent = {
    url: redactor.url(target),
    name: textAt(card, 'name') ?? '(unknown)',
    version: textAt(card, 'version') ?? '(unknown)',
  }
  if (cardUrl !== undefined) agent.cardUrl = redactor.url(cardUrl)
  const bytes = cardExchange?.response?.body
  if (bytes !== undefined) agent.cardSha256 = createHash('sha256').update(bytes).digest('hex')
  return agent
}
