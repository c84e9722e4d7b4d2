// A gRPC call as a grpcurl command, for agents that answer reflection; secrets become shell variables to fill in, never
// values.

import type { CurlOptions } from './curl.ts'
import type { RecordedGrpcRequest } from './exchange.ts'
import { isSecretHeader, REDACTED, Redactor } from './redact.ts'
import { shellWord } from './shell-word.ts'

/** What grpcurl sends by itself. */
const OWN_HEADERS = new Set(['content-type', 'te', 'user-agent', 'grpc-timeout', 'grpc-accept-encoding', 'host'])

export function toGrpcurl(given: RecordedGrpcRequest, options: CurlOptions = {}): string {
  const request = (options.redactor ?? new Redactor()).request(given)
  const url = new URL(request.url)
  const words = ['grpcurl']
  if (url.protocol === 'http:') words.push('-plaintext')
  else {
    const { insecure, files: { ca, cert, key } = {} } = options.tls ?? {}
    if (insecure === true) words.push('-insecure')
    if (ca !== undefined) words.push(`-cacert ${shellWord(ca)}`)
    if (cert !== undefined && given.withoutCertificate !== true) words.push(`-cert ${shellWord(cert)}`)
    if (key !== undefined && given.withoutCertificate !== true) words.push(`-key ${shellWord(key)}`)
  }
  const lines = [words.join(' ')]
  for (const [name, value] of request.headers) {
    if (!OWN_HEADERS.has(name.toLowerCase())) lines.push(`-H ${header(name, value, options.placeholders === true)}`)
  }
  lines.push(`-d ${shellQuote(request.message ?? '{}')}`)
  const port = url.port === '' ? (url.protocol === 'http:' ? '80' : '443') : url.port
  lines.push(`${url.hostname}:${port} ${request.rpc}`)
  return lines.join(' \\\n  ')
}

function header(name: string, value: string, isPlaceholder: boolean): string {
  if (!isPlaceholder || !isSecretHeader(name)) return shellQuote(`${name}: ${value}`)
  const variable = name.toUpperCase().replace(/[^A-Z0-9]/g, '_')
  return `${shellQuote(`${name}: ${value.replace(REDACTED, '')}`)}"$${variable}"`
}

function shellQuote(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`
}
