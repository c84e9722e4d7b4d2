// A card and a configuration that disagree, in either direction, do not start.

import { describe, expect, test } from 'vitest'
import type { AgentCard } from '../../model/card.ts'
import { checkCardAgainstAuth, securitySchemesFor } from './card-security.ts'
import { parseAuthSpec } from './parse-auth-spec.ts'

const OPEN: AgentCard = {
  name: 'Test',
  description: 'test',
  supportedInterfaces: [],
  version: '1',
  capabilities: {},
  defaultInputModes: [],
  defaultOutputModes: [],
  skills: [],
}

const SPECS = [
  'bearer:a',
  'bearer:b',
  'api-key:header=X-API-Key,key=k',
  'api-key:query=key,key=k',
  'jwt:issuer=https://i.example,audience=a,jwks=https://i.example/keys,scopes=read+write',
  'oidc:issuer=https://i.example/,audience=a',
  'mtls',
]
const CONFIGS = SPECS.map(parseAuthSpec)

describe('securitySchemesFor', () => {
  test('an open server says nothing', () => expect(securitySchemesFor([])).toBeUndefined())

  test('each way in once, as alternatives', () => {
    expect(securitySchemesFor(CONFIGS)).toEqual({
      securitySchemes: {
        bearer: { httpAuthSecurityScheme: { scheme: 'Bearer' } },
        apiKey: { apiKeySecurityScheme: { location: 'header', name: 'X-API-Key' } },
        apiKey2: { apiKeySecurityScheme: { location: 'query', name: 'key' } },
        jwt: { httpAuthSecurityScheme: { scheme: 'Bearer', bearerFormat: 'JWT' } },
        oidc: {
          openIdConnectSecurityScheme: { openIdConnectUrl: 'https://i.example/.well-known/openid-configuration' },
        },
        mtls: { mtlsSecurityScheme: {} },
      },
      securityRequirements: [
        { schemes: { bearer: { list: [] } } },
        { schemes: { apiKey: { list: [] } } },
        { schemes: { apiKey2: { list: [] } } },
        { schemes: { jwt: { list: ['read', 'write'] } } },
        { schemes: { oidc: { list: [] } } },
        { schemes: { mtls: { list: [] } } },
      ],
    })
  })
})

describe('checkCardAgainstAuth', () => {
  const bearer = [parseAuthSpec('bearer:a')]
  const secured = { ...OPEN, ...securitySchemesFor(bearer) }

  test('what was derived agrees, for every kind', () => {
    checkCardAgainstAuth(OPEN, [])
    checkCardAgainstAuth({ ...OPEN, ...securitySchemesFor(CONFIGS) }, CONFIGS)
    for (const config of CONFIGS) checkCardAgainstAuth({ ...OPEN, ...securitySchemesFor([config]) }, [config])
  })

  test.each<[string, AgentCard, string[], string]>([
    ['open card, closed server', OPEN, ['bearer:a'], 'does not require bearer'],
    ['closed card, open server', secured, [], "declares the scheme 'bearer', which no --auth provides"],
    ['another kind', secured, ['api-key:header=X,key=k'], "declares the scheme 'bearer'"],
    ['one more than the card says', secured, ['bearer:a', 'mtls'], 'does not require mtls'],
    ['declared but not required', { ...secured, securityRequirements: [] }, ['bearer:a'], 'does not require bearer'],
    [
      'required but not declared',
      { ...OPEN, securityRequirements: [{ schemes: { ghost: {} } }] },
      ['bearer:a'],
      "requires the scheme 'ghost'",
    ],
    [
      'another header name',
      { ...OPEN, ...securitySchemesFor([parseAuthSpec('api-key:header=X-Key,key=k')]) },
      ['api-key:header=X-API-Key,key=k'],
      "declares the scheme 'apiKey'",
    ],
  ])('%s is refused', (_row, card, specs, message) => {
    expect(() => checkCardAgainstAuth(card, specs.map(parseAuthSpec))).toThrow(message)
  })
})
