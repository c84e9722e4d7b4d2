// How the requests of one run behave: no faster than the host's rate, to the addresses its names had when the run began,
// to no agent that opted out or is not public, to no other host that another run speaks to, and none at all after a host has
// said that it wants fewer, or money.

import { setTimeout as sleep } from 'node:timers/promises'
import { limitOf } from '../judge/probe/rate-limit.ts'
import { guardUrl } from '../net/guard/guarded-lookup.ts'
import type { Reach } from '../net/guard/reach.ts'
import { NetError } from '../net/net-error.ts'
import { type Exchange, headerOf } from '../trace/exchange.ts'
import { type FleetSettings, isOptedOut } from './settings.ts'

/**
 * Why a run ended before its time. throttled, payment: what a host said instead of an answer. occupied: another run
 * speaks to a host where the card leads. paused: that host has wanted to be left alone for too long.
 */
export interface Refusal {
  readonly kind: 'throttled' | 'payment' | 'occupied' | 'paused'
  readonly origin: string
  /** How long to stay away; undefined when it was not said. */
  readonly waitMs: number | undefined
  /** What was said: `HTTP 429, Retry-After: 30`. */
  readonly words: string
}

/** What a run needs to know about the place it was sent to, and about others. */
export interface Premises {
  /** The origin whose turn it is. */
  readonly origin: string
  /** Asks to speak to another host until the run is over; undefined when that is granted. */
  enter(origin: string, signal: AbortSignal): Promise<Refusal | undefined>
}

type Lookup = Awaited<ReturnType<Reach>>

export class Manners {
  /** Set once; the run is over then. */
  refusal: Refusal | undefined
  /** Where a request was not sent because of whose address it is. */
  forbidden: string | undefined
  readonly #settings: FleetSettings
  readonly #stop = new AbortController()
  readonly #premises: Premises
  readonly #pins = new Map<string, Promise<Lookup>>()
  readonly #entered = new Map<string, Promise<void>>()
  readonly #gapMs: number
  #nextAt = 0

  constructor(settings: FleetSettings, premises: Premises) {
    this.#settings = settings
    this.#premises = premises
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
    const { origin } = url
    if (origin !== this.#premises.origin) {
      const entered = this.#entered.get(origin) ?? this.#enter(origin)
      this.#entered.set(origin, entered)
      await entered
    }
    await this.#pace()
    return lookup
  }

  readonly onExchange = (exchange: Exchange): void => {
    const { response } = exchange
    if (response === undefined || this.refusal !== undefined) return
    const limit = limitOf(exchange, clockOf(response.headers))
    if (limit === undefined) return
    const { waitMs, isAdvised, words } = limit
    const { origin } = new URL(exchange.request.url)
    if (waitMs === undefined) this.#refuse({ kind: 'payment', origin, waitMs, words })
    else this.#refuse({ kind: 'throttled', origin, waitMs: isAdvised ? withinReason(waitMs) : undefined, words })
  }

  async #enter(origin: string): Promise<void> {
    const refusal = await this.#premises.enter(origin, this.#stop.signal)
    if (refusal !== undefined) this.#refuse(refusal)
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
    if (this.refusal !== undefined) throw new NetError('aborted', 'The host is to be left alone for now.')
  }
}

const LEAST_WAIT_MS = 1_000
const MOST_WAIT_MS = 86_400_000

function withinReason(waitMs: number): number {
  return Math.min(Math.max(waitMs, LEAST_WAIT_MS), MOST_WAIT_MS)
}

/** A date in Retry-After is one of the server's clock. */
function clockOf(headers: Exchange['request']['headers']): number {
  const date = Date.parse(headerOf(headers, 'date') ?? '')
  return Number.isNaN(date) ? Date.now() : date
}
