// A call of gRPC that works as it is pasted.

import { type ServeTlsFlags, trustFlag } from './serve-tls.ts'

/** `trust` is how grpcurl shall believe the other end: -plaintext, -cacert FILE, or nothing. */
export function grpcurlLine(address: string, trust: string): string {
  const message = `{"message":{"messageId":"m1","role":"ROLE_USER","parts":[{"text":"hello"}]}}`
  const flags = trust === '' ? '' : ` ${trust}`
  return `grpcurl${flags} -H 'a2a-version: 1.0' -d '${message}' ${address} lf.a2a.v1.A2AService/SendMessage`
}

/** How grpcurl believes a server with these flags. */
export function grpcurlTrust(flags: ServeTlsFlags): string {
  return flags.tlsCert === undefined ? '-plaintext' : trustFlag('-cacert', flags).trim()
}
