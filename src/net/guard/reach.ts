// Where a client may go. An origin that the operator or the person at the keyboard named is free;
// every other one was chosen by a peer, with its card or a redirect, and passes the guard when the connection is made.

import { lookup } from 'node:dns/promises'
import type { LookupFunction } from 'node:net'
import type { MaybePromise } from '../../base/maybe-promise.ts'
import { NetError } from '../net-error.ts'
import { classifyAddress } from './classify-address.ts'
import { guardedLookup } from './guarded-lookup.ts'
import { checkUrl, type GuardOptions, hostOf } from './guarded-url.ts'

/** How the host of this URL is to be resolved, undefined for the usual way; rejects with NetError when it is refused. */
export type Reach = (url: URL) => MaybePromise<LookupFunction | undefined>

export interface ReachOptions {
  /** Origins that are free. */
  readonly named: readonly string[]
  readonly guard?: GuardOptions
  /** From an origin that is itself not public, other addresses that are not public may be reached too. */
  readonly allowsNeighbours?: boolean
}

/** Agents live on any port, and many without TLS; what counts is whose network it is. */
const ANY_PUBLIC: GuardOptions = { allowHttp: true, allowsAnyPort: true }

export function reachOf({ named, guard = {}, allowsNeighbours = false }: ReachOptions): Reach {
  const free = new Set(named.flatMap((origin) => [origin, sameMachine(origin)]))
  const guarded = async (url: URL) => {
    const isOpen = guard.allowPrivateNetworks === true || (allowsNeighbours && (await isNear(named, guard)))
    // Where this machine may be called, its wildcard address is another name of it that many cards carry.
    if (isOpen && /^(?:0\.0\.0\.0|\[::\])$/.test(url.hostname)) return undefined
    const options = { ...ANY_PUBLIC, ...guard, allowPrivateNetworks: isOpen }
    const verdict = checkUrl(url.href, options)
    if (!verdict.ok) throw addressRefused(url, verdict.refusal)
    return guardedLookup(verdict.url, options, (refusal) => addressRefused(url, refusal))
  }
  // Most calls go where the operator said, and need no look-up.
  return (url) => (free.has(url.origin) || free.has(sameMachine(url.origin)) ? undefined : guarded(url))
}

/** `localhost`, the loopback and the wildcard addresses are one place; agents on it rarely agree on its name. */
export function sameMachine(origin: string): string {
  return origin.replace(
    /^(https?):\/\/(?:localhost|127\.0\.0\.1|0\.0\.0\.0|\[::1?\])(?=:|$)/i,
    (_, scheme: string) => `${scheme.toLowerCase()}://localhost`,
  )
}

function addressRefused(url: URL, refusal: string): NetError {
  return new NetError('refused', `The agent leads to ${url.origin}, which is not called: ${refusal}.`)
}

/** Whether one of the origins is in a network that is not public. */
async function isNear(origins: readonly string[], { resolve }: GuardOptions): Promise<boolean> {
  for (const origin of origins) {
    const url = URL.parse(origin)
    if (url === null) continue
    const host = hostOf(url)
    const addresses = await addressesOf(host, resolve)
    if (addresses.some((address) => classifyAddress(address) !== 'public')) return true
  }
  return false
}

async function addressesOf(host: string, resolve: GuardOptions['resolve']): Promise<readonly string[]> {
  try {
    if (resolve !== undefined && classifyAddress(host) === 'invalid') return await resolve(host)
    return (await lookup(host, { all: true })).map(({ address }) => address)
  } catch {
    return []
  }
}
