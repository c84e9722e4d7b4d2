// How the requests of one run behave: no faster than the host's rate, to the addresses its names had when the run began,
// to no agent that opted out or is not public, and none at all after the host has said that it wants fewer, or money.

import { setTimeout as sleep } from 'node:timers/promises'
import { guardUrl } from '../net/guard/guarded-lookup.ts'
import type { Reach } from '../net/guard/reach.ts'
import { NetError } from '../net/net-error.ts'
import { retryAfterMs } from '../net/retry-after.ts'
import { type Exchange, headerOf } from '../trace/exchange.ts'
import { type FleetSettings, isOptedOut } from './settings.ts'

/** What a host said instead of an answer. */
export interface Refusal {
  readonly kind: 'throttled' | 'payment'
  /** As it asked for; undefined when it only refused. */
  readonly waitMs: number | undefined
  readonly status: number
}

type Lookup = Awaited<ReturnType<Reach>>

export class Manners {
  /** Set once; the run is over then. */
  refusal: Refusal | undefined
  /** Where a request was not sent because of whose address it is. */
  forbidden: string | undefined
  readonly #settings: FleetSettings
  readonly #stop = new AbortController()
  readonly #pins = new Map<string, Promise<Lookup>>()
  readonly #gapMs: number
  #nextAt = 0

  constructor(settings: FleetSettings) {
    this.#settings = settings
    this.#gapMs = (1_000 * settings.hostConcurrency) / settings.hostRate
  }

  /** Ends the run when the host wants no more of it. */
  get signal(): AbortSignal {
    return this.#stop.signal
  }

  /** How long the host is to be left alone for its rate. */
  get restMs(): number {
    return Math.max(0, this.#nextAt - performance.now())
  }

  readonly reach: Reach = async (url) => {
    const pin = this.#pins.get(url.origin) ?? this.#pinOf(url)
    this.#pins.set(url.origin, pin)
    const lookup = await pin
    await this.#pace()
    return lookup
  }

  readonly onExchange = ({ response }: Exchange): void => {
    if (response === undefined || this.refusal !== undefined) return
    const { status, headers } = response
    const wished = headerOf(headers, 'retry-after')
    if (status === 402) this.#refuse({ kind: 'payment', waitMs: undefined, status })
    else if (status === 429 || (status === 503 && wished !== undefined))
      this.#refuse({ kind: 'throttled', waitMs: retryAfterMs(wished, clockOf(headers)), status })
  }

  #refuse(refusal: Refusal): void {
    this.refusal = refusal
    this.#stop.abort()
  }

  async #pinOf(url: URL): Promise<Lookup> {
    const { optOut, allowsPrivate } = this.#settings
    if (isOptedOut(url.hostname, optOut)) throw this.#forbid(`${url.hostname} has opted out`)
    if (allowsPrivate && /^(?:0\.0\.0\.0|\[::\])$/.test(url.hostname)) return undefined
    const options = { allowHttp: true, allowsAnyPort: true, allowPrivateNetworks: allowsPrivate }
    const verdict = await guardUrl(url.href, options)
    if (verdict.ok) return verdict.lookup
    if (verdict.reason === 'unresolved') throw new NetError('unreachable', `${verdict.refusal}.`)
    throw this.#forbid(verdict.refusal)
  }

  #forbid(why: string): NetError {
    this.forbidden ??= why
    return new NetError('refused', `${why}, so it is not called.`)
  }

  async #pace(): Promise<void> {
    const now = performance.now()
    const at = Math.max(now, this.#nextAt)
    this.#nextAt = at + this.#gapMs
    if (at > now) await sleep(at - now, undefined, { signal: this.#stop.signal }).catch(() => {})
    if (this.refusal !== undefined) throw new NetError('aborted', 'The host wants no more requests for now.')
  }
}

/** A date in Retry-After is one of the server's clock. */
function clockOf(headers: Exchange['request']['headers']): number {
  const date = Date.parse(headerOf(headers, 'date') ?? '')
  return Number.isNaN(date) ? Date.now() : date
}
