// The security schemes and requirements a card declares (1.0 §4.5).

import { isJsonObject, type JsonObject } from '../../model/json.ts'
import { quote } from '../probe/assertions.ts'
import type { Probe } from '../probe/probe.ts'
import { listAt, objectAt, textAt } from '../probe/raw.ts'
import { cardEvidence, entries } from './card.ts'
import { area, check, type PlacedCheck } from './check.ts'

const VARIANTS = [
  'apiKeySecurityScheme',
  'httpAuthSecurityScheme',
  'oauth2SecurityScheme',
  'openIdConnectSecurityScheme',
  'mtlsSecurityScheme',
]
const FLOWS = ['authorizationCode', 'clientCredentials', 'implicit', 'password', 'deviceCode']
const FLOW_MEMBERS: Readonly<Record<string, readonly string[]>> = {
  authorizationCode: ['authorizationUrl', 'tokenUrl', 'scopes'],
  clientCredentials: ['tokenUrl', 'scopes'],
  deviceCode: ['deviceAuthorizationUrl', 'tokenUrl', 'scopes'],
}

export const cardSecurityChecks: PlacedCheck[] = area(
  { name: 'card-security', category: 'agent-card', phase: 1, expandOver: 'card' },
  [
    check(
      'card-scheme-oneof',
      'MUST define each security scheme as exactly one type',
      {
        proves: ['card-security-scheme-oneof'],
        fix: 'Wrap the scheme in one of apiKeySecurityScheme, httpAuthSecurityScheme, oauth2SecurityScheme, openIdConnectSecurityScheme, mtlsSecurityScheme.',
      },
      async (t) => {
        for (const { scheme, pointer } of schemes(t)) {
          const found = VARIANTS.filter((variant) => variant in scheme)
          t.expect(found.length === 1, `${pointer} has ${found.length} variants`, {
            expected: 'exactly one',
            actual: quote(Object.keys(scheme)),
            pointer,
            at: await cardEvidence(t),
          })
        }
      },
    ),
    check(
      'card-scheme-api-key',
      'MUST give name and location of an API key',
      {
        proves: ['card-security-api-key'],
        fix: 'Give apiKeySecurityScheme a name and a location of query, header or cookie.',
      },
      async (t) => {
        for (const { scheme, pointer } of variant(t, 'apiKeySecurityScheme')) {
          const at = await cardEvidence(t)
          t.expect((textAt(scheme, 'name') ?? '') !== '', 'the API key has no name', {
            expected: 'a name',
            actual: quote(scheme),
            pointer: `${pointer}/name`,
            at,
          })
          const location = textAt(scheme, 'location') ?? ''
          t.expect(
            ['query', 'header', 'cookie'].includes(location),
            `the location of the API key is ${quote(scheme.location)}`,
            { expected: 'query, header or cookie', actual: quote(scheme), pointer: `${pointer}/location`, at },
          )
        }
      },
    ),
    check(
      'card-scheme-http',
      'MUST name the HTTP authentication scheme',
      { proves: ['card-security-http'], fix: 'Give httpAuthSecurityScheme a scheme, such as Bearer.' },
      async (t) => {
        for (const { scheme, pointer } of variant(t, 'httpAuthSecurityScheme')) {
          t.expect((textAt(scheme, 'scheme') ?? '') !== '', 'the HTTP scheme has no name', {
            expected: 'Bearer, Basic, …',
            actual: quote(scheme),
            pointer: `${pointer}/scheme`,
            at: await cardEvidence(t),
          })
        }
      },
    ),
    check(
      'card-scheme-oauth-flows',
      'MUST describe one OAuth flow per scheme',
      {
        proves: ['card-security-oauth2-flows'],
        fix: 'Set exactly one flow in flows; declare a second scheme for a second flow.',
      },
      async (t) => {
        for (const { scheme, pointer } of variant(t, 'oauth2SecurityScheme')) {
          const flows = Object.keys(objectAt(scheme, 'flows') ?? {}).filter((name) => FLOWS.includes(name))
          t.expect(flows.length === 1, `the OAuth scheme has ${flows.length} flows`, {
            expected: 'one flow',
            actual: flows.join(', ') || quote(scheme),
            pointer: `${pointer}/flows`,
            at: await cardEvidence(t),
          })
        }
      },
    ),
    check(
      'card-scheme-oauth-fields',
      'MUST give every OAuth flow its URLs and scopes',
      { proves: ['card-security-oauth2-flow-fields'], fix: 'Add the URLs and the scopes map the flow requires.' },
      async (t) => {
        for (const { scheme, pointer } of variant(t, 'oauth2SecurityScheme')) {
          for (const [name, flow] of Object.entries(objectAt(scheme, 'flows') ?? {})) {
            for (const member of FLOW_MEMBERS[name] ?? []) {
              const value = isJsonObject(flow) ? flow[member] : undefined
              const isThere =
                member === 'scopes' ? isJsonObject(value) : typeof value === 'string' && URL.canParse(value)
              t.expect(isThere, `the flow ${name} has no usable ${member}`, {
                expected: member === 'scopes' ? 'a map' : 'a URL',
                actual: quote(value),
                pointer: `${pointer}/flows/${name}/${member}`,
                at: await cardEvidence(t),
              })
            }
          }
        }
      },
    ),
    check(
      'card-scheme-oauth-deprecated',
      'SHOULD NOT offer the implicit and password flows',
      {
        proves: ['card-security-oauth2-deprecated'],
        fix: 'Offer authorizationCode with PKCE or clientCredentials instead.',
      },
      async (t) => {
        for (const { scheme, pointer } of variant(t, 'oauth2SecurityScheme')) {
          const old = Object.keys(objectAt(scheme, 'flows') ?? {}).filter(
            (name) => name === 'implicit' || name === 'password',
          )
          t.expect(old.length === 0, `the card offers the deprecated flow ${old.join(', ')}`, {
            expected: 'none of them',
            actual: old.join(', '),
            pointer: `${pointer}/flows`,
            at: await cardEvidence(t),
          })
        }
      },
    ),
    check(
      'card-scheme-oauth-metadata',
      'MUST give the OAuth metadata URL with TLS',
      { proves: ['card-security-oauth2-metadata-tls'], fix: 'Use an https URL for oauth2MetadataUrl.' },
      async (t) => {
        for (const { scheme, pointer } of variant(t, 'oauth2SecurityScheme')) {
          const url = scheme.oauth2MetadataUrl
          if (url === undefined || url === '') continue
          t.expect(typeof url === 'string' && url.startsWith('https://'), `oauth2MetadataUrl is ${quote(url)}`, {
            expected: 'an https URL',
            actual: quote(url),
            pointer: `${pointer}/oauth2MetadataUrl`,
            at: await cardEvidence(t),
          })
        }
      },
    ),
    check(
      'card-scheme-oidc',
      'MUST give the OpenID Connect discovery URL',
      { proves: ['card-security-oidc'], fix: 'Give openIdConnectSecurityScheme an absolute openIdConnectUrl.' },
      async (t) => {
        for (const { scheme, pointer } of variant(t, 'openIdConnectSecurityScheme')) {
          t.expect(URL.canParse(textAt(scheme, 'openIdConnectUrl') ?? ''), 'the discovery URL is missing or relative', {
            expected: 'an absolute URL',
            actual: quote(scheme),
            pointer: `${pointer}/openIdConnectUrl`,
            at: await cardEvidence(t),
          })
        }
      },
    ),
    check(
      'card-requirements-shape',
      'MUST list security requirements as maps of schemes to scopes',
      {
        proves: ['card-security-requirements-shape'],
        fix: 'Write securityRequirements as [{"schemes": {"name": {"list": []}}}].',
      },
      async (t) => {
        const at = await cardEvidence(t)
        const { securityRequirements } = t.card
        // Null is a way to leave a member out (ProtoJSON).
        if (securityRequirements === undefined || securityRequirements === null)
          t.notApplicable('the card declares no security requirements')
        t.expect(Array.isArray(securityRequirements), 'securityRequirements is not a list', {
          expected: 'a list',
          actual: quote(securityRequirements),
          pointer: '/securityRequirements',
          at,
        })
        for (const { entry, pointer } of entries(t.card, 'securityRequirements')) {
          const map = objectAt(entry, 'schemes')
          if (map === undefined)
            return t.fail(`${pointer} has no schemes`, {
              expected: '{"schemes": {…}}',
              actual: quote(entry),
              pointer,
              at,
            })
          for (const [name, scopes] of Object.entries(map)) {
            const isList = isJsonObject(scopes) && (scopes.list === undefined || Array.isArray(scopes.list))
            t.expect(isList, `the scopes of ${name} are not a list`, {
              expected: '{"list": […]}',
              actual: quote(scopes),
              pointer: `${pointer}/schemes/${name}`,
              at,
            })
          }
        }
      },
    ),
    check(
      'card-requirements-resolve',
      'SHOULD define every scheme its requirements name',
      {
        proves: ['card-security-requirements-resolve'],
        fix: 'Add the missing scheme to securitySchemes, or correct its name.',
      },
      async (t) => {
        const known = objectAt(t.card, 'securitySchemes') ?? {}
        const all = [
          ...entries(t.card, 'securityRequirements'),
          ...entries(t.card, 'skills').flatMap(({ entry, pointer }) => entries(entry, 'securityRequirements', pointer)),
        ]
        if (all.length === 0) t.notApplicable('the card requires no scheme')
        for (const { entry, pointer } of all) {
          for (const name of Object.keys(objectAt(entry, 'schemes') ?? {})) {
            t.expect(name in known, `the scheme ${name} is not defined`, {
              expected: Object.keys(known).join(', ') || 'a defined scheme',
              actual: name,
              pointer: `${pointer}/schemes/${name}`,
              at: await cardEvidence(t),
            })
          }
        }
      },
    ),
    check(
      'card-authentication',
      'MUST give all details of the authentication it declares',
      {
        proves: ['card-authentication'],
        fix: 'For oauth2 give credentials.oauth2.tokenUrl, for apiKey give credentials.apiKey.headerName.',
      },
      async (t) => {
        const authentication = objectAt(t.card, 'authentication')
        if (authentication === undefined) t.notApplicable('the card declares no authentication')
        const named = (listAt(authentication, 'schemes') ?? []).map(String)
        const credentials = objectAt(authentication, 'credentials')
        for (const [scheme, member] of [
          ['oauth2', 'tokenUrl'],
          ['apiKey', 'headerName'],
        ] as const) {
          if (!named.includes(scheme) || credentials === undefined) continue
          t.expect(
            (textAt(objectAt(credentials, scheme), member) ?? '') !== '',
            `authentication for ${scheme} has no ${member}`,
            {
              expected: `credentials.${scheme}.${member}`,
              actual: quote(authentication),
              pointer: `/authentication/credentials/${scheme}/${member}`,
              at: await cardEvidence(t),
            },
          )
        }
      },
    ),
  ],
)

interface Scheme {
  scheme: JsonObject
  pointer: string
}

function schemes(t: Probe): Scheme[] {
  const found = Object.entries(objectAt(t.card, 'securitySchemes') ?? {})
  if (found.length === 0) t.notApplicable('the card declares no security schemes')
  return found.flatMap(([name, scheme]) =>
    isJsonObject(scheme) ? [{ scheme, pointer: `/securitySchemes/${name}` }] : [],
  )
}

/** The schemes of one kind; not applicable when there are none. */
function variant(t: Probe, kind: string): Scheme[] {
  const found = schemes(t).flatMap(({ scheme, pointer }) => {
    const inner = objectAt(scheme, kind)
    return inner === undefined ? [] : [{ scheme: inner, pointer: `${pointer}/${kind}` }]
  })
  return found.length > 0 ? found : t.notApplicable(`the card declares no ${kind}`)
}
