// Reads the `--auth` texts of the command line. A mistake is named without repeating the text, which holds secrets.

import { defined } from '../../base/defined.ts'
import { EXIT, ParleyError } from '../../model/errors.ts'
import type { ApiKeyConfig, AuthConfig, KeyLocation } from './auth-config.ts'
import { secretDigest } from './secret-digest.ts'

export const AUTH_SPEC_FORMS =
  'bearer:TOKEN[=subject], api-key:header=NAME,key=KEY[,subject=NAME] (or query=NAME, cookie=NAME), ' +
  'jwt:issuer=URL,audience=NAME,jwks=URL or oidc:issuer=URL,audience=NAME (both also algorithms=A+B, scopes=A+B, ' +
  'tenant-claim=NAME), mtls'

const DEFAULT_ALGORITHMS = ['RS256', 'ES256', 'EdDSA']
/** Symmetric algorithms are absent on purpose: with them a public key becomes a signing key. */
const ALGORITHMS = new Set(['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA'])
const HEADER_NAME = /^[A-Za-z0-9-]+$/
const RESERVED_HEADERS = new Set([
  'host',
  'content-length',
  'content-type',
  'transfer-encoding',
  'connection',
  'cookie',
])
const TOKEN_FIELDS = ['issuer', 'audience', 'algorithms', 'scopes', 'tenant-claim']

export function parseAuthSpec(spec: string): AuthConfig {
  const at = spec.indexOf(':')
  const kind = at === -1 ? spec : spec.slice(0, at)
  const rest = at === -1 ? '' : spec.slice(at + 1)
  switch (kind) {
    case 'bearer':
      return parseBearer(rest)
    case 'api-key':
      return parseApiKey(fieldsOf(kind, rest, ['header', 'query', 'cookie', 'key', 'subject']))
    case 'jwt': {
      const fields = fieldsOf(kind, rest, [...TOKEN_FIELDS, 'jwks'])
      return { kind, ...tokenRules(kind, fields), jwksUrl: urlIn(kind, fields, 'jwks') }
    }
    case 'oidc':
      return { kind, ...tokenRules(kind, fieldsOf(kind, rest, TOKEN_FIELDS)) }
    case 'mtls':
      if (rest !== '') throw wrong('mtls takes no settings')
      return { kind }
    default:
      throw wrong('the kind must be bearer, api-key, jwt, oidc or mtls')
  }
}

/** The subject of a secret that was given without one: stable, and tells nothing about the secret. */
function anonymousSubject(kind: string, secret: string): string {
  return `${kind}-${secretDigest(secret).toString('hex').slice(0, 16)}`
}

function parseBearer(text: string): AuthConfig {
  // A token may end in '=' padding, so the subject follows the last '='.
  const at = text.lastIndexOf('=')
  const hasSubject = at > 0 && at < text.length - 1
  const token = hasSubject ? text.slice(0, at) : text
  if (token === '') throw wrong('bearer needs a token')
  if (!/^[\x21-\x7e]+$/.test(token)) throw wrong('a bearer token is printable ASCII without spaces')
  return { kind: 'bearer', token, subject: hasSubject ? text.slice(at + 1) : anonymousSubject('bearer', token) }
}

function parseApiKey(fields: ReadonlyMap<string, string>): ApiKeyConfig {
  const places = (['header', 'query', 'cookie'] as const).filter((place) => fields.has(place))
  const [location] = places
  if (location === undefined || places.length > 1) throw wrong('api-key needs exactly one of header=, query=, cookie=')
  const name = fieldIn('api-key', fields, location)
  checkKeyName(location, name)
  const key = fieldIn('api-key', fields, 'key')
  return { kind: 'api-key', location, name, key, subject: fields.get('subject') ?? anonymousSubject('api-key', key) }
}

function checkKeyName(location: KeyLocation, name: string): void {
  if (location === 'header' && (!HEADER_NAME.test(name) || RESERVED_HEADERS.has(name.toLowerCase()))) {
    throw wrong(`'${name}' cannot be the header of an API key`)
  }
}

function tokenRules(kind: 'jwt' | 'oidc', fields: ReadonlyMap<string, string>) {
  const algorithms = fields.get('algorithms')?.split('+') ?? DEFAULT_ALGORITHMS
  const unknown = algorithms.find((algorithm) => !ALGORITHMS.has(algorithm))
  if (unknown !== undefined) {
    throw wrong(`the algorithm '${unknown}' is not one of ${[...ALGORITHMS].join(', ')}`)
  }
  const audience = fields.get('audience')
  if (kind === 'jwt' && audience === undefined) throw wrong('jwt needs audience=')
  const tenantClaim = fields.get('tenant-claim')
  return {
    issuer: urlIn(kind, fields, 'issuer'),
    algorithms,
    scopes: fields.get('scopes')?.split('+') ?? [],
    ...defined({ audience, tenantClaim }),
  }
}

function fieldsOf(kind: string, text: string, known: readonly string[]): ReadonlyMap<string, string> {
  const fields = new Map<string, string>()
  for (const field of text === '' ? [] : text.split(',')) {
    const at = field.indexOf('=')
    const name = field.slice(0, at === -1 ? 0 : at)
    if (!known.includes(name)) throw wrong(`${kind} is written with ${known.map((each) => `${each}=`).join(', ')}`)
    if (fields.has(name)) throw wrong(`${kind} has ${name}= twice`)
    fields.set(name, field.slice(at + 1))
  }
  return fields
}

function fieldIn(kind: string, fields: ReadonlyMap<string, string>, name: string): string {
  const value = fields.get(name)
  if (value === undefined || value === '') throw wrong(`${kind} needs ${name}=`)
  return value
}

function urlIn(kind: string, fields: ReadonlyMap<string, string>, name: string): string {
  const value = fieldIn(kind, fields, name)
  const protocol = URL.parse(value)?.protocol
  if (protocol !== 'https:' && protocol !== 'http:') throw wrong(`${kind} needs an http(s) URL in ${name}=`)
  return value
}

function wrong(what: string): ParleyError {
  return new ParleyError('bad-auth', `--auth: ${what}.`, { exitCode: EXIT.usage, hint: `Write ${AUTH_SPEC_FORMS}.` })
}
