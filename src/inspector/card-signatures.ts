// The signatures of a card, verified as the judge does it: which key, which of the ways to write the card was signed.

import type { Discovery } from '../discovery/discover.ts'
import { findKey } from '../judge/signatures/card-keys.ts'
import { type ReadSignature, readSignatures } from '../judge/signatures/read-signatures.ts'
import { verifySignature } from '../judge/signatures/verify-signature.ts'
import type { JsonObject } from '../model/json.ts'
import type { HttpClient } from '../net/http-client.ts'
import type { SignatureView } from './views.ts'

export async function signaturesOf({ raw, source }: Discovery, http: HttpClient): Promise<SignatureView[]> {
  const fetched = async (url: string) => {
    const response = await http.request({ url, headers: [['Accept', 'application/json']] })
    return { status: response.status, body: jsonOf(await response.text()) }
  }
  const place = { cardUrl: /^https?:/.test(source) ? source : 'file:///', fetch: fetched }
  return Promise.all(readSignatures(raw).map((signature) => verified(raw, signature, place)))
}

async function verified(
  card: JsonObject,
  signature: ReadSignature,
  place: Parameters<typeof findKey>[0],
): Promise<SignatureView> {
  const { alg = 'no algorithm', kid } = signature
  const name = `${alg}${kid === undefined ? '' : `, key ${kid}`}`
  try {
    const found = await findKey(place, signature, [])
    if ('missing' in found) return { verified: false, text: `${name}: not verified, ${found.missing}` }
    const outcome = await verifySignature(card, signature, found.key)
    if (!outcome.verified) return { verified: false, text: `${name}: does not verify, ${outcome.reason}` }
    const form =
      outcome.departures.length === 0
        ? 'the canonical form of §8.4.1'
        : `another form (${outcome.departures.join(', ')})`
    return { verified: true, text: `${name}: verified over ${form}` }
  } catch (error) {
    return { verified: false, text: `${name}: not verified, ${error instanceof Error ? error.message : String(error)}` }
  }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
