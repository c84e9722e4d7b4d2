// The signatures of a card taken apart without trusting them (1.0 §8.4.2): what is no base64url or no JSON stays a
// fact about the card.

import { isJsonObject, type JsonObject, type JsonValue } from '../../model/json.ts'
import { listAt, textAt } from '../probe/raw.ts'

export interface ReadSignature {
  /** As it stands in the card. */
  raw: JsonValue
  pointer: string
  /** The decoded protected header; undefined when it cannot be decoded. */
  header: JsonObject | undefined
  alg: string | undefined
  kid: string | undefined
  jku: string | undefined
}

export function readSignatures(card: JsonObject): ReadSignature[] {
  return (listAt(card, 'signatures') ?? []).map((raw, at) => {
    const header = decodeHeader(textAt(raw, 'protected') ?? '')
    const [alg, kid, jku] = ['alg', 'kid', 'jku'].map((name) => textAt(header, name))
    return { raw, pointer: `/signatures/${at}`, header, alg, kid, jku }
  })
}

/** Without padding, in the URL-safe alphabet (RFC 7515 §2). */
export function isBase64Url(text: string): boolean {
  return /^[A-Za-z0-9_-]+$/.test(text) && text.length % 4 !== 1
}

function decodeHeader(text: string): JsonObject | undefined {
  try {
    const json: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(text, 'base64url')))
    return isJsonObject(json) ? json : undefined
  } catch {
    return undefined
  }
}
