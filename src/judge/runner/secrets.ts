// What must not come out again: credentials given by flag, and passwords typed into an address.

import type { RunContext } from '../probe/run-context.ts'
import type { CredentialOptions } from './credentials.ts'

/** Headers whose values everybody may read; any other may hold a secret under a name we do not know. */
const HARMLESS_HEADER = /^(accept(-.*)?|content-type|user-agent|traceparent|tracestate|(x-)?a2a-.*)$/i

const TELLING_LENGTH = 8

export function secretsOf(options: CredentialOptions): string[] {
  const headers = (options.headers ?? []).filter(([name]) => !HARMLESS_HEADER.test(name)).map(([, value]) => value)
  // `Authorization: Bearer abc` is found as a whole, and as what comes after the scheme.
  const bare = headers.map((value) => value.replace(/^\w+ /, ''))
  return [options.bearer, options.apiKey, options.bearerB, ...headers, ...bare].filter((value) => value !== undefined)
}

/** What identifies callers in the headers of a run: tokens and keys long enough not to turn up by chance. */
export function callerSecrets(credentials: RunContext['credentials']): string[] {
  const headers = [...credentials.first, ...credentials.wrong, ...(credentials.second ?? [])]
  const values = headers.filter(([name]) => !HARMLESS_HEADER.test(name)).map(([, value]) => value.replace(/^\w+ /, ''))
  return [...new Set(values)].filter((value) => value.length >= TELLING_LENGTH)
}

/** A password typed into the address must not come out again. */
export function secretsInUrl(target: string): string[] {
  const [, user = '', password = ''] = /^[a-z]+:\/\/([^/@:]*):?([^/@]*)@/i.exec(target) ?? []
  return [`${user}:${password}`, password].filter((secret) => secret.length > 1)
}
