// The card of 1.0 (§4.4, §8). Reading forgives what a client can do without; `issues` forgives nothing.

import type { AgentCard } from '../../model/card.ts'
import { LISTED_FORM } from '../card-forms.ts'
import type { CardCodec } from '../dialect.ts'
import { majorMinor } from '../version.ts'
import { asWritten, decodeAnswer } from './codec.ts'
import { schemas } from './schema/schemas.ts'
import { signedText } from './signed-card.ts'

const VERSION = '1.0'

export const cardCodec: CardCodec = {
  // §8.2; servers that came from older generations still answer at the second.
  wellKnownPaths: ['/.well-known/agent-card.json', '/.well-known/agent.json'],
  form: LISTED_FORM,
  claim(card) {
    const declared = LISTED_FORM.interfacesIn(card)
    // Cards built without the version exist; a card of this form is one of 1.0 unless it says otherwise.
    const isOurs = declared.some(({ protocolVersion = VERSION }) => majorMinor(protocolVersion) === VERSION)
    if (declared.length > 0) return { because: 'it lists supportedInterfaces', isCertain: isOurs }
    if (!Array.isArray(card.protocolVersions)) return undefined
    return { because: 'it has the protocolVersions of the 1.0 release candidate', isCertain: true }
  },
  requiredMembers: [
    'name',
    'description',
    'supportedInterfaces',
    'version',
    'capabilities',
    'defaultInputModes',
    'defaultOutputModes',
    'skills',
  ],
  decode: (wire) => decodeAnswer<AgentCard>('AgentCard', wire),
  encode: asWritten,
  issues: (wire) => schemas.validate('AgentCard', wire),
  signedText,
}
