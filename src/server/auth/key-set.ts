// The public keys of a token issuer, fetched through the guard and kept. An unknown key id is looked for at once or
// within five seconds, so that a rotation is noticed whatever ids strangers put into their tokens; strangers cause one
// fetch in five seconds at most. When the issuer is unreachable or answers nonsense the known keys stay in force
// for a limited time, and then every token is refused.

import type { JSONWebKeySet, JWK, LocalJWKSet } from 'jose'
import { isJsonObject, type JsonObject } from '../../model/json.ts'
import { guardedRequest } from '../../net/guard/guarded-request.ts'
import type { GuardOptions } from '../../net/guard/guarded-url.ts'

export interface KeySetOptions {
  readonly guard: GuardOptions
  /** The origin that the operator wrote into the configuration may be anywhere; where its documents lead may not. */
  readonly trustsNamed?: boolean
  readonly now?: () => number
  /** How long keys are honoured without a successful fetch. */
  readonly keepMs?: number
}

/** Between two fetches; doubled while they bring nothing new. */
const LEAST_PAUSE_MS = 1_000
const MOST_PAUSE_MS = 5_000
const FRESH_MS = 10 * 60_000
const KEEP_MS = 60 * 60_000
const MAX_KEYS = 100

export class KeySet {
  readonly #locate: () => Promise<string | undefined>
  readonly #named: string
  readonly #options: KeySetOptions
  readonly #now: () => number
  readonly #keepMs: number
  #keys: LocalJWKSet | undefined
  #fetchedAtMs = Number.NEGATIVE_INFINITY
  #triedAtMs = Number.NEGATIVE_INFINITY
  #running: Promise<void> | undefined
  #pauseMs = LEAST_PAUSE_MS
  #ids: ReadonlySet<string> = new Set()

  /** `locate` gives the URL of the key set, for OpenID Connect from the discovery document; the operator wrote `named`. */
  constructor(locate: () => Promise<string | undefined>, named: string, options: KeySetOptions) {
    const { now = Date.now, keepMs = KEEP_MS } = options
    this.#locate = locate
    this.#named = named
    this.#options = options
    this.#now = now
    this.#keepMs = keepMs
  }

  /** The keys in force; undefined when there are none and none can be had now. */
  async current(): Promise<LocalJWKSet | undefined> {
    if (this.#now() - this.#fetchedAtMs >= FRESH_MS) await this.#refresh()
    return this.#now() - this.#fetchedAtMs < this.#keepMs ? this.#keys : undefined
  }

  /** For a token whose key is unknown: the issuer may have rotated. False when it is too early to ask again. */
  async renew(): Promise<boolean> {
    const before = this.#fetchedAtMs
    await this.#refresh()
    return this.#fetchedAtMs !== before
  }

  async #refresh(): Promise<void> {
    if (this.#running === undefined) {
      if (this.#now() - this.#triedAtMs < this.#pauseMs) return
      this.#triedAtMs = this.#now()
      this.#running = this.#fetch().finally(() => {
        this.#running = undefined
      })
    }
    await this.#running
  }

  async #fetch(): Promise<void> {
    const url = await this.#locate()
    const document = url === undefined ? undefined : await fetchJson(url, this.#options, this.#named)
    const keys = document === undefined ? undefined : publicKeysIn(document)
    const ids = new Set(keys?.keys.map(({ kid }) => kid ?? ''))
    const hasNew = [...ids].some((kid) => !this.#ids.has(kid))
    this.#pauseMs = hasNew ? LEAST_PAUSE_MS : Math.min(this.#pauseMs * 2, MOST_PAUSE_MS)
    if (keys === undefined) return
    this.#ids = ids
    // Loaded here, so that a server without tokens does not pay for it.
    const { createLocalJWKSet } = await import('jose')
    this.#keys = createLocalJWKSet(keys)
    this.#fetchedAtMs = this.#now()
  }
}

/** A JSON object behind a guarded URL; undefined for everything else that may be there. */
export async function fetchJson(
  url: string,
  { guard, trustsNamed = false }: KeySetOptions,
  named: string,
): Promise<JsonObject | undefined> {
  const isFree = trustsNamed && URL.parse(url)?.origin === URL.parse(named)?.origin
  const options = isFree ? { ...guard, allowPrivateNetworks: true } : guard
  const answer = await guardedRequest({ url, headers: { accept: 'application/json' }, timeoutMs: 5_000 }, options)
  if (!answer.ok || answer.status !== 200 || answer.isTruncated) return undefined
  try {
    const value: unknown = JSON.parse(answer.body.toString())
    return isJsonObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** Symmetric and private keys have no place in a published set: such a set is poisoned, or a grave mistake. */
function publicKeysIn(document: JsonObject): JSONWebKeySet | undefined {
  const { keys } = document
  if (!Array.isArray(keys) || keys.length === 0 || keys.length > MAX_KEYS) return undefined
  return keys.every(isPublicKey) ? { keys } : undefined
}

function isPublicKey(key: unknown): key is JWK {
  return isJsonObject(key) && typeof key.kty === 'string' && key.kty !== 'oct' && !('d' in key) && !('k' in key)
}
