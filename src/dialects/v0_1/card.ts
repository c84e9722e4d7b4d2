// The card of the `tasks/send` generation: one url, and `authentication` with names of schemes instead of declarations.

import type { AgentCard, AgentSkill, SecurityScheme } from '../../model/card.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../model/json.ts'
import { URL_FORM } from '../card-forms.ts'
import type { CardCodec } from '../dialect.ts'
import { encoded, type Losses } from '../losses.ts'
import { answerReader } from '../table-codec.ts'
import { schemas } from './schema/schemas.ts'
import type { WireCard, WireSkill } from './wire.ts'

type WireAuthentication = NonNullable<WireCard['authentication']>
/** The model keeps what the wire said beside its own reading, for the way back. */
type CardWithAuthentication = AgentCard & { authentication?: WireAuthentication }

/** Members that came later. */
const LATER = [
  ...['protocolVersion', 'preferredTransport', 'additionalInterfaces', 'securitySchemes', 'security'],
  ...['supportedInterfaces', 'protocolVersions'],
]

const readAnswer = answerReader(schemas)

export const cardCodec: CardCodec = {
  wellKnownPaths: ['/.well-known/agent.json'],
  form: URL_FORM,
  claim(card) {
    if (typeof card.url !== 'string' || LATER.some((member) => card[member] !== undefined)) return undefined
    if (card.authentication !== undefined)
      return { because: 'it has a url and the authentication member of the tasks/send version', isCertain: true }
    if (typeof card.name !== 'string') return undefined
    return { because: 'it has a url and nothing newer than the tasks/send version', isCertain: false }
  },
  requiredMembers: ['name', 'url', 'version', 'capabilities', 'skills'],
  decode: (wire) => readAnswer('AgentCard', wire, (read) => decodeCard(read as WireCard)),
  encode: (card) => encoded((lost) => encodeCard(card, lost)),
  issues: (wire) => schemas.validate('AgentCard', wire),
}

export function decodeCard(wire: WireCard): AgentCard {
  const { url, provider, skills, ...rest } = wire
  const card: AgentCard = {
    // The text of 0.1 names this default.
    defaultInputModes: ['text/plain'],
    defaultOutputModes: ['text/plain'],
    description: '',
    ...rest,
    supportedInterfaces: [{ url, protocolBinding: 'JSONRPC', protocolVersion: '0.1' }],
    skills: skills.map(decodeSkill),
  }
  if (provider !== undefined) card.provider = { url: '', ...provider }
  const { authentication } = wire
  if (authentication !== undefined && authentication.schemes.length > 0) {
    card.securitySchemes = Object.fromEntries(
      authentication.schemes.map((name) => [name, decodeScheme(name, authentication.credentials)]),
    )
    // Any one of them will do.
    card.securityRequirements = authentication.schemes.map((name) => ({ schemes: { [name]: { list: [] } } }))
  }
  return card
}

function decodeSkill(wire: WireSkill): AgentSkill {
  return { description: '', tags: [], ...wire }
}

function decodeScheme(name: string, credentials: JsonValue | undefined): SecurityScheme {
  const about = detailsOf(name, credentials)
  switch (name.toLowerCase()) {
    case 'apikey':
      return { apiKeySecurityScheme: { location: 'header', name: textIn(about.headerName) ?? 'X-API-Key' } }
    case 'oauth2':
      return {
        oauth2SecurityScheme: { flows: { clientCredentials: { tokenUrl: textIn(about.tokenUrl) ?? '', scopes: {} } } },
      }
    case 'openidconnect':
      return { openIdConnectSecurityScheme: { openIdConnectUrl: textIn(about.openIdConnectUrl) ?? '' } }
    case 'mutualtls':
      return { mtlsSecurityScheme: {} }
    default:
      return { httpAuthSecurityScheme: { scheme: name } }
  }
}

function detailsOf(name: string, credentials: JsonValue | undefined): JsonObject {
  const about = isJsonObject(credentials) ? credentials[name] : undefined
  return isJsonObject(about) ? about : {}
}

function textIn(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined
}

export function encodeCard(card: CardWithAuthentication, lost: Losses): WireCard {
  const { supportedInterfaces, capabilities, provider, skills, description, ...more } = card
  const { securitySchemes, securityRequirements: _, signatures, iconUrl, authentication, ...rest } = more
  const { extendedAgentCard, extensions, ...abilities } = capabilities
  const place = supportedInterfaces.find((entry) => entry.protocolVersion.startsWith('0.1')) ?? supportedInterfaces[0]
  const wire: WireCard = { ...rest, url: place?.url ?? '', capabilities: abilities, skills: skills.map(encodeSkill) }
  if (description !== '') wire.description = description
  if (provider !== undefined) {
    wire.provider = provider.url === '' ? { organization: provider.organization } : provider
  }
  const declared = authentication ?? (securitySchemes && encodeAuthentication(securitySchemes))
  if (declared !== undefined) wire.authentication = declared
  if (supportedInterfaces.length > 1) lost.add('/supportedInterfaces', 'a 0.1 card names one url')
  if (extendedAgentCard) lost.add('/capabilities/extendedAgentCard', '0.1 has no extended card')
  if (extensions?.length) lost.add('/capabilities/extensions', '0.1 knows no extensions')
  if (signatures?.length) lost.add('/signatures', '0.1 cards are not signed')
  if (iconUrl !== undefined) lost.add('/iconUrl', '0.1 cards have no icon')
  if (skills.some((skill) => skill.securityRequirements?.length))
    lost.add('/skills', '0.1 skills cannot require security')
  return wire
}

function encodeSkill(skill: AgentSkill): WireSkill {
  const { description, tags, securityRequirements: _, ...rest } = skill
  return { ...rest, ...(description === '' ? {} : { description }), ...(tags.length === 0 ? {} : { tags }) }
}

/** `credentials` says per scheme what a client needs to know: where the key goes, where the token comes from. */
function encodeAuthentication(declared: { [name: string]: SecurityScheme }): WireAuthentication {
  const schemes: string[] = []
  const credentials: JsonObject = {}
  for (const scheme of Object.values(declared)) {
    if (scheme.httpAuthSecurityScheme !== undefined) schemes.push(scheme.httpAuthSecurityScheme.scheme.toLowerCase())
    if (scheme.mtlsSecurityScheme !== undefined) schemes.push('mutualTLS')
    if (scheme.apiKeySecurityScheme !== undefined) {
      schemes.push('apiKey')
      credentials.apiKey = { headerName: scheme.apiKeySecurityScheme.name }
    }
    if (scheme.openIdConnectSecurityScheme !== undefined) {
      schemes.push('openIdConnect')
      credentials.openIdConnect = { openIdConnectUrl: scheme.openIdConnectSecurityScheme.openIdConnectUrl }
    }
    if (scheme.oauth2SecurityScheme !== undefined) {
      schemes.push('oauth2')
      const flow = Object.values(scheme.oauth2SecurityScheme.flows)[0]
      credentials.oauth2 = { tokenUrl: flow?.tokenUrl ?? '' }
    }
  }
  return Object.keys(credentials).length === 0 ? { schemes } : { schemes, credentials }
}
