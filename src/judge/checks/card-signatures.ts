// Signed cards: the form of a signature, and which bytes it signs (1.0 §8.4). Where the specification contradicts
// itself (place 1) a signature that verifies under another reading is a warning; none that verifies is a failure.

import { type Departures, signedForm } from '../../dialects/v1_0/signed-card.ts'
import { isJsonObject, sameJson } from '../../model/json.ts'
import { quote } from '../probe/assertions.ts'
import type { Probe } from '../probe/probe.ts'
import { textAt } from '../probe/raw.ts'
import { findKey } from '../signatures/card-keys.ts'
import { isBase64Url, type ReadSignature, readSignatures } from '../signatures/read-signatures.ts'
import { type Departure, type Verification, verifySignature } from '../signatures/verify-signature.ts'
import { cardEvidence } from './card.ts'
import { area, check, type PlacedCheck } from './check.ts'

const NEEDS = ['signed-card'] as const
const SYMMETRIC = /^HS(256|384|512)$/

export const cardSignatureChecks: PlacedCheck[] = area(
  { name: 'card-signatures', category: 'agent-card', phase: 1, expandOver: 'card' },
  [
    check(
      'card-signature-fields',
      'MUST include protected header and signature value in every signature',
      {
        proves: ['card-sig-object-fields'],
        fix: 'Write every signature as an object with the strings protected and signature.',
        needs: NEEDS,
      },
      async (t) => {
        for (const { raw, pointer } of readSignatures(t.card)) {
          for (const member of ['protected', 'signature']) {
            t.expect((textAt(raw, member) ?? '') !== '', `${pointer} has no ${member}`, {
              expected: 'a non-empty string',
              actual: quote(isJsonObject(raw) ? raw[member] : raw),
              pointer: `${pointer}/${member}`,
              at: await cardEvidence(t),
            })
          }
        }
      },
    ),
    check(
      'card-signature-encoding',
      'MUST encode protected header and signature in base64url',
      {
        proves: ['card-sig-base64url'],
        fix: 'Encode both in base64url without padding; the protected part is a JSON object before that.',
        needs: NEEDS,
        yieldsTo: ['card-signature-fields'],
        causes: ['Standard base64 with + / and = instead of the URL-safe alphabet.'],
      },
      async (t) => {
        const at = await cardEvidence(t)
        for (const { raw, pointer, header } of readSignatures(t.card)) {
          for (const member of ['protected', 'signature']) {
            const text = textAt(raw, member)
            if (text === undefined) continue
            t.expect(isBase64Url(text), `${pointer}/${member} is not base64url`, {
              expected: 'A-Z a-z 0-9 - _ without padding',
              actual: quote(text),
              pointer: `${pointer}/${member}`,
              at,
            })
          }
          t.expect(header !== undefined, `${pointer}/protected does not decode to a JSON object`, {
            expected: 'a JSON object in base64url',
            actual: quote(textAt(raw, 'protected')),
            pointer: `${pointer}/protected`,
            at,
          })
        }
      },
    ),
    ...(
      [
        ['alg', 'card-sig-protected-alg', 'algorithm', 'the algorithm into the protected header: "alg": "ES256"'],
        ['kid', 'card-sig-protected-kid', 'key', 'the id of the key into the protected header: "kid": "key-1"'],
      ] as const
    ).map(([member, row, what, remedy]) =>
      check(
        `card-signature-${member}`,
        `MUST name the ${what} in the protected header of a signature`,
        { proves: [row], fix: `Put ${remedy}.`, needs: NEEDS },
        async (t) => {
          for (const { header, pointer } of decoded(t)) {
            t.expect((textAt(header, member) ?? '') !== '', `the protected header has no ${member}`, {
              expected: `a non-empty string ${member}`,
              actual: quote(header),
              pointer: `${pointer}/protected`,
              at: await cardEvidence(t),
            })
          }
        },
      ),
    ),
    check(
      'card-signature-typ',
      'SHOULD set typ to JOSE in the protected header',
      { proves: ['card-sig-protected-typ'], fix: 'Put "typ": "JOSE" into the protected header.', needs: NEEDS },
      async (t) => {
        for (const { header, pointer } of decoded(t)) {
          t.expectEqual(header?.typ, 'JOSE', 'the type in the protected header', {
            pointer: `${pointer}/protected`,
            at: await cardEvidence(t),
          })
        }
      },
    ),
    check(
      'card-signature-algorithm',
      'SHOULD sign with an algorithm others can verify',
      {
        proves: ['card-sig-alg-safe'],
        fix: 'Sign with an asymmetric algorithm such as ES256 or EdDSA.',
        needs: NEEDS,
        yieldsTo: ['card-signature-verifies'],
      },
      async (t) => {
        for (const { alg = '', pointer } of decoded(t)) {
          const isUnsafe = alg.toLowerCase() === 'none' || SYMMETRIC.test(alg)
          t.expect(!isUnsafe, `the algorithm is ${alg}`, {
            expected: 'an asymmetric algorithm',
            actual: alg,
            pointer: `${pointer}/protected`,
            at: await cardEvidence(t),
          })
        }
      },
    ),
    check(
      'card-signature-header',
      'MUST write an unprotected header as a JSON object',
      {
        proves: ['card-sig-unprotected-header'],
        fix: 'Write header as a JSON object, not encoded, or leave it out.',
        needs: NEEDS,
      },
      async (t) => {
        for (const { raw, pointer } of readSignatures(t.card)) {
          const value = isJsonObject(raw) ? raw.header : undefined
          t.expect(value === undefined || isJsonObject(value), `${pointer}/header is not an object`, {
            expected: 'a JSON object, or nothing',
            actual: quote(value),
            pointer: `${pointer}/header`,
            at: await cardEvidence(t),
          })
        }
      },
    ),
    check(
      'card-signature-verifies',
      'MUST carry a signature that verifies',
      {
        proves: ['card-sig-verifies'],
        fix: 'Sign the canonical form (RFC 8785) of the card you serve, after the last change to it, with the key that kid names.',
        needs: NEEDS,
        why: 'A client that checks signatures drops an agent whose card was changed after signing.',
        causes: [
          'A proxy or framework rewrote the card after it was signed.',
          'The card was signed under another URL than it is served from.',
        ],
        yieldsTo: ['card-signature-fields', 'card-signature-encoding', 'card-signature-alg'],
      },
      async (t) => {
        const all = await verifications(t)
        const good = all.filter(({ outcome }) => outcome.verified)
        for (const { signature, outcome } of all) {
          if (outcome.verified) t.allow(`${signature.pointer} verifies: ${readingOf(outcome.departures)}`)
          else if (good.length > 0) t.warn(53, `${signature.pointer} does not verify: ${outcome.reason}`)
        }
        const [first] = all
        if (good.length > 0 || first === undefined || first.outcome.verified) return
        t.fail(`the signature does not verify: ${first.outcome.reason}`, {
          expected: 'a signature over the canonical card',
          actual: first.outcome.reason,
          pointer: first.signature.pointer,
          at: await cardEvidence(t),
        })
      },
    ),
    ...signedBytesCheck(
      'card-signature-canonical',
      'MUST sign the canonical form of RFC 8785',
      'card-sig-jcs',
      'Serialize with an implementation of RFC 8785: members sorted, no escapes but the necessary ones, no spaces.',
      { fails: ['escapesUnicode', 'keepsOrder'] },
    ),
    ...signedBytesCheck(
      'card-signature-without-signatures',
      'MUST exclude the member signatures from the signed content',
      'card-sig-excludes-signatures',
      'Remove the member signatures before signing; an empty list is not enough.',
      { fails: ['keepsSignatures'] },
    ),
    ...signedBytesCheck(
      'card-signature-unset-omitted',
      'MUST NOT sign members it does not serve',
      'card-sig-optional-unset-omitted',
      'Leave out optional members that were never set, instead of signing their defaults.',
      { fails: ['insertsUnset'], differs: { insertsUnset: true }, lacks: 'an optional member that is not set' },
    ),
    ...signedBytesCheck(
      'card-signature-explicit-kept',
      'MUST sign optional members it sets to a default',
      'card-sig-optional-explicit-kept',
      'Keep optional members that are present, also false and empty ones.',
      {
        warns: ['dropsExplicit', 'prunesEmpty'],
        differs: { dropsExplicit: true },
        lacks: 'an optional member set to its default, such as streaming: false',
      },
    ),
    ...signedBytesCheck(
      'card-signature-required-kept',
      'MUST sign REQUIRED members also when they are empty',
      'card-sig-required-kept',
      'Keep REQUIRED members, also empty ones; two SDKs strip them before signing.',
      {
        warns: ['dropsRequired', 'prunesEmpty'],
        differs: { dropsRequired: true },
        lacks: 'a REQUIRED member that is empty',
      },
    ),
    ...signedBytesCheck(
      'card-signature-defaults-dropped',
      'MUST NOT sign other members that hold their default',
      'card-sig-defaults-dropped',
      'Omit members that are neither REQUIRED nor optional when they hold their default, such as extensions: [].',
      { warns: ['keepsDefaults'], differs: { keepsDefaults: true }, lacks: 'such a member with its default value' },
    ),
  ],
)

interface Reading {
  /** Departures that are wrong by every place of the specification. */
  fails?: readonly Departure[]
  /** Departures some place of the specification asks for. */
  warns?: readonly Departure[]
  /** A reading that would sign other bytes: if it does not, this card shows nothing. */
  differs?: Departures
  lacks?: string
}

/** A claim about the signed bytes: proved by the reading under which the signature verifies. */
function signedBytesCheck(id: string, title: `MUST ${string}`, row: string, fix: string, reading: Reading) {
  const { fails = [], warns = [], differs, lacks = '' } = reading
  return [
    check(id, title, { proves: [row], fix, needs: NEEDS }, async (t) => {
      if (differs !== undefined && sameJson(signedForm(t.card), signedForm(t.card, differs)))
        t.notMeasured(`the card has no member for which the rules differ`, `a signed card with ${lacks}`)
      const good = (await verifications(t)).filter(({ outcome }) => outcome.verified)
      if (good.length === 0) t.notMeasured('no signature verifies; another check reports this')
      for (const { signature, outcome } of good) {
        if (!outcome.verified) continue
        const wrong = outcome.departures.filter((name) => fails.includes(name))
        t.expect(wrong.length === 0, `the signature covers other bytes: ${readingOf(wrong)}`, {
          expected: 'the form of §8.4.1',
          actual: readingOf(outcome.departures),
          pointer: signature.pointer,
          at: await cardEvidence(t),
        })
        const unclear = outcome.departures.filter((name) => warns.includes(name))
        if (unclear.length > 0) t.warn(1, `the signature follows another reading than §8.4.1: ${readingOf(unclear)}`)
      }
    }),
  ]
}

const READINGS: Readonly<Record<Departure, string>> = {
  dropsRequired: 'empty REQUIRED members are left out',
  dropsExplicit: 'optional members set to their default are left out',
  keepsDefaults: 'members with default values stay in',
  insertsUnset: 'members that were never set are added with their defaults',
  prunesEmpty: 'every empty value is left out',
  dropsUnknown: 'members unknown to the specification are left out',
  keepsSignatures: 'an empty list of signatures stays in',
  escapesUnicode: 'characters beyond ASCII are escaped',
  keepsOrder: 'members are not sorted',
}

function readingOf(departures: readonly Departure[]): string {
  return departures.length === 0 ? 'by the rules of §8.4.1' : departures.map((name) => READINGS[name]).join(', ')
}

function decoded(t: Probe): ReadSignature[] {
  const readable = readSignatures(t.card).filter(({ header }) => header !== undefined)
  return readable.length === 0
    ? t.notMeasured('no protected header can be decoded; another check reports this')
    : readable
}

/** Every signature whose key is known, verified once for all checks. */
async function verifications(t: Probe): Promise<{ signature: ReadSignature; outcome: Verification }[]> {
  const { verified, missing } = await t.shared('verified card signatures', async (own) => {
    const found = { verified: [] as { signature: ReadSignature; outcome: Verification }[], missing: [] as string[] }
    for (const signature of readSignatures(own.card)) {
      const key = await findKey(own, signature, own.cardKeys)
      if ('missing' in key) found.missing.push(key.missing)
      else found.verified.push({ signature, outcome: await verifySignature(own.card, signature, key.key) })
    }
    return found
  })
  if (verified.length > 0) return verified
  return t.notMeasured(
    missing[0] ?? 'there is no signature that could be read',
    'the public key of the signer: --card-key FILE or URL',
  )
}
