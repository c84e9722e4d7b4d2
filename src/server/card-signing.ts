// Signs agent cards (1.0 §8.4.2) and publishes the key that verifies them. A signature vouches for the URLs in the
// card, so they must come from configuration: what a request claims (Host) is never signed.

import { generateKeyPairSync } from 'node:crypto'
import type { JWK } from 'jose'
import type { Dialect } from '../dialects/dialect.ts'
import { EXIT, ParleyError } from '../model/errors.ts'
import { isJsonObject, type JsonValue } from '../model/json.ts'

/** The key that signs a card. */
export interface CardSigning {
  /** A private key: EC (P-256, P-384, P-521), RSA or Ed25519. Its `kid` names it; its thumbprint when it has none. */
  key: JWK
  /** Where clients find the public key; published below the agent at /.well-known/jwks.json when absent. */
  jku?: string
}

export const KEY_SET_PATH = '/.well-known/jwks.json'

const PRIVATE_MEMBERS: ReadonlySet<string> = new Set(['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k'])
const ALGORITHMS: Readonly<Record<string, string>> = {
  'P-256': 'ES256',
  'P-384': 'ES384',
  'P-521': 'ES512',
  Ed25519: 'EdDSA',
}

export class CardSigner {
  readonly #signing: CardSigning
  readonly #signedText: NonNullable<Dialect['card']['signedText']>
  readonly #alg: string

  constructor(signing: CardSigning, { card, id }: Dialect) {
    const { key } = signing
    const alg = key.alg ?? (key.kty === 'RSA' ? 'RS256' : ALGORITHMS[key.crv ?? ''])
    if (key.d === undefined || alg === undefined)
      throw refusal('the signing key must be a private JWK of type EC, RSA or OKP (Ed25519)')
    if (card.signedText === undefined) throw refusal(`cards of A2A ${id} have no signed form`)
    this.#signing = signing
    this.#signedText = (wire) => card.signedText?.(wire) ?? ''
    this.#alg = alg
  }

  /** The card with one signature more. `base` is where the agent lives. */
  async sign(card: JsonValue, base: string): Promise<JsonValue> {
    if (!isJsonObject(card)) return card
    const { key, jku = base + KEY_SET_PATH } = this.#signing
    const { FlattenedSign } = await import('jose')
    const payload = new TextEncoder().encode(this.#signedText(card))
    const jws = await new FlattenedSign(payload)
      .setProtectedHeader({ alg: this.#alg, typ: 'JOSE', kid: await this.#kid(), jku })
      .sign(key)
    const earlier = Array.isArray(card.signatures) ? card.signatures : []
    return { ...card, signatures: [...earlier, { protected: jws.protected ?? '', signature: jws.signature }] }
  }

  /** The key set to publish; undefined when it is published elsewhere. */
  async keySet(): Promise<{ keys: JWK[] } | undefined> {
    const { key, jku } = this.#signing
    if (jku !== undefined) return undefined
    const shown = Object.entries(key).filter(([name]) => !PRIVATE_MEMBERS.has(name) && name !== 'key_ops')
    return { keys: [{ ...(Object.fromEntries(shown) as JWK), kid: await this.#kid(), alg: this.#alg, use: 'sig' }] }
  }

  async #kid(): Promise<string> {
    const { key } = this.#signing
    // Loaded when needed: most servers sign nothing.
    return key.kid ?? (await import('jose')).calculateJwkThumbprint(key)
  }
}

/** A key for servers that have none of their own: good until they stop. */
export function newSigningKey(): JWK {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' }) as JWK
}

/** Whether the URLs in cards are known beforehand: by configuration, or because local clients use the very address. */
export function isSignableAddress(publicUrl: string | undefined, host: string | undefined): boolean {
  return publicUrl !== undefined || host === 'localhost' || host === '::1' || host?.startsWith('127.') === true
}

export function checkSignableAddress(publicUrl: string | undefined, host: string | undefined): void {
  if (!isSignableAddress(publicUrl, host))
    throw refusal('it needs publicUrl, the address clients use, because a signature vouches for the URLs in the card')
}

function refusal(why: string): ParleyError {
  return new ParleyError('cannot-sign-card', `The card cannot be signed: ${why}.`, { exitCode: EXIT.usage })
}
