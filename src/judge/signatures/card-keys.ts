// Where the key of a signature comes from: the user, or the key set the signature names if it lies on the card's own
// origin. A foreign address in a card is never followed: that would let any agent choose what we call.

import { createPublicKey } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { JWK } from 'jose'
import { EXIT, ParleyError } from '../../model/errors.ts'
import { isJsonObject } from '../../model/json.ts'
import { parsed } from '../probe/answer.ts'
import { listAt } from '../probe/raw.ts'
import { judgeClient } from '../runner/judge-client.ts'
import type { ReadSignature } from './read-signatures.ts'

const KEY_TIMEOUT_MS = 10_000

/**
 * Reads a JWK, a JWK set, or a public key or certificate in PEM, from a file or an http(s) URL.
 *
 * @example
 * ```ts
 * import { certify, readCardKeys } from 'a2a-parley/judge'
 *
 * const report = await certify('localhost:9999', { cardKeys: await readCardKeys('agent.pem') })
 * console.log(report.conformanceLevel)
 * ```
 */
export async function readCardKeys(source: string): Promise<JWK[]> {
  const text = await readSource(source)
  const keys = text.includes('-----BEGIN ') ? [jwkOfPem(text, source)] : keysIn(parsed(text))
  if (keys.length > 0) return keys
  throw unusable(source, 'holds neither a JWK, a JWK set nor a PEM public key')
}

/** A key, or why there is none. */
export type FoundKey = { key: JWK } | { missing: string }

/** Where a card came from, and how to ask there. */
export interface KeyPlace {
  readonly cardUrl: string
  fetch(url: string): Promise<{ readonly status: number; readonly body: unknown }>
}

export async function findKey(t: KeyPlace, signature: ReadSignature, given: readonly JWK[]): Promise<FoundKey> {
  const { kid, jku } = signature
  const known = choose(given, kid)
  if (known !== undefined) return { key: known }
  if (jku === undefined) return { missing: 'neither the card nor --card-key says where the key is' }
  if (URL.parse(jku)?.origin !== new URL(t.cardUrl).origin)
    return { missing: `the key set is at another origin (${jku}), which is not followed` }
  const x = await t.fetch(jku)
  const key = x.status === 200 ? choose(keysIn(x.body), kid) : undefined
  if (key !== undefined) return { key }
  const problem = x.status === 200 ? `has no key ${kid ?? ''}` : `answers HTTP ${x.status}`
  return { missing: `the key set ${jku} ${problem}` }
}

/** The key of that id; a single key without an id fits any. */
function choose(keys: readonly JWK[], kid: string | undefined): JWK | undefined {
  const named = keys.find((key) => key.kid !== undefined && key.kid === kid)
  const [only, ...others] = keys
  return named ?? (others.length === 0 && only?.kid === undefined ? only : undefined)
}

function keysIn(json: unknown): JWK[] {
  if (!isJsonObject(json)) return []
  const candidates = listAt(json, 'keys') ?? [json]
  return candidates.filter((key) => isJsonObject(key) && typeof key.kty === 'string') as JWK[]
}

async function readSource(source: string): Promise<string> {
  try {
    if (!/^https?:\/\//i.test(source)) return await readFile(source, 'utf8')
    const http = judgeClient(KEY_TIMEOUT_MS)
    try {
      const response = await http.request({ method: 'GET', url: source, headers: [['Accept', 'application/json']] })
      if (response.status !== 200) throw new Error(`HTTP ${response.status}`)
      return new TextDecoder().decode(await response.bytes())
    } finally {
      http.close()
    }
  } catch (cause) {
    throw unusable(source, `cannot be read (${cause instanceof Error ? cause.message : String(cause)})`)
  }
}

function jwkOfPem(text: string, source: string): JWK {
  try {
    return createPublicKey(text).export({ format: 'jwk' }) as JWK
  } catch {
    throw unusable(source, 'is not a public key or certificate in PEM')
  }
}

function unusable(source: string, why: string): ParleyError {
  return new ParleyError('card-key-unreadable', `The card key ${source} ${why}.`, { exitCode: EXIT.usage })
}
