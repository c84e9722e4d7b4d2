// Which bytes did the signer sign? The specification contradicts itself (§8.4.1 and §8.4.2), so every reading found in
// the field is tried, the right one first; what verifies tells how the signer departed from it.

import { base64url, errors, type FlattenedJWSInput, flattenedVerify, type JWK } from 'jose'
import { canonicalize } from 'json-canonicalize'
import { type Departures, signedForm } from '../../dialects/v1_0/signed-card.ts'
import { isJsonObject, type JsonObject } from '../../model/json.ts'
import { textAt } from '../probe/raw.ts'
import type { ReadSignature } from './read-signatures.ts'

/** How the signed bytes differ from those of §8.4.1. */
export type Departure = keyof Departures | 'keepsSignatures' | 'escapesUnicode' | 'keepsOrder'

export type Verification = { verified: true; departures: readonly Departure[] } | { verified: false; reason: string }

const DEPARTURES: readonly Departure[] = [
  'dropsRequired',
  'dropsExplicit',
  'keepsDefaults',
  'prunesEmpty',
  'dropsUnknown',
  'escapesUnicode',
  'keepsOrder',
  'keepsSignatures',
  'insertsUnset',
]
const MOST_DEPARTURES = 3

export async function verifySignature(card: JsonObject, signature: ReadSignature, key: JWK): Promise<Verification> {
  const tried = new Set<string>()
  for (const departures of combinations(DEPARTURES, MOST_DEPARTURES)) {
    const text = payload(card, new Set(departures))
    if (tried.has(text)) continue
    tried.add(text)
    const { fits, trouble } = await tryPayload(text, signature, key)
    if (fits) return { verified: true, departures }
    // Another payload cannot help where header, algorithm or key are the trouble.
    if (trouble !== undefined) return { verified: false, reason: trouble }
  }
  return { verified: false, reason: `none of ${tried.size} ways to serialize the card gives the signed bytes` }
}

function payload(card: JsonObject, departures: ReadonlySet<Departure>): string {
  const readings: Departures = Object.fromEntries([...departures].map((name) => [name, true]))
  const form = signedForm(card, readings)
  if (departures.has('keepsSignatures')) form.signatures = []
  const text = departures.has('keepsOrder') ? JSON.stringify(form) : canonicalize(form)
  return departures.has('escapesUnicode') ? escaped(text) : text
}

interface Attempt {
  fits: boolean
  trouble?: string
}

async function tryPayload(text: string, signature: ReadSignature, key: JWK): Promise<Attempt> {
  const { raw } = signature
  const unprotected = isJsonObject(raw) && isJsonObject(raw.header) ? { header: raw.header } : {}
  const jws = {
    protected: textAt(raw, 'protected') ?? '',
    signature: textAt(raw, 'signature') ?? '',
    payload: base64url.encode(text),
    ...unprotected,
  } as FlattenedJWSInput
  try {
    await flattenedVerify(jws, key)
    return { fits: true }
  } catch (error) {
    if (error instanceof errors.JWSSignatureVerificationFailed) return { fits: false }
    return { fits: false, trouble: error instanceof Error ? error.message : String(error) }
  }
}

/** All subsets up to a size, the smallest first. */
function* combinations<T>(items: readonly T[], most: number): Generator<T[]> {
  for (let size = 0; size <= most; size++) yield* subsets(items, size)
}

function* subsets<T>(items: readonly T[], size: number): Generator<T[]> {
  if (size === 0) yield []
  else
    for (const [at, item] of items.entries())
      for (const rest of subsets(items.slice(at + 1), size - 1)) yield [item, ...rest]
}

function escaped(text: string): string {
  return text.replace(/[\u0080-\uffff]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
