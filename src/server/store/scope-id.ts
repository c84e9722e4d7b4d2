// The identity of a scope in shared stores: 128 bits of its digest, so that no lookup stands between a request and its
// rows, and no character of a name can break out of a key.

import { createHash } from 'node:crypto'
import { type Scope, scopeKey } from '../../model/scope.ts'

const CACHE_SIZE = 10_000
const cache = new Map<string, string>()

/** 32 hexadecimal digits. */
export function scopeId(scope: Scope): string {
  const key = scopeKey(scope)
  let id = cache.get(key)
  if (id === undefined) {
    id = createHash('sha256').update(key).digest('hex').slice(0, 32)
    if (cache.size >= CACHE_SIZE) cache.clear()
    cache.set(key, id)
  }
  return id
}
