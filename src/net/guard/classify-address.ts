// Says what kind of network an IP address belongs to, from the IANA special-purpose registries. Only 'public'
// addresses may be reached on behalf of a peer. An IPv6 form that carries an IPv4 address is either unwrapped
// (mapped) or refused whole (compatible, translated, tunnelled): `net.BlockList` lets those through.

import { isIP } from 'node:net'

export type AddressKind = 'public' | 'loopback' | 'private' | 'metadata' | 'link-local' | 'special' | 'invalid'

type Row = readonly [cidr: string, kind: AddressKind]

/** First match wins, so the single metadata hosts stand before the networks that contain them. */
const IPV4_ROWS: readonly Row[] = [
  ['169.254.169.254/32', 'metadata'],
  ['169.254.170.2/32', 'metadata'],
  ['100.100.100.200/32', 'metadata'],
  ['168.63.129.16/32', 'metadata'],
  ['127.0.0.0/8', 'loopback'],
  ['0.0.0.0/8', 'special'],
  ['10.0.0.0/8', 'private'],
  ['172.16.0.0/12', 'private'],
  ['192.168.0.0/16', 'private'],
  ['100.64.0.0/10', 'private'],
  ['169.254.0.0/16', 'link-local'],
  ['192.0.0.0/24', 'special'],
  ['192.0.2.0/24', 'special'],
  ['192.88.99.0/24', 'special'],
  ['198.18.0.0/15', 'special'],
  ['198.51.100.0/24', 'special'],
  ['203.0.113.0/24', 'special'],
  ['224.0.0.0/4', 'special'],
  ['240.0.0.0/4', 'special'],
]

const IPV6_ROWS: readonly Row[] = [
  ['fd00:ec2::254/128', 'metadata'],
  ['::1/128', 'loopback'],
  ['::/96', 'special'],
  ['::ffff:0:0:0/96', 'special'],
  ['64:ff9b::/96', 'special'],
  ['64:ff9b:1::/48', 'special'],
  ['100::/64', 'special'],
  ['2001::/23', 'special'],
  ['2001:db8::/32', 'special'],
  ['2002::/16', 'special'],
  ['3fff::/20', 'special'],
  ['5f00::/16', 'special'],
  ['fc00::/7', 'private'],
  ['fe80::/10', 'link-local'],
  ['fec0::/10', 'private'],
  ['ff00::/8', 'special'],
]

interface Range {
  readonly first: bigint
  readonly last: bigint
  readonly kind: AddressKind
}

const IPV4_RANGES = IPV4_ROWS.map((row) => rangeOf(row, 32n, ipv4Value))
const IPV6_RANGES = IPV6_ROWS.map((row) => rangeOf(row, 128n, ipv6Value))
const MAPPED_PREFIX = 0xffffn

/** `address` is a literal without brackets; anything that is not one is 'invalid', which may not be reached. */
export function classifyAddress(address: string): AddressKind {
  const family = isIP(address)
  if (family === 4) return kindIn(IPV4_RANGES, ipv4Value(address))
  if (family !== 6 || address.includes('%')) return family === 6 ? 'link-local' : 'invalid'
  const value = ipv6Value(address)
  if (value >> 32n === MAPPED_PREFIX) return kindIn(IPV4_RANGES, value & 0xffffffffn)
  return kindIn(IPV6_RANGES, value)
}

/**
 * What is counted as one: an IPv4 address, and of IPv6 the network of 64 bits that a single customer gets, within which
 * he may call from as many addresses as he likes. Anything else is itself.
 */
export function addressBlock(address: string): string {
  if (isIP(address) !== 6 || address.includes('%')) return address
  const value = ipv6Value(address)
  if (value >> 32n === MAPPED_PREFIX) return [24n, 16n, 8n, 0n].map((bits) => (value >> bits) & 0xffn).join('.')
  return `${(value >> 64n).toString(16)}::/64`
}

function kindIn(ranges: readonly Range[], value: bigint): AddressKind {
  for (const range of ranges) if (value >= range.first && value <= range.last) return range.kind
  return 'public'
}

function rangeOf([cidr, kind]: Row, width: bigint, toValue: (address: string) => bigint): Range {
  const [address = '', prefix = ''] = cidr.split('/')
  const hostBits = width - BigInt(prefix)
  const first = toValue(address)
  return { first, last: first + (1n << hostBits) - 1n, kind }
}

function ipv4Value(address: string): bigint {
  return address.split('.').reduce((value, octet) => (value << 8n) | BigInt(octet), 0n)
}

function ipv6Value(address: string): bigint {
  const [head = '', tail] = withHexTail(address).split('::')
  const left = groupsOf(head)
  const right = tail === undefined ? [] : groupsOf(tail)
  const zeros = Array.from({ length: 8 - left.length - right.length }, () => 0n)
  return [...left, ...zeros, ...right].reduce((value, group) => (value << 16n) | group, 0n)
}

function groupsOf(text: string): bigint[] {
  return text === '' ? [] : text.split(':').map((group) => BigInt(`0x${group}`))
}

/** Rewrites a dotted tail (`::ffff:127.0.0.1`) as two groups. */
function withHexTail(address: string): string {
  const at = address.lastIndexOf(':') + 1
  const tail = address.slice(at)
  if (!tail.includes('.')) return address
  const value = ipv4Value(tail)
  return `${address.slice(0, at)}${(value >> 16n).toString(16)}:${(value & 0xffffn).toString(16)}`
}
