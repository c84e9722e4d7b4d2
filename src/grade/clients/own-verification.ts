// Whether one of the signatures of a card is of a key that the user of Parley's own client trusts (1.0 §8.4.3). Keys that
// only the card names are not fetched.

import { X509Certificate } from 'node:crypto'
import type { JWK } from 'jose'
import { readSignatures } from '../../judge/signatures/read-signatures.ts'
import { verifySignature } from '../../judge/signatures/verify-signature.ts'
import type { JsonObject } from '../../model/json.ts'

export async function isVerified(card: JsonObject, trusted: readonly JsonObject[]): Promise<boolean> {
  for (const signature of readSignatures(card)) {
    const key = trusted.find(({ kid }) => kid === signature.kid)
    if (key === undefined || hasEnded(key)) continue
    const found = await verifySignature(card, signature, key as JWK)
    // Other readings of what is signed are for the judge to tell; here they would be a way around it.
    if (found.verified && found.departures.length === 0) return true
  }
  return false
}

/** By its own date, or by that of its certificate. */
function hasEnded({ exp, x5c }: JsonObject, now = Date.now()): boolean {
  if (typeof exp === 'number' && exp * 1_000 < now) return true
  const [certificate] = Array.isArray(x5c) ? x5c : []
  if (typeof certificate !== 'string') return false
  return Date.parse(new X509Certificate(Buffer.from(certificate, 'base64')).validTo) < now
}
