// Whether a client that verifies signatures of cards does so rightly (1.0 §8.4.3). The intent names the keys its user trusts;
// a client that says nothing of signatures is not measured.

import type { JsonObject } from '../../model/json.ts'
import type { Evidence } from '../evidence.ts'
import type { Intent } from '../intent.ts'
import { type Claim, JSONRPC_1, type Scenario, type World } from '../scenario.ts'
import { type CardKey, cardKey, endedKey, signed } from '../signed-cards.ts'
import { answered } from '../wire-replies.ts'

const ENDED = 'ended'
const keys = new Map<string, CardKey>()

/** Made when somebody asks for it first. */
function keyOf(kid: string): CardKey {
  const key = keys.get(kid) ?? (kid === ENDED ? endedKey(kid) : cardKey(kid))
  keys.set(kid, key)
  return key
}

/** A card that leaves no room for different readings of what is signed, beyond letters that are not ASCII. */
const plain = (card: JsonObject): JsonObject => ({
  ...card,
  description: 'Grüße, 世界.',
  capabilities: { streaming: true },
})

const trusting =
  (more: Partial<Intent> = {}) =>
  (): Intent => ({ do: 'card', verify: { keys: [keyOf('trusted').jwk] }, ...more })

function expectVerifying(e: Evidence): void {
  e.need(
    e.calls.some(({ isCard }) => isCard),
    'the client never asked for the card',
  )
  const { verified, outcome } = e.understood
  e.need(verified !== undefined || outcome === 'error', 'the client does not say whether it verified a signature')
}

function refuses(claim: Pick<Claim, 'id' | 'title' | 'fix' | 'cites' | 'proves'>, why: string): Claim {
  return {
    ...claim,
    judge(e) {
      expectVerifying(e)
      e.expect(e.understood.verified !== true, `the client takes the card for verified although ${why}`, e.calls[0])
    },
  }
}

function scenario(id: string, about: string, card: World['card'], claims: readonly Claim[]): Scenario {
  const world = (): World => (card === undefined ? {} : { card })
  return { id, area: 'signatures', about, on: JSONRPC_1, intent: trusting(), world, claims }
}

export const signatures: readonly Scenario[] = [
  scenario(
    'signature-valid',
    'The card is signed with a key that the user trusts.',
    (card) => signed(plain(card), keyOf('trusted')),
    [
      {
        id: 'client-accepts-signature',
        title: 'MUST accept a signature that is right, when it verifies signatures',
        proves: ['client-sig-procedure'],
        fix: 'Take the signatures out, canonicalise the rest (RFC 8785), and verify with the key of that kid (1.0 §8.4.3).',
        judge(e) {
          expectVerifying(e)
          e.expect(e.understood.verified === true, 'the client refuses a signature that is right', e.calls[0])
        },
      },
    ],
  ),
  scenario(
    'signature-tampered',
    'The card was changed after it was signed.',
    (card) => ({ ...signed(plain(card), keyOf('trusted')), description: 'Written by another author.' }),
    [
      refuses(
        {
          id: 'client-refuses-tampered-card',
          title: 'MUST NOT accept a card that was changed after signing',
          proves: ['client-sig-reject-tampered'],
          fix: 'Verify the signature over the card as it was received.',
        },
        'it was changed after signing',
      ),
    ],
  ),
  scenario(
    'signature-removed-key',
    'The card is signed with a key that is no longer among those of its provider.',
    (card) => signed(plain(card), keyOf('removed')),
    [
      refuses(
        {
          id: 'client-refuses-removed-key',
          title: 'MUST NOT use a key that was removed',
          proves: ['client-sig-no-expired-key', 'client-sig-verify-one'],
          fix: 'Look for the key of that kid among those that are trusted now; without one nothing is verified.',
        },
        'its key is no longer trusted',
      ),
    ],
  ),
  {
    id: 'signature-ended-key',
    area: 'signatures',
    about: 'The card is signed with a key of the user whose certificate has ended.',
    on: JSONRPC_1,
    intent: () => ({ do: 'card', verify: { keys: [keyOf(ENDED).jwk] } }),
    world: () => ({ card: (card) => signed(plain(card), keyOf(ENDED)) }),
    claims: [
      refuses(
        {
          id: 'client-refuses-ended-key',
          title: 'MUST NOT verify with a key that has expired',
          proves: ['client-sig-no-expired-key'],
          fix: 'Look at notAfter of the certificate in x5c, and at exp of the key, before you use it.',
        },
        'its key has expired',
      ),
    ],
  },
  scenario(
    'signature-borrowed-kid',
    'The signature names a trusted key, and was made with another.',
    (card) => {
      const { secret } = keyOf('forged')
      return signed(plain(card), { secret, jwk: keyOf('trusted').jwk })
    },
    [
      refuses(
        {
          id: 'client-refuses-forged-signature',
          title: 'SHOULD verify at least one signature before it trusts a signed card',
          proves: ['client-sig-verify-one'],
          fix: 'That a signature is there, and names a known key, says nothing yet: verify it.',
        },
        'no signature of it is right',
      ),
    ],
  ),
  scenario(
    'signature-second-valid',
    'The first signature is of an unknown key, the second of a trusted one.',
    (card) => signed(signed(plain(card), keyOf('unknown')), keyOf('trusted')),
    [
      {
        id: 'client-accepts-one-of-two',
        title: 'SHOULD accept a card of which one signature is right',
        proves: ['client-sig-verify-one'],
        fix: 'Go through all signatures; one that verifies is enough.',
        judge(e) {
          expectVerifying(e)
          e.expect(e.understood.verified === true, 'the client looks at the first signature alone', e.calls[0])
        },
      },
    ],
  ),
  scenario(
    'signature-foreign-keys',
    'The signature names a key set at another origin, over plain http; the user has the key already.',
    (card, stage) => signed(plain(card), keyOf('trusted'), { jku: `${stage.secondUrl}/keys.json` }),
    [
      {
        id: 'client-keys-not-over-http',
        title: 'SHOULD NOT fetch keys over a channel that is not secure',
        proves: ['client-sig-https-keys'],
        fix: 'Fetch key sets over https alone, and from places the user trusts.',
        judge(e) {
          expectVerifying(e)
          const call = e.calls.find(({ place }) => place === 'second')
          e.expect(call === undefined, 'the client fetched keys over plain http, from where the card said', call)
        },
      },
      {
        id: 'client-own-trust-store',
        title: 'MAY keep the keys it trusts itself',
        proves: ['client-sig-trust-store'],
        fix: 'Recorded for information: whether the keys of the user are enough.',
        judge(e) {
          expectVerifying(e)
          e.expect(e.understood.verified === true, 'the keys of the user are not enough for the client', e.calls[0])
        },
      },
    ],
  ),
  {
    id: 'signature-extended-card',
    area: 'signatures',
    about: 'The public card is signed rightly, and the extended card was changed after signing.',
    on: JSONRPC_1,
    intent: trusting({ extended: true }),
    world: (surface) => {
      const offering = (card: JsonObject) => ({
        ...plain(card),
        capabilities: { streaming: true, extendedAgentCard: true },
      })
      return {
        card: (card) => signed(offering(card), keyOf('trusted')),
        answer: (call, next, stage) => {
          if (call.op !== 'getExtendedCard') return next()
          const card = signed(offering(stage.card()), keyOf('trusted'))
          return answered(surface, call, { ...card, name: 'Changed on the way' })
        },
      }
    },
    claims: [
      {
        id: 'client-verifies-extended-card',
        title: 'MUST verify the extended card before it replaces the public one',
        proves: ['client-sig-reject-tampered'],
        cites: ['a2a-js #705'],
        fix: 'Verify the card that GetExtendedAgentCard answers before you keep it.',
        judge(e) {
          expectVerifying(e)
          e.first('getExtendedCard')
          e.expect(
            e.understood.verified !== true,
            'the client takes the extended card for verified although it was changed',
            e.first('getExtendedCard'),
          )
        },
      },
    ],
  },
]
