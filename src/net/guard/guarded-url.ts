// The rules a URL given by a peer must keep before its host is even resolved: scheme, length, port, no user info,
// no forbidden name, not ourselves. Literal addresses are classified here, because a lookup hook never sees them.

import { isIP } from 'node:net'
import { networkInterfaces } from 'node:os'
import { trimEndOf } from '../../base/trim-end.ts'
import { type AddressKind, classifyAddress } from './classify-address.ts'

/** Every address a host name has now. */
export type Resolver = (hostname: string) => Promise<readonly string[]>

/** Which addresses a stranger may make us call. */
export interface GuardOptions {
  /**
   * Opens loopback and private networks, plain http and every port, for local use. Metadata hosts stay refused.
   * @default false
   */
  readonly allowPrivateNetworks?: boolean
  /**
   * Plain http to public hosts; https only without it.
   * @default false
   */
  readonly allowHttp?: boolean
  /**
   * Ports of public hosts that may be called.
   * @default [443, 80, 8443, 8080]
   */
  readonly allowedPorts?: readonly number[]
  /**
   * Every port of public hosts.
   * @default false
   */
  readonly allowsAnyPort?: boolean
  /** Our own listening addresses and public URLs, asked at each check because ports are known only after listening. */
  readonly selfOrigins?: () => readonly string[]
  /** Replaces the system's resolver. */
  readonly resolve?: Resolver
  /**
   * Milliseconds a name may take to be resolved; then the address is refused.
   * @default 5_000
   */
  readonly dnsTimeoutMs?: number
}

export type UrlVerdict = { ok: true; url: URL } | { ok: false; refusal: string }

const MAX_URL_LENGTH = 2048
const DEFAULT_PORTS: readonly number[] = [443, 80, 8443, 8080]
const REFUSED_NAMES = new Set(['metadata.google.internal', 'metadata.azure.com', 'metadata'])
const OPENED_KINDS = new Set<AddressKind>(['loopback', 'private'])

export function checkUrl(text: string, options: GuardOptions): UrlVerdict {
  if (text.length > MAX_URL_LENGTH) return refuse(`the URL is longer than ${MAX_URL_LENGTH} characters`)
  // `new URL` would strip these silently, so that what was shown is not what is called.
  if (hasWhitespaceOrControl(text)) return refuse('the URL contains whitespace or control characters')
  const url = URL.parse(text)
  if (url === null) return refuse('the URL cannot be parsed')
  const isOpen = options.allowPrivateNetworks === true
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && (isOpen || options.allowHttp === true))) {
    return refuse('the scheme must be https')
  }
  if (url.username !== '' || url.password !== '') return refuse('the URL must not carry user information')
  const port = portOf(url)
  const isAnyPort = isOpen || options.allowsAnyPort === true
  if (!isAnyPort && !(options.allowedPorts ?? DEFAULT_PORTS).includes(port)) {
    return refuse(`port ${port} is not allowed`)
  }
  const host = hostOf(url)
  if (host === '') return refuse('the URL has no host')
  if (isIP(host) !== 0) {
    const refusal = refusalOf(host, options)
    if (refusal !== undefined) return refuse(refusal)
  } else if (REFUSED_NAMES.has(host) || (!isOpen && isLocalName(host))) {
    return refuse(`${host} is not a public name`)
  }
  if (isSelf(host, port, options)) return refuse('the URL points back to this server')
  return { ok: true, url }
}

/** Why this address may not be reached, or undefined when it may. */
export function refusalOf(address: string, options: GuardOptions): string | undefined {
  const kind = classifyAddress(address)
  if (kind === 'public' || (options.allowPrivateNetworks === true && OPENED_KINDS.has(kind))) return undefined
  return `${address} is not a public address (${kind})`
}

/** Whether host (a name or an address) and port are one of our own origins. */
export function isSelf(host: string, port: number, options: GuardOptions): boolean {
  return (options.selfOrigins?.() ?? []).some((origin) => {
    const own = URL.parse(origin)
    if (own === null || portOf(own) !== port) return false
    const ownHost = hostOf(own)
    return ownHost === host || (isWildcard(ownHost) && isOwnInterface(host))
  })
}

/** ASCII, lower case, without brackets and trailing dots: the form under which a host is compared and pinned. */
export function hostOf(url: URL): string {
  return trimEndOf(url.hostname.toLowerCase().replace(/^\[|\]$/g, ''), '.')
}

export function portOf(url: URL): number {
  if (url.port !== '') return Number(url.port)
  return url.protocol === 'http:' ? 80 : 443
}

function refuse(refusal: string): UrlVerdict {
  return { ok: false, refusal }
}

function isLocalName(host: string): boolean {
  return host === 'localhost' || host.endsWith('.localhost') || host.endsWith('.local') || host.endsWith('.internal')
}

function isWildcard(host: string): boolean {
  return host === '0.0.0.0' || host === '::'
}

function isOwnInterface(host: string): boolean {
  if (host === 'localhost' || classifyAddress(host) === 'loopback') return true
  return Object.values(networkInterfaces()).some((list) => list?.some(({ address }) => address === host))
}

function hasWhitespaceOrControl(text: string): boolean {
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code <= 0x20 || code === 0x7f) return true
  }
  return false
}
