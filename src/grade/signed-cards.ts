// Cards with signatures (1.0 §8.4), made on the spot: what is signed, by which key, and what is changed afterwards.

import { createPrivateKey, generateKeyPairSync, type KeyObject, sign, X509Certificate } from 'node:crypto'
import { dialectById } from '../dialects/index.ts'
import type { JsonObject } from '../model/json.ts'
import { makeAuthority } from '../net/certificates.ts'
import { CURRENT } from './scenario.ts'

export interface CardKey {
  readonly secret: KeyObject
  /** The public half, with its kid. */
  readonly jwk: JsonObject
}

export function cardKey(kid: string): CardKey {
  const { privateKey: secret, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return { secret, jwk: { ...(publicKey.export({ format: 'jwk' }) as JsonObject), kid, alg: 'ES256', use: 'sig' } }
}

/** A key whose certificate ended an hour ago; readers of JWK alone find the same date in `exp`. */
export function endedKey(kid: string): CardKey {
  const notAfter = new Date(Date.now() - 3_600_000)
  const { cert, key } = makeAuthority('A provider').issue({ subject: { CN: kid }, notAfter })
  const certificate = new X509Certificate(cert)
  const jwk = certificate.publicKey.export({ format: 'jwk' }) as JsonObject
  const dates = { exp: Math.floor(notAfter.getTime() / 1_000), x5c: [certificate.raw.toString('base64')] }
  return { secret: createPrivateKey(key), jwk: { ...jwk, kid, alg: 'ES256', use: 'sig', ...dates } }
}

/** The card with one signature more; `header`: what else its protected header says. */
export function signed(card: JsonObject, { secret, jwk }: CardKey, header: JsonObject = {}): JsonObject {
  const text = dialectById(CURRENT).card.signedText?.(card)
  if (text === undefined) throw new Error(`Cards of ${CURRENT} have no signed form.`)
  const said = encoded({ alg: 'ES256', typ: 'JOSE', kid: jwk.kid ?? '', ...header })
  const input = Buffer.from(`${said}.${Buffer.from(text).toString('base64url')}`)
  const signature = sign('sha256', input, { key: secret, dsaEncoding: 'ieee-p1363' }).toString('base64url')
  const before = Array.isArray(card.signatures) ? card.signatures : []
  return { ...card, signatures: [...before, { protected: said, signature }] }
}

function encoded(value: JsonObject): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}
