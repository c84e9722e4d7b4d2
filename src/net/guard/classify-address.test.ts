// SSRF-ADDR: every row of the address tables, and FUZZ-9: the classifier against a second, naive one.

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type AddressKind, addressBlock, classifyAddress } from './classify-address.ts'

const REFUSED: readonly [row: string, AddressKind, ...addresses: string[]][] = [
  ['loopback', 'loopback', '127.0.0.0', '127.0.0.1', '127.255.255.255', '::1', '::ffff:127.0.0.1', '::ffff:7f00:1'],
  ['unspecified and this network', 'special', '0.0.0.0', '0.1.2.3', '0.255.255.255', '::'],
  ['private 10/8', 'private', '10.0.0.0', '10.255.255.255', '::ffff:10.0.0.1'],
  ['private 172.16/12', 'private', '172.16.0.0', '172.31.255.255'],
  ['private 192.168/16', 'private', '192.168.0.0', '192.168.255.255'],
  ['CGNAT', 'private', '100.64.0.0', '100.127.255.255'],
  ['ULA', 'private', 'fc00::', 'fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', 'fec0::1'],
  ['link-local', 'link-local', '169.254.0.0', '169.254.255.255', 'fe80::1', 'febf::1', 'fe80::1%eth0'],
  [
    'metadata',
    'metadata',
    '169.254.169.254',
    '169.254.170.2',
    '100.100.100.200',
    '168.63.129.16',
    'fd00:ec2::254',
    '::ffff:169.254.169.254',
  ],
  ['192.0.0/24', 'special', '192.0.0.0', '192.0.0.255'],
  ['documentation', 'special', '192.0.2.1', '198.51.100.1', '203.0.113.255', '2001:db8::1', '3fff::1'],
  ['benchmarking', 'special', '198.18.0.0', '198.19.255.255', '2001:2::1'],
  ['6to4 relay', 'special', '192.88.99.1'],
  ['multicast', 'special', '224.0.0.1', '239.255.255.255', 'ff00::', 'ff02::1'],
  ['reserved and broadcast', 'special', '240.0.0.0', '255.255.255.255'],
  ['discard', 'special', '100::', '100::ffff:ffff:ffff:ffff'],
  ['IPv4-compatible', 'special', '::127.0.0.1', '::7f00:1', '::8.8.8.8'],
  ['IPv4-translated', 'special', '::ffff:0:127.0.0.1'],
  ['NAT64', 'special', '64:ff9b::7f00:1', '64:ff9b::8.8.8.8', '64:ff9b:1::1', '64:ff9b:1:ffff::1'],
  ['6to4', 'special', '2002:7f00:1::', '2002:ffff::1'],
  ['Teredo', 'special', '2001::1', '2001:0:ffff::1'],
  ['not an address', 'invalid', '', 'localhost', '127.1', '0x7f.1', '2130706433', '[::1]', '127.0.0.1.', '1.2.3.256'],
]

const ALLOWED: readonly [row: string, ...addresses: string[]][] = [
  ['below and above CGNAT', '100.63.255.254', '100.128.0.1'],
  ['below and above 172.16/12', '172.15.255.254', '172.32.0.1'],
  ['above NAT64', '64:ff9c::1'],
  ['public IPv6', '2001:4860:4860::8888', '2606:4700:4700::1111'],
  ['public IPv4', '8.8.8.8', '1.1.1.1', '::ffff:8.8.8.8'],
  [
    'neighbours of the special blocks',
    '126.255.255.255',
    '128.0.0.0',
    '169.253.255.255',
    '169.255.0.0',
    '223.255.255.255',
  ],
  ['neighbours of single hosts', '168.63.129.15', '168.63.129.17'],
]

describe('classifyAddress', () => {
  test.each(REFUSED)('SSRF-ADDR refuses %s', (_row, kind, ...addresses) => {
    for (const address of addresses) expect([address, classifyAddress(address)]).toEqual([address, kind])
  })

  test.each(ALLOWED)('SSRF-ADDR allows %s', (_row, ...addresses) => {
    for (const address of addresses) expect([address, classifyAddress(address)]).toEqual([address, 'public'])
  })

  test('FUZZ-9 agrees with a naive classifier about IPv4', () => {
    const octet = fc.oneof(
      fc.nat(255),
      fc.constantFrom(0, 10, 63, 64, 100, 127, 128, 168, 169, 172, 192, 198, 203, 254),
    )
    fc.assert(
      fc.property(fc.tuple(octet, octet, octet, octet), (octets) => {
        expect(classifyAddress(octets.join('.')) === 'public').toBe(isPublicV4(octets))
      }),
      { numRuns: 20_000 },
    )
  })

  test('FUZZ-9 agrees with a naive classifier about IPv6', () => {
    const known = [0, 1, 2, 0x64, 0x100, 0xffff, 0xff9b, 0xff9c, 0x2001, 0x2002, 0xdb8, 0x3fff, 0xfd00, 0xfe80, 0x7f00]
    const group = fc.oneof(fc.nat(0xffff), fc.constantFrom(...known), fc.constant(0))
    fc.assert(
      fc.property(fc.array(group, { minLength: 8, maxLength: 8 }), (groups) => {
        const address = groups.map((value) => value.toString(16)).join(':')
        expect(classifyAddress(address) === 'public').toBe(isPublicV6(groups))
        const compressed = new URL(`http://[${address}]`).hostname.slice(1, -1)
        expect(classifyAddress(compressed)).toBe(classifyAddress(address))
      }),
      { numRuns: 20_000 },
    )
  })
})

test.each([
  ['127.0.0.1', '127.0.0.1'],
  ['::ffff:127.0.0.1', '127.0.0.1'],
  ['2001:db8:1:2:3:4:5:6', '20010db800010002::/64'],
  ['2001:db8:1:2::ffff', '20010db800010002::/64'],
  ['2001:db8:1:3::1', '20010db800010003::/64'],
  ['::1', '0::/64'],
  ['10.0.0.1 unknown', '10.0.0.1 unknown'],
  ['', ''],
])('%j is counted as %j', (address, block) => {
  expect(addressBlock(address)).toBe(block.replace(/^0+(?=[1-9a-f])/, ''))
})

function isPublicV4([a = 0, b = 0, c = 0, d = 0]: readonly number[]): boolean {
  if (a === 0 || a === 10 || a === 127 || a >= 224) return false
  if (a === 100 && b >= 64 && b <= 127) return false
  if (a === 168 && b === 63 && c === 129 && d === 16) return false
  if (a === 169 && b === 254) return false
  if (a === 172 && b >= 16 && b <= 31) return false
  if (a === 192 && b === 168) return false
  if (a === 192 && b === 0 && (c === 0 || c === 2)) return false
  if (a === 192 && b === 88 && c === 99) return false
  if (a === 198 && (b === 18 || b === 19 || (b === 51 && c === 100))) return false
  return !(a === 203 && b === 0 && c === 113)
}

function isPublicV6(groups: readonly number[]): boolean {
  const [g0 = 0, g1 = 0, g2 = 0, g3 = 0, g4 = 0, g5 = 0, g6 = 0, g7 = 0] = groups
  const zeros = (count: number): boolean => groups.slice(0, count).every((group) => group === 0)
  if (zeros(5) && g5 === 0xffff) return isPublicV4([g6 >> 8, g6 & 255, g7 >> 8, g7 & 255])
  if (zeros(6) || (zeros(4) && g4 === 0xffff && g5 === 0)) return false
  if (g0 === 0x64 && g1 === 0xff9b && (g2 === 1 || (g2 === 0 && g3 === 0 && g4 === 0 && g5 === 0))) return false
  if (g0 === 0x100 && g1 === 0 && g2 === 0 && g3 === 0) return false
  if (g0 === 0x2001 && (g1 < 0x200 || g1 === 0xdb8)) return false
  if (g0 === 0x2002 || g0 === 0x5f00 || (g0 === 0x3fff && g1 < 0x1000)) return false
  const top = g0 >> 8
  return !(top === 0xfc || top === 0xfd || top === 0xff || (top === 0xfe && (g0 & 0xff) >= 0x80))
}
