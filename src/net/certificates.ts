// Certificates that nobody has to trust, made when they are needed: an authority and what it issues, as X.509 v3 (RFC 5280)
// written by hand over node:crypto, so that neither a program nor a file that expires is needed. For tests and scenarios.

import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'
import { isIP } from 'node:net'

export interface Certified {
  /** PEM. */
  cert: string
  key: string
}

export interface Wanted {
  /** The subject: CN, O and OU, in this order. An empty one is left out. */
  subject?: { CN?: string; O?: string; OU?: string }
  /** Names and addresses of a server, or URIs. */
  names?: readonly string[]
  /** What it may be shown as; both when absent. */
  use?: 'server' | 'client'
  notAfter?: Date
}

export interface Issuer extends Certified {
  /** Anybody can sign anything; only what an authority signed is worth something. */
  issue(wanted: Wanted): Issuer
}

const HOUR_MS = 3_600_000

export function makeAuthority(name: string): Issuer {
  return issuer({ CN: name }, [extension('2.5.29.19', sequence(der(0x01, Buffer.from([0xff]))), true)])
}

/** What a server on this machine shows. */
export function serverCertificate(authority: Issuer): Certified {
  return authority.issue({ subject: { CN: 'localhost' }, names: ['localhost', '127.0.0.1', '::1'], use: 'server' })
}

const PURPOSES = { server: '1.3.6.1.5.5.7.3.1', client: '1.3.6.1.5.5.7.3.2' }
/** ecdsa-with-SHA256. */
const SIGNED_WITH = sequence(objectId('1.2.840.10045.4.3.2'))
const ATTRIBUTES = { CN: '2.5.4.3', O: '2.5.4.10', OU: '2.5.4.11' }

interface Signer {
  name: Buffer
  key: KeyObject
}

/** Signed by itself unless by somebody else. */
function issuer(
  subject: NonNullable<Wanted['subject']>,
  extensions: readonly Buffer[],
  notAfter = new Date(Date.now() + HOUR_MS),
  by?: Signer,
): Issuer {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const own: Signer = { name: distinguishedName(subject), key: privateKey }
  const signer = by ?? own
  const notBefore = new Date(Math.min(Date.now(), notAfter.getTime()) - HOUR_MS)
  const claims = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))), // Version 3.
    der(0x02, Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    SIGNED_WITH,
    signer.name,
    sequence(time(notBefore), time(notAfter)),
    own.name,
    publicKey.export({ type: 'spki', format: 'der' }),
    ...(extensions.length === 0 ? [] : [der(0xa3, sequence(...extensions))]),
  )
  const signature = Buffer.concat([Buffer.from([0]), sign('sha256', claims, signer.key)])
  const lines =
    sequence(claims, SIGNED_WITH, der(0x03, signature))
      .toString('base64')
      .match(/.{1,64}/g) ?? []
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    issue({ subject: wanted = {}, names = [], use, notAfter: until }) {
      const uses = use === undefined ? [] : [extension('2.5.29.37', sequence(objectId(PURPOSES[use])))]
      const others = names.length === 0 ? [] : [extension('2.5.29.17', sequence(...names.map(alternativeName)))]
      return issuer(wanted, [...uses, ...others], until, own)
    },
  }
}

function distinguishedName(subject: NonNullable<Wanted['subject']>): Buffer {
  const attributes = (['CN', 'O', 'OU'] as const).flatMap((name) => {
    const value = subject[name]
    return value === undefined ? [] : [der(0x31, sequence(objectId(ATTRIBUTES[name]), der(0x0c, Buffer.from(value))))]
  })
  return sequence(...attributes)
}

function alternativeName(name: string): Buffer {
  if (name.includes('://')) return der(0x86, Buffer.from(name))
  const version = isIP(name)
  if (version === 0) return der(0x82, Buffer.from(name))
  if (version === 4) return der(0x87, Buffer.from(name.split('.').map(Number)))
  if (name !== '::1') throw new Error('of IPv6 only ::1 is known here')
  return der(0x87, Buffer.concat([Buffer.alloc(15), Buffer.from([1])]))
}

function extension(id: string, value: Buffer, isCritical = false): Buffer {
  const critical = isCritical ? [der(0x01, Buffer.from([0xff]))] : []
  return sequence(objectId(id), ...critical, der(0x04, value))
}

function time(date: Date): Buffer {
  const digits = date.toISOString().replace(/\.\d+|[-:T]/g, '')
  return der(0x17, Buffer.from(digits.slice(2))) // UTCTime: two digits of the year.
}

function objectId(text: string): Buffer {
  const [first = 0, second = 0, ...rest] = text.split('.').map(Number)
  const bytes = [first * 40 + second]
  for (const number of rest) {
    const groups = [number & 0x7f]
    for (let left = number >>> 7; left > 0; left >>>= 7) groups.unshift((left & 0x7f) | 0x80)
    bytes.push(...groups)
  }
  return der(0x06, Buffer.from(bytes))
}

function sequence(...parts: readonly Buffer[]): Buffer {
  return der(0x30, Buffer.concat(parts))
}

function der(tag: number, content: Buffer): Buffer {
  const { length } = content
  if (length < 0x80) return Buffer.concat([Buffer.from([tag, length]), content])
  const size = length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.from([tag, ...size]), content])
}
