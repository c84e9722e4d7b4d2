// Signed cards whose signature has the wrong form, or covers other bytes than §8.4.1 says. The layer changes the card's
// URLs, so it is also what signs.

import { generateKeyPairSync, sign } from 'node:crypto'
import { canonicalize } from 'json-canonicalize'
import { type Departures, signedForm } from '../../src/dialects/v1_0/signed-card.ts'
import type { JsonObject, JsonValue } from '../../src/model/json.ts'
import { type Mutant, type Mutation, mutant, put, word } from './mutant.ts'

const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })

/** What a user of the judge would give with --card-key. */
export const CARD_KEY = { ...publicKey.export({ format: 'jwk' }), kid: 'mutants', alg: 'ES256' }

const HEADER = { alg: 'ES256', typ: 'JOSE', kid: 'mutants' }

interface Signing {
  header?: JsonObject
  departures?: Departures
  /** What is signed instead of the canonical text. */
  write?: (form: JsonObject) => string
  /** Changes the signature, or the card after signing. */
  after?: (signature: JsonObject, card: JsonObject) => JsonValue | undefined
}

function signed({ header = HEADER, departures = {}, write = canonicalize, after }: Signing): Mutation {
  return {
    card: (card) => {
      // Something of every kind of presence, so that every departure shows.
      put(card, 'capabilities.extensions', [])
      if (departures.dropsRequired === true) put(card, 'defaultOutputModes', [])
      put(card, 'description', 'Signs — with ümlauts.')
      const head = Buffer.from(JSON.stringify(header)).toString('base64url')
      const payload = Buffer.from(write(signedForm(card, departures))).toString('base64url')
      const bytes = sign('sha256', Buffer.from(`${head}.${payload}`), { key: privateKey, dsaEncoding: 'ieee-p1363' })
      const signature: JsonObject = { protected: head, signature: bytes.toString('base64url') }
      card.signatures = [after?.(signature, card) ?? signature]
      return card
    },
  }
}

const escaped = (text: string) =>
  text.replace(/[^\0-\x7f]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`)

export const signatureMutants: Mutant[] = [
  mutant(
    'signature-without-value',
    'The signature has no value.',
    signed({ after: ({ protected: head = '' }) => ({ protected: head }) }),
  ),
  mutant(
    'signature-without-header',
    'The signature has no protected header.',
    signed({ after: ({ signature = '' }) => ({ signature }) }),
  ),
  mutant(
    'signature-base64',
    'The signature is padded base64.',
    signed({
      after: (made) =>
        put(made, 'signature', Buffer.from(word(made.signature), 'base64url').toString('base64').replace(/=*$/, '==')),
    }),
  ),
  mutant(
    'signature-header-plain',
    'The protected header is not encoded.',
    signed({ after: (made) => put(made, 'protected', JSON.stringify(HEADER)) }),
  ),
  mutant(
    'signature-no-alg',
    'The protected header names no algorithm.',
    signed({ header: { typ: 'JOSE', kid: 'mutants' } }),
  ),
  mutant('signature-no-kid', 'The protected header names no key.', signed({ header: { alg: 'ES256', typ: 'JOSE' } })),
  mutant('signature-typ-jwt', 'The protected header has the type JWT.', signed({ header: { ...HEADER, typ: 'JWT' } })),
  mutant('signature-hmac', 'The card is signed with a shared secret.', signed({ header: { ...HEADER, alg: 'HS256' } })),
  mutant(
    'signature-unprotected-text',
    'The unprotected header is a text.',
    signed({ after: (made) => put(made, 'header', 'e30') }),
  ),
  mutant(
    'signature-stale',
    'The card was changed after it was signed.',
    signed({ after: (_made, card) => put(card, 'version', '2.0.0') }),
  ),
  mutant(
    'signature-escaped',
    'Letters outside ASCII are escaped before signing.',
    signed({ write: (form) => escaped(canonicalize(form)) }),
  ),
  mutant(
    'signature-unsorted',
    'Members are signed in the order of the card.',
    signed({ write: (form) => JSON.stringify(form) }),
  ),
  mutant(
    'signature-includes-list',
    'The empty list of signatures is signed too.',
    signed({ write: (form) => canonicalize({ ...form, signatures: [] }) }),
  ),
  mutant(
    'signature-inserts',
    'Members that were never set are signed.',
    signed({ departures: { insertsUnset: true } }),
  ),
  mutant(
    'signature-drops-explicit',
    'Members set to false are not signed.',
    signed({ departures: { dropsExplicit: true } }),
  ),
  mutant(
    'signature-drops-required',
    'Empty required members are not signed.',
    signed({ departures: { dropsRequired: true } }),
  ),
  mutant('signature-keeps-defaults', 'Empty lists are signed.', signed({ departures: { keepsDefaults: true } })),
]
