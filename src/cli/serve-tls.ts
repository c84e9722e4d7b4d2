// TLS of the commands that listen: its flags, read and checked before anything is opened, and what a person should know about
// the certificate before clients refuse it.

import { X509Certificate } from 'node:crypto'
import { isIP } from 'node:net'
import { resolve } from 'node:path'
import type { Command } from 'commander'
import { defined } from '../base/defined.ts'
import type { ServerTls } from '../net/serve/tls-server.ts'
import type { AuthConfig } from '../server/auth/auth-config.ts'
import { shellWord } from '../trace/shell-word.ts'
import { usage } from './flag-values.ts'
import { readTlsFiles } from './target-options.ts'

export interface ServeTlsFlags {
  auth?: AuthConfig[]
  tlsCert?: string
  tlsKey?: string
  tlsClientCa?: string
}

const FLAGS = { cert: '--tls-cert', key: '--tls-key', ca: '--tls-client-ca' }

/** `mutual` is where mtls is asked for; commands that never ask for a certificate have none. */
export function addServeTlsOptions(command: Command, mutual?: string): Command {
  command
    .option('--tls-cert <file>', 'speak TLS with this certificate, followed by those of its authorities (PEM)')
    .option('--tls-key <file>', 'the key of --tls-cert (PEM)')
  return mutual === undefined
    ? command
    : command.option('--tls-client-ca <file>', `the authorities of the client certificates of ${mutual} (PEM)`)
}

/** Undefined for a server without TLS. */
export function serveTls(flags: ServeTlsFlags, mutual = '--auth mtls'): ServerTls | undefined {
  const { auth, tlsCert, tlsClientCa } = flags
  const isMutual = auth?.some(({ kind }) => kind === 'mtls') ?? false
  if (isMutual && tlsClientCa === undefined)
    throw usage(`${mutual} needs the authorities of the clients: --tls-client-ca FILE.`)
  if (tlsClientCa !== undefined && tlsCert === undefined) throw usage('--tls-client-ca needs --tls-cert and --tls-key.')
  if (tlsClientCa !== undefined && !isMutual)
    throw usage(`--tls-client-ca requests certificates that are not checked; add ${mutual}.`)
  return readServeTls(flags)
}

export function readServeTls({ tlsCert, tlsKey, tlsClientCa }: ServeTlsFlags): ServerTls | undefined {
  const { cert, key, ca } = readTlsFiles({ cert: tlsCert, key: tlsKey, ca: tlsClientCa }, FLAGS)
  return cert === undefined || key === undefined ? undefined : { cert, key, ...defined({ ca }) }
}

/** The flag that makes a client trust the server: curl and Parley both take the certificate itself. */
export function trustFlag(flag: '--cacert' | '--ca-cert' | '-cacert', { tlsCert }: ServeTlsFlags): string {
  return tlsCert === undefined ? '' : ` ${flag} ${shellWord(resolve(tlsCert))}`
}

/** Why clients that use this address will refuse the certificate; undefined when they have no reason to. */
export function certificateWarning(cert: string | Buffer, url: string): string | undefined {
  const own = new X509Certificate(cert)
  const host = new URL(url).hostname.replace(/^\[|\]$/g, '')
  if (own.validToDate.getTime() < Date.now()) return `The certificate has expired (${own.validTo}); clients refuse it.`
  if ((isIP(host) === 0 ? own.checkHost(host) : own.checkIP(host)) !== undefined) return undefined
  return (
    `The certificate is not for ${host} (${own.subjectAltName ?? own.subject}); clients refuse it at ${url}. ` +
    'Choose a name it is for with --host or --public-url.'
  )
}
