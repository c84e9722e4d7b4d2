// Secrets are compared by their SHA-256 digests in constant time: equal lengths by construction, and no prefix of a
// guess is worth more than another.

import { createHash, timingSafeEqual } from 'node:crypto'

export function secretDigest(secret: string): Buffer {
  return createHash('sha256').update(secret).digest()
}

export function isSameDigest(a: Buffer, b: Buffer): boolean {
  return timingSafeEqual(a, b)
}
