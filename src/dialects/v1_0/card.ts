// The card of 1.0 (§4.4, §8). Reading forgives what a client can do without; `issues` forgives nothing.

import type { AgentCard } from '../../model/card.ts'
import type { CardCodec } from '../dialect.ts'
import { asWritten, decodeAnswer } from './codec.ts'
import { schemas } from './schema/schemas.ts'
import { signedText } from './signed-card.ts'

export const cardCodec: CardCodec = {
  // §8.2; servers that came from older generations still answer at the second.
  wellKnownPaths: ['/.well-known/agent-card.json', '/.well-known/agent.json'],
  decode: (wire) => decodeAnswer<AgentCard>('AgentCard', wire),
  encode: asWritten,
  issues: (wire) => schemas.validate('AgentCard', wire),
  signedText,
}
