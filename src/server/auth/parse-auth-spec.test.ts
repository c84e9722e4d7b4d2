// The `--auth` texts: every form, and every mistake named without repeating the secret.

import { expect, test } from 'vitest'
import { ParleyError } from '../../model/errors.ts'
import { parseAuthSpec } from './parse-auth-spec.ts'

test('every form is read', () => {
  expect(parseAuthSpec('bearer:t0k==alice')).toEqual({ kind: 'bearer', token: 't0k=', subject: 'alice' })
  expect(parseAuthSpec('bearer:t0k=')).toMatchObject({ kind: 'bearer', token: 't0k=' })
  expect(parseAuthSpec('api-key:header=X-API-Key,key=a=b')).toMatchObject({
    location: 'header',
    name: 'X-API-Key',
    key: 'a=b',
  })
  expect(
    parseAuthSpec('jwt:issuer=https://i.example,audience=parley,jwks=https://i.example/keys,algorithms=ES256+PS256'),
  ).toEqual({
    kind: 'jwt',
    issuer: 'https://i.example',
    audience: 'parley',
    jwksUrl: 'https://i.example/keys',
    algorithms: ['ES256', 'PS256'],
    scopes: [],
  })
  expect(parseAuthSpec('oidc:issuer=https://i.example,scopes=a+b,tenant-claim=org')).toEqual({
    kind: 'oidc',
    issuer: 'https://i.example',
    algorithms: ['RS256', 'ES256', 'EdDSA'],
    scopes: ['a', 'b'],
    tenantClaim: 'org',
  })
  expect(parseAuthSpec('mtls')).toEqual({ kind: 'mtls' })
})

test.each([
  ['', 'the kind must be'],
  ['basic:canary', 'the kind must be'],
  ['bearer', 'needs a token'],
  ['bearer:', 'needs a token'],
  ['bearer:canary two', 'without spaces'],
  ['bearer:canary\r\nx', 'without spaces'],
  ['api-key:key=canary', 'exactly one of'],
  ['api-key:header=A,query=B,key=canary', 'exactly one of'],
  ['api-key:header=X-API-Key', 'needs key='],
  ['api-key:header=X-API-Key,key=', 'needs key='],
  ['api-key:header=Host,key=canary', "'Host' cannot be"],
  ['api-key:header=X Y,key=canary', "'X Y' cannot be"],
  ['api-key:header=A,header=B,key=canary', 'twice'],
  ['api-key:canary', 'is written with'],
  ['jwt:issuer=https://i,jwks=https://i/keys', 'needs audience='],
  ['jwt:issuer=https://i,audience=a', 'needs jwks='],
  ['jwt:issuer=canary,audience=a,jwks=https://i/keys', 'http(s) URL in issuer='],
  ['jwt:issuer=https://i,audience=a,jwks=file:///etc/canary', 'http(s) URL in jwks='],
  ['jwt:issuer=https://i,audience=a,jwks=https://i/keys,algorithms=HS256', "algorithm 'HS256'"],
  ['jwt:issuer=https://i,audience=a,jwks=https://i/keys,algorithms=none', "algorithm 'none'"],
  ['oidc:', 'needs issuer='],
  ['oidc:isuer=https://i', 'is written with'],
  ['mtls:canary', 'takes no settings'],
])('%j says what is wrong', (spec, message) => {
  const problem = attempt(() => parseAuthSpec(spec))
  expect(problem).toBeInstanceOf(ParleyError)
  expect(problem).toMatchObject({ code: 'bad-auth', exitCode: 2 })
  expect(problem?.message).toContain(message)
  expect(`${problem?.message} ${problem instanceof ParleyError ? problem.hint : ''}`).not.toContain('canary')
})

function attempt(work: () => unknown): Error | undefined {
  try {
    work()
    return undefined
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error))
  }
}
