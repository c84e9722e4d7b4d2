// Whose address a request is counted under. Behind a proxy every connection comes from the proxy; what it says about the
// one in front of it (Forwarded, RFC 7239, or X-Forwarded-For) counts only when the operator trusts that proxy, and only
// as far as trusted hops reach: the rightmost address that is no trusted proxy is the client's.

import { BlockList, isIP } from 'node:net'
import { EXIT, ParleyError } from '../../model/errors.ts'
import type { Peer, RequestHeaders } from './request.ts'

/** The part of a request it looks at. */
export interface ForwardedRequest {
  readonly headers: RequestHeaders
  readonly peer?: Peer | undefined
}

/** Of an obfuscated identifier (RFC 7239 §6.3). */
const MAX_NAME_LENGTH = 100

export class TrustedProxies {
  readonly #list = new BlockList()
  readonly #isEmpty: boolean

  /** Addresses (`10.0.0.7`) and networks (`10.0.0.0/8`, `fd00::/8`). */
  constructor(networks: readonly string[] = []) {
    this.#isEmpty = networks.length === 0
    for (const network of networks) this.#add(network)
  }

  has(address: string): boolean {
    const plain = plainAddress(address)
    const family = isIP(plain)
    return !this.#isEmpty && family !== 0 && this.#list.check(plain, family === 6 ? 'ipv6' : 'ipv4')
  }

  /** Undefined where the address at the other end of the connection is unknown. */
  clientOf({ headers, peer: { address } = {} }: ForwardedRequest): string | undefined {
    if (address === undefined) return undefined
    const peer = plainAddress(address)
    if (!this.has(peer)) return peer
    const found = new Set<string>()
    const { forwarded, 'x-forwarded-for': listed } = headers
    if (forwarded !== undefined) found.add(this.#beyond(peer, forwardedHops(forwarded)))
    if (listed !== undefined) found.add(this.#beyond(peer, hopsIn([listed].flat().join(','))))
    const [client] = found
    // A proxy writes one of the two headers and passes the other on as the client sent it: then neither proves anything.
    return client === undefined || found.size > 1 ? peer : client
  }

  /** From the nearest hop outwards, until one that is not ours. */
  #beyond(peer: string, hops: readonly string[]): string {
    let last = peer
    for (const hop of hops.toReversed()) {
      if (!this.has(hop)) return isIP(hop) === 0 ? `${last} ${hop.slice(0, MAX_NAME_LENGTH)}` : hop
      last = hop
    }
    return last
  }

  #add(network: string): void {
    const [address = '', bits, ...more] = network.split('/')
    const family = isIP(address)
    const most = family === 6 ? 128 : 32
    const prefix = bits === undefined ? most : /^\d{1,3}$/.test(bits) ? Number(bits) : -1
    if (family === 0 || more.length > 0 || prefix < 0 || prefix > most)
      throw new ParleyError(
        'bad-network',
        `A trusted proxy is given as an address or a network such as 10.0.0.0/8, not "${network}".`,
        { exitCode: EXIT.usage },
      )
    this.#list.addSubnet(address, prefix, family === 6 ? 'ipv6' : 'ipv4')
  }
}

function hopsIn(list: string): string[] {
  return list
    .split(',')
    .map((each) => nodeOf(each.trim()))
    .filter((each) => each !== '')
}

/** The `for` of each element. */
function forwardedHops(header: string): string[] {
  return splitUnquoted(header, ',').map((element) => {
    const pair = splitUnquoted(element, ';').find((each) => /^for=/i.test(each.trim()))
    const value = pair?.slice(pair.indexOf('=') + 1).trim() ?? 'unknown'
    return nodeOf(value.replace(/^"(.*)"$/, '$1'))
  })
}

/** Quoted strings may hold separators. */
function splitUnquoted(text: string, separator: string): string[] {
  const parts: string[] = []
  let start = 0
  let isQuoted = false
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '"') isQuoted = !isQuoted
    else if (text[at] === separator && !isQuoted) {
      parts.push(text.slice(start, at))
      start = at + 1
    }
  }
  return [...parts, text.slice(start)]
}

/** Without brackets and port: '[2001:db8::1]:4711', '192.0.2.1:80'. */
function nodeOf(text: string): string {
  const bracketed = /^\[([^\]]*)\](?::\w+)?$/.exec(text)?.[1]
  if (bracketed !== undefined) return plainAddress(bracketed)
  const withPort = /^([\d.]+):\w+$/.exec(text)?.[1]
  return plainAddress(withPort ?? text)
}

/** An IPv4 address is the same one when it arrives on an IPv6 socket. */
function plainAddress(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1]
  return mapped ?? address.toLowerCase()
}
