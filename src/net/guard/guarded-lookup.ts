// Resolves a host once, classifies every address it has, and pins the answer: the connection goes to the very
// addresses that were checked, so a name that changes its mind between check and connect gains nothing.

import { lookup } from 'node:dns/promises'
import { isIP, type LookupFunction } from 'node:net'
import { trimEndOf } from '../../base/trim-end.ts'
import { checkUrl, type GuardOptions, hostOf, isSelf, portOf, refusalOf } from './guarded-url.ts'

export type GuardVerdict =
  | { ok: true; url: URL; lookup: LookupFunction }
  /** 'unresolved' is the network's fault and may pass; 'refused' will stay refused. */
  | { ok: false; reason: 'refused' | 'unresolved'; refusal: string }

const DNS_TIMEOUT_MS = 5_000
const MAX_ADDRESSES = 64

/** The whole check, without connecting: what registration of a webhook asks for. */
export async function guardUrl(text: string, options: GuardOptions): Promise<GuardVerdict> {
  const checked = checkUrl(text, options)
  if (!checked.ok) return { ok: false, reason: 'refused', refusal: checked.refusal }
  const { url } = checked
  const host = hostOf(url)
  if (isIP(host) !== 0) return { ok: true, url, lookup: pinnedLookup(host, [host]) }
  const resolved = await resolveChecked(url, options)
  return resolved.ok ? { ok: true, url, lookup: pinnedLookup(host, resolved.addresses) } : resolved
}

/**
 * The same check at the moment of connecting, for a URL whose text has passed `checkUrl`: a connection that is kept was
 * checked when it was made. `fail` makes the error the connection then ends with.
 */
export function guardedLookup(url: URL, options: GuardOptions, fail: (refusal: string) => Error): LookupFunction {
  const host = hostOf(url)
  return (hostname, lookupOptions, callback) => {
    const answer = async () => {
      const resolved = await resolveChecked(url, options)
      if (resolved.ok) pinnedLookup(host, resolved.addresses)(hostname, lookupOptions, callback)
      else if (resolved.reason === 'refused') callback(fail(resolved.refusal), '', 0)
      else callback(Object.assign(new Error(resolved.refusal), { code: 'ENOTFOUND' }), '', 0)
    }
    void answer()
  }
}

type Resolved = { ok: true; addresses: readonly string[] } | Exclude<GuardVerdict, { ok: true }>

async function resolveChecked(url: URL, options: GuardOptions): Promise<Resolved> {
  const host = hostOf(url)
  const addresses = await resolveWithin(host, options)
  if (addresses === undefined || addresses.length === 0) {
    return { ok: false, reason: 'unresolved', refusal: `${host} could not be resolved` }
  }
  if (addresses.length > MAX_ADDRESSES) return refuse(`${host} has more than ${MAX_ADDRESSES} addresses`)
  for (const address of addresses) {
    const refusal = refusalOf(address, options)
    if (refusal !== undefined) return refuse(`${host} resolves to ${refusal}`)
    if (isSelf(address, portOf(url), options)) return refuse(`${host} resolves to this server`)
  }
  return { ok: true, addresses }
}

function refuse(refusal: string): Exclude<GuardVerdict, { ok: true }> {
  return { ok: false, reason: 'refused', refusal }
}

/** Answers for the one checked host, from the checked addresses, and for nothing else. */
function pinnedLookup(host: string, addresses: readonly string[]): LookupFunction {
  const pinned = addresses.map((address) => ({ address, family: isIP(address) }))
  return (hostname, options, callback) => {
    const [first] = pinned
    if (first === undefined || trimEndOf(hostname.toLowerCase(), '.') !== host) {
      callback(Object.assign(new Error('the host was not checked'), { code: 'ENOTFOUND' }), '', 0)
    } else if (options.all === true) callback(null, pinned)
    else callback(null, first.address, first.family)
  }
}

async function resolveWithin(host: string, options: GuardOptions): Promise<readonly string[] | undefined> {
  const resolve = options.resolve ?? systemResolve
  const silence = Promise.withResolvers<undefined>()
  const timer = setTimeout(() => silence.resolve(undefined), options.dnsTimeoutMs ?? DNS_TIMEOUT_MS)
  try {
    return await Promise.race([resolve(host).catch(() => undefined), silence.promise])
  } finally {
    clearTimeout(timer)
  }
}

async function systemResolve(host: string): Promise<readonly string[]> {
  const found = await lookup(host, { all: true })
  return found.map(({ address }) => address)
}
