// Whether certificates and keys are what they should be, said in one sentence before anything is opened: OpenSSL would
// say it later, as a code, and of a file without certificates nothing at all.

import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto'
import { EXIT, ParleyError } from '../../model/errors.ts'

export interface TlsMaterial {
  cert?: string | Buffer
  key?: string | Buffer
  ca?: string | Buffer
}

/** What the parts are called where they were given: 'The file a.pem given with --tls-cert'. */
export type TlsNames = { readonly [part in keyof Required<TlsMaterial>]: string }

const OWN_NAMES: TlsNames = { cert: 'tls.cert', key: 'tls.key', ca: 'tls.ca' }
const PEM_CERTIFICATE = /-----BEGIN CERTIFICATE-----.+?-----END CERTIFICATE-----/gs

/** Throws a ParleyError about the first thing that is wrong. */
export function checkTls({ cert, key, ca }: TlsMaterial, names: TlsNames = OWN_NAMES): void {
  if (ca !== undefined) certificatesIn(ca, names.ca)
  if (cert !== undefined && key !== undefined) {
    const [own] = certificatesIn(cert, names.cert)
    if (!own?.checkPrivateKey(privateKeyIn(key, names.key)))
      throw wrong(`${names.key} is not the key of the certificate in ${lowerFirst(names.cert)}.`)
  }
  try {
    // Not imported, so that a server without TLS does not load it.
    process.getBuiltinModule('node:tls').createSecureContext({ cert, key, ca })
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'no reason given'
    throw wrong(`${names.cert} cannot be used for TLS (${code}).`, cause)
  }
}

/** The certificates in a PEM file: one's own comes first, those of its authorities follow. */
function certificatesIn(pem: string | Buffer, name: string): X509Certificate[] {
  try {
    const found = [...pem.toString('latin1').matchAll(PEM_CERTIFICATE)].map(([text]) => new X509Certificate(text))
    if (found.length > 0) return found
  } catch (cause) {
    throw wrong(`${name} holds a damaged certificate.`, cause)
  }
  throw wrong(`${name} holds no certificate in PEM form (-----BEGIN CERTIFICATE-----).`)
}

function privateKeyIn(pem: string | Buffer, name: string): KeyObject {
  try {
    return createPrivateKey(pem)
  } catch (cause) {
    if (/^-----BEGIN ENCRYPTED|^Proc-Type: .*ENCRYPTED/m.test(pem.toString('latin1')))
      throw wrong(`${name} is protected by a passphrase; give it without (openssl pkey -in KEY -out PLAIN-KEY).`, cause)
    throw wrong(`${name} holds no private key in PEM form (-----BEGIN PRIVATE KEY-----).`, cause)
  }
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1)
}

function wrong(message: string, cause?: unknown): ParleyError {
  return new ParleyError('bad-tls', message, { exitCode: EXIT.usage, cause })
}
