// Where a gRPC interface is. Cards say `host:port`, which the specification's main branch asks for, or an absolute URL,
// which 1.0.1 asks for, or what gRPC libraries take; all are read. TLS cannot be read off `host:port`: on this machine both
// are tried, anywhere else it is TLS unless the card says otherwise.

import { speaksTls } from '../../net/speaks-tls.ts'

export interface GrpcAddress {
  /** As in a URL: an IPv6 address in brackets. */
  host: string
  port: number
  security: 'tls' | 'plaintext' | 'unknown'
  /** gRPC has no path prefix: what a card writes there is left out. */
  ignoredPath: string | undefined
}

const SCHEMES: Readonly<Record<string, GrpcAddress['security']>> = {
  ...{ http: 'plaintext', grpc: 'plaintext', https: 'tls', grpcs: 'tls' },
}
const FORM =
  /^(?:(https?|grpcs?):\/\/|dns:(?:\/\/[^/]*\/)?)?((?:\[[0-9a-f:.]+\])|[^\s/:?#[\]@]+)(?::(\d{1,5}))?(\/[^\s]*)?$/i
const HANDSHAKE_MS = 2_000

/** `plaintext`: where the address does not say, the user has. */
export function parseGrpcAddress(text: string, plaintext = false): GrpcAddress | undefined {
  const found = FORM.exec(text)
  if (found === null) return undefined
  const [, scheme, host = '', portText, path = '/'] = found
  const named = scheme === undefined ? undefined : SCHEMES[scheme.toLowerCase()]
  const port = portText === undefined ? (named === 'plaintext' ? 80 : 443) : Number(portText)
  if (port === 0 || port > 65_535) return undefined
  const isHere = /^(localhost|127(\.\d{1,3}){3}|\[::1\]|0\.0\.0\.0|\[::\])$/i.test(host)
  const security = named ?? (plaintext ? 'plaintext' : isHere && port !== 443 ? 'unknown' : 'tls')
  return { host: host.toLowerCase(), port, security, ignoredPath: path === '/' ? undefined : path }
}

/** Scheme, host and port, as other bindings have them. What is not known yet counts as plaintext. */
export function grpcOrigin({ host, port, security }: GrpcAddress): string {
  return new URL(`${security === 'tls' ? 'https' : 'http'}://${host}:${port}`).origin
}

/** The address with its security found out: TLS first, and never plaintext where TLS answered. */
export async function settleSecurity(address: GrpcAddress): Promise<GrpcAddress> {
  if (address.security !== 'unknown') return address
  const isTls = await speaksTls(new URL(`https://${address.host}:${address.port}`), HANDSHAKE_MS)
  return { ...address, security: isTls ? 'tls' : 'plaintext' }
}
