// What must not come out again: credentials given by flag, and passwords typed into an address.

import type { CredentialOptions } from './credentials.ts'

/** Headers whose values everybody may read; any other may hold a secret under a name we do not know. */
const HARMLESS_HEADER = /^(accept(-.*)?|content-type|user-agent|traceparent|tracestate|(x-)?a2a-.*)$/i

export function secretsOf(options: CredentialOptions): string[] {
  const headers = (options.headers ?? []).filter(([name]) => !HARMLESS_HEADER.test(name)).map(([, value]) => value)
  // `Authorization: Bearer abc` is found as a whole, and as what comes after the scheme.
  const bare = headers.map((value) => value.replace(/^\w+ /, ''))
  return [options.bearer, options.apiKey, options.bearerB, ...headers, ...bare].filter((value) => value !== undefined)
}

/** A password typed into the address must not come out again. */
export function secretsInUrl(target: string): string[] {
  const [, user = '', password = ''] = /^[a-z]+:\/\/([^/@:]*):?([^/@]*)@/i.exec(target) ?? []
  return [`${user}:${password}`, password].filter((secret) => secret.length > 1)
}
