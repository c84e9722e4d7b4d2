// How much work strangers may cause by showing tokens whose signature turns out wrong. A good token costs nothing here,
// so no caller is locked out by counting; what is bounded is the processor time that bad ones take: per address, and in all.

import { setBounded } from '../../base/bounded.ts'

interface Bucket {
  left: number
  atMs: number
}

/** Wrong signatures an address may show at once, and per second after that: about a tenth of one core. */
const ADDRESS = { burst: 2_000, perSecond: 200 }
/** The same for all addresses together; when it is used up, those that showed wrong ones wait, others do not. */
const ALL = { burst: 8_000, perSecond: 800 }
/** So many wrong ones make an address one that waits while the whole is used up. */
const SUSPECT = 20
const MAX_ADDRESSES = 10_000

export class VerificationBudget {
  readonly #now: () => number
  readonly #addresses = new Map<string, Bucket>()
  readonly #all: Bucket

  constructor(now: () => number = Date.now) {
    this.#now = now
    this.#all = { left: ALL.burst, atMs: now() }
  }

  /** Whether a token from this address may be verified now; without a known address, while the common budget lasts. */
  allows(address: string | undefined): boolean {
    if (address === undefined) return refill(this.#all, ALL, this.#now()) >= 1
    const bucket = this.#addresses.get(address)
    if (bucket === undefined) return true
    const left = refill(bucket, ADDRESS, this.#now())
    if (left < 1) return false
    return refill(this.#all, ALL, this.#now()) >= 1 || left > ADDRESS.burst - SUSPECT
  }

  /** A token from this address was verified for nothing. */
  spent(address: string | undefined): void {
    const now = this.#now()
    this.#all.left = Math.max(0, refill(this.#all, ALL, now) - 1)
    if (address === undefined) return
    const bucket = this.#addresses.get(address) ?? { left: ADDRESS.burst, atMs: now }
    bucket.left = refill(bucket, ADDRESS, now) - 1
    this.#addresses.delete(address)
    setBounded(this.#addresses, address, bucket, MAX_ADDRESSES)
  }
}

function refill(bucket: Bucket, { burst, perSecond }: { burst: number; perSecond: number }, now: number): number {
  bucket.left = Math.min(burst, bucket.left + (Math.max(0, now - bucket.atMs) / 1000) * perSecond)
  bucket.atMs = now
  return bucket.left
}
