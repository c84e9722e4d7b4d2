// The card of 0.3 (0.3 §5.5): one main `url` with its transport, the others beside it, and security in OpenAPI's words.

import type { AgentCard, AgentInterface, AgentSkill } from '../../model/card.ts'
import { URL_FORM } from '../card-forms.ts'
import type { CardCodec } from '../dialect.ts'
import { encoded, type Losses } from '../losses.ts'
import { answerReader } from '../table-codec.ts'
import { fromProtoJson } from './from-proto-json.ts'
import { schemas } from './schema/schemas.ts'
import { decodeRequirement, decodeScheme, encodeRequirement, encodeScheme } from './security.ts'
import type { WireCard, WireSkill } from './wire.ts'

const SINCE_MESSAGE_SEND = ['preferredTransport', 'additionalInterfaces', 'securitySchemes', 'security']

const readAnswer = answerReader(schemas, fromProtoJson)

export const cardCodec: CardCodec = {
  // agent.json was the place until 0.2.6.
  wellKnownPaths: ['/.well-known/agent-card.json', '/.well-known/agent.json'],
  form: URL_FORM,
  claim(card) {
    if (typeof card.url !== 'string') return undefined
    const since = SINCE_MESSAGE_SEND.find((member) => card[member] !== undefined)
    if (typeof card.protocolVersion === 'string')
      return { because: 'it has a url and a protocolVersion', isCertain: true }
    if (since !== undefined)
      return { because: `it has a url and ${since}, which came with message/send`, isCertain: true }
    // Required before 0.2.5, when there was no protocolVersion yet, but already known to tasks/send.
    if (card.authentication !== undefined || card.defaultInputModes === undefined) return undefined
    return { because: 'it has a url and default modes', isCertain: false }
  },
  requiredMembers: [
    'name',
    'description',
    'url',
    'version',
    'protocolVersion',
    'capabilities',
    'defaultInputModes',
    'defaultOutputModes',
    'skills',
  ],
  decode: (wire) => readAnswer('AgentCard', wire, (read) => decodeCard(read as WireCard)),
  encode: (card) => encoded((lost) => encodeCard(card, lost)),
  issues: (wire) => schemas.validate('AgentCard', wire),
}

export function decodeCard(wire: WireCard): AgentCard {
  const { protocolVersion: _, url: __, preferredTransport: ___, additionalInterfaces: ____, ...more } = wire
  const { supportsAuthenticatedExtendedCard, securitySchemes, security, skills, ...rest } = more
  const card: AgentCard = {
    ...rest,
    supportedInterfaces: interfacesOf(wire),
    capabilities: { ...wire.capabilities },
    skills: skills.map(decodeSkill),
  }
  if (supportsAuthenticatedExtendedCard !== undefined) {
    card.capabilities.extendedAgentCard = supportsAuthenticatedExtendedCard
  }
  if (securitySchemes !== undefined) {
    card.securitySchemes = Object.fromEntries(
      Object.entries(securitySchemes).map(([name, scheme]) => [name, decodeScheme(scheme)]),
    )
  }
  if (security !== undefined) card.securityRequirements = security.map(decodeRequirement)
  return card
}

/** The main interface first; its copy among the additional ones (0.3 §5.5.5 recommends one) is not a second one. */
function interfacesOf(wire: WireCard): AgentInterface[] {
  const protocolVersion = wire.protocolVersion.split('.').slice(0, 2).join('.')
  const main = { url: wire.url, transport: wire.preferredTransport ?? 'JSONRPC' }
  const others = (wire.additionalInterfaces ?? []).filter(
    ({ url, transport }) => url !== main.url || transport !== main.transport,
  )
  return [main, ...others].map(({ transport, ...rest }) => ({ ...rest, protocolBinding: transport, protocolVersion }))
}

function decodeSkill(wire: WireSkill): AgentSkill {
  const { security, ...skill } = wire
  return security === undefined ? skill : { ...skill, securityRequirements: security.map(decodeRequirement) }
}

export function encodeCard(card: AgentCard, lost: Losses): WireCard {
  const { supportedInterfaces, capabilities, securitySchemes, securityRequirements, skills, signatures, ...rest } = card
  const { extendedAgentCard, ...abilities } = capabilities
  const wire: WireCard = {
    ...rest,
    ...encodeInterfaces(supportedInterfaces, lost),
    capabilities: abilities,
    skills: skills.map(encodeSkill),
  }
  if (extendedAgentCard !== undefined) wire.supportsAuthenticatedExtendedCard = extendedAgentCard
  if (securityRequirements !== undefined) wire.security = securityRequirements.map(encodeRequirement)
  if (securitySchemes !== undefined) {
    wire.securitySchemes = {}
    for (const [name, scheme] of Object.entries(securitySchemes)) {
      const written = encodeScheme(scheme, `/securitySchemes/${name}`, lost)
      if (written !== undefined) Object.defineProperty(wire.securitySchemes, name, { value: written, ...PLAIN })
    }
  }
  // A signature covers the bytes of one generation's card; on a translated card it would only fail to verify.
  if (signatures !== undefined) lost.add('/signatures', 'signatures do not survive translation to 0.3')
  return wire
}

const PLAIN = { enumerable: true, configurable: true, writable: true }

/** Entries that declare an older version if there are any; else the agent speaks 0.3 where it speaks 1.0. */
function encodeInterfaces(
  interfaces: readonly AgentInterface[],
  lost: Losses,
): Pick<WireCard, 'protocolVersion' | 'url' | 'preferredTransport' | 'additionalInterfaces'> {
  const older = interfaces.filter(({ protocolVersion }) => /^0\.[23]/.test(protocolVersion))
  const offered = older.length > 0 ? older : interfaces
  const [version = '0.3'] = older.map(({ protocolVersion }) => protocolVersion)
  interfaces.forEach((entry, i) => {
    if (entry.tenant) lost.add(`/supportedInterfaces/${i}/tenant`, '0.3 knows no tenants')
    if (!offered.includes(entry)) lost.add(`/supportedInterfaces/${i}`, 'a 0.3 card names no interface of 1.0')
  })
  const written = offered.filter(isFirstOfItsKind).map((entry) => {
    const { protocolBinding, protocolVersion: _, tenant: __, ...rest } = entry
    return { ...rest, transport: protocolBinding }
  })
  const [main = { url: '', transport: 'JSONRPC' }] = written
  return {
    protocolVersion: /^\d+\.\d+$/.test(version) ? `${version}.0` : version,
    url: main.url,
    preferredTransport: main.transport,
    ...(written.length > 1 ? { additionalInterfaces: written } : {}),
  }
}

/** Later generations list an endpoint once for each version it speaks. */
function isFirstOfItsKind(entry: AgentInterface, at: number, all: readonly AgentInterface[]): boolean {
  return all.findIndex((each) => each.url === entry.url && each.protocolBinding === entry.protocolBinding) === at
}

function encodeSkill(skill: AgentSkill): WireSkill {
  const { securityRequirements, ...rest } = skill
  return securityRequirements === undefined ? rest : { ...rest, security: securityRequirements.map(encodeRequirement) }
}

/** The card as REST returns it: the 0.3 proto declares security in the very shapes 1.0 kept. */
export function encodeProtoCard(card: AgentCard, lost: Losses): object {
  const { securitySchemes: _, security: __, skills, ...wire } = encodeCard(card, lost)
  return {
    ...wire,
    ...(card.securitySchemes && { securitySchemes: card.securitySchemes }),
    ...(card.securityRequirements && { security: card.securityRequirements }),
    skills: skills.map((written, i) => {
      const { security: ___, ...skill } = written
      const requirements = card.skills[i]?.securityRequirements
      return requirements === undefined ? skill : { ...skill, security: requirements }
    }),
  }
}
