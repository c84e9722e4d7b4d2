// AUTH-5 behind proxies: whose address a request is counted under, and that nobody can choose it.

import { describe, expect, test } from 'vitest'
import { TrustedProxies } from './trusted-proxies.ts'

const trusted = new TrustedProxies(['10.0.0.0/8', '::1', 'fd00::/8'])

function clientOf(address: string, headers: { forwarded?: string; 'x-forwarded-for'?: string } = {}) {
  return trusted.clientOf({ headers, peer: { address } })
}

describe('X-Forwarded-For', () => {
  test.each([
    ['nothing is said', '10.0.0.1', undefined, '10.0.0.1'],
    ['one client', '10.0.0.1', '192.0.2.7', '192.0.2.7'],
    ['the client wrote entries of its own', '10.0.0.1', '1.1.1.1, 8.8.8.8, 192.0.2.7', '192.0.2.7'],
    ['several trusted hops', '10.0.0.1', '6.6.6.6, 192.0.2.7, 10.0.0.3, 10.0.0.2', '192.0.2.7'],
    ['only trusted hops', '10.0.0.1', '10.0.0.3, 10.0.0.2', '10.0.0.3'],
    ['ports and brackets', '10.0.0.1', '192.0.2.7:4711', '192.0.2.7'],
    ['IPv6 with port', '10.0.0.1', '[2001:db8::7]:4711', '2001:db8::7'],
    ['a mapped peer', '::ffff:10.0.0.1', '::ffff:192.0.2.7', '192.0.2.7'],
    ['IPv6 peers', 'fd00::1', '192.0.2.7', '192.0.2.7'],
    ['a peer that is not trusted', '192.0.2.1', '6.6.6.6', '192.0.2.1'],
    ['a name nobody can check', '10.0.0.1', '6.6.6.6, unknown', '10.0.0.1 unknown'],
    ['empty entries', '10.0.0.1', ', 192.0.2.7, ', '192.0.2.7'],
  ])('%s', (_, peer, list, client) => {
    expect(clientOf(peer, list === undefined ? {} : { 'x-forwarded-for': list })).toBe(client)
  })
})

describe('Forwarded', () => {
  test.each([
    ['for=192.0.2.7', '192.0.2.7'],
    ['for=6.6.6.6;proto=https, For="[2001:db8::7]:4711";by=10.0.0.1', '2001:db8::7'],
    ['for="6.6.6.6, for=7.7.7.7", for=192.0.2.7', '192.0.2.7'],
    ['for=6.6.6.6, proto=https', '10.0.0.1 unknown'],
    ['for=192.0.2.7, for=10.0.0.9', '192.0.2.7'],
    ['for=_hidden', '10.0.0.1 _hidden'],
  ])('%s', (forwarded, client) => {
    expect(clientOf('10.0.0.1', { forwarded })).toBe(client)
  })

  test('beside an X-Forwarded-For that says something else, neither counts', () => {
    expect(clientOf('10.0.0.1', { forwarded: 'for=6.6.6.6', 'x-forwarded-for': '192.0.2.7' })).toBe('10.0.0.1')
    expect(clientOf('10.0.0.1', { forwarded: 'for=192.0.2.7', 'x-forwarded-for': '192.0.2.7' })).toBe('192.0.2.7')
  })
})

test.each(['', 'localhost', '10.0.0.0/33', '10.0.0.0/', '10.0.0.0/8/8', '::/129', '10.0.0.0/-1', 'x/8'])(
  'the network %j is refused',
  (network) => {
    expect(() => new TrustedProxies([network])).toThrow('such as 10.0.0.0/8')
  },
)

test('without networks nobody is trusted', () => {
  const nobody = new TrustedProxies()
  expect(nobody.clientOf({ headers: { 'x-forwarded-for': '6.6.6.6' }, peer: { address: '127.0.0.1' } })).toBe(
    '127.0.0.1',
  )
})

test('where nobody knows who is at the other end, nobody is named', () => {
  expect(trusted.clientOf({ headers: { 'x-forwarded-for': '6.6.6.6' } })).toBeUndefined()
})
