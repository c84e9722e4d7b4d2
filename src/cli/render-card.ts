// An agent card and what was found about it, as people read it. Everything in it was written by a stranger.

import type { Finding, InspectedInterface, Inspection } from '../client/inspect-agent.ts'
import type { AgentCard, SecurityScheme } from '../model/card.ts'
import { terminalLine } from './terminal-text.ts'

export function renderInspection({ discovery, interfaces, findings }: Inspection): string {
  const { card, raw, source, readings } = discovery
  const name = card?.name ?? raw.name
  const lines = [typeof name === 'string' && name !== '' ? terminalLine(name) : 'An agent without a name']
  const description = card?.description ?? raw.description
  if (typeof description === 'string' && description !== '') lines.push(`  ${terminalLine(description)}`)
  const versions = readings
    .map(({ dialect, because, isCertain }) => `A2A ${dialect}${isCertain ? '' : ' perhaps'}, because ${because}`)
    .join('; ')
  lines.push('', labeled('Card', terminalLine(source)), labeled('Protocol version', versions))
  if (card !== undefined) lines.push(...about(card))
  lines.push('', 'Interfaces', ...interfaces.map(interfaceLine))
  if (card !== undefined) lines.push(...skills(card))
  lines.push('', ...findingLines(findings))
  return `${lines.join('\n')}\n`
}

/** The longest label and two spaces. */
const LABEL_WIDTH = 'Protocol version'.length + 2

function labeled(label: string, value: string): string {
  return `${label.padEnd(LABEL_WIDTH)}${value}`
}

function about(card: AgentCard): string[] {
  const { provider, capabilities } = card
  const lines = [labeled('Version', terminalLine(card.version))]
  if (provider !== undefined) lines.push(labeled('Provider', terminalLine(`${provider.organization} ${provider.url}`)))
  if (card.documentationUrl) lines.push(labeled('Documents', terminalLine(card.documentationUrl)))
  const can = (['streaming', 'pushNotifications', 'extendedAgentCard'] as const).filter((name) => capabilities[name])
  lines.push(labeled('Capabilities', can.length === 0 ? 'nothing beyond the core' : can.join(', ')))
  for (const { uri, required } of capabilities.extensions ?? []) {
    lines.push(labeled('Extension', `${terminalLine(uri ?? '')}${required === true ? ' (required)' : ''}`))
  }
  lines.push(labeled('Input modes', terminalLine(card.defaultInputModes.join(', '))))
  lines.push(labeled('Output modes', terminalLine(card.defaultOutputModes.join(', '))))
  for (const [name, scheme] of Object.entries(card.securitySchemes ?? {})) {
    lines.push(labeled('Security', terminalLine(`${name}: ${schemeWords(scheme)}`)))
  }
  const required = (card.securityRequirements ?? []).map(({ schemes }) => Object.keys(schemes).join(' and '))
  if (required.length > 0) lines.push(labeled('Requires', terminalLine(required.join(', or '))))
  if (card.signatures !== undefined && card.signatures.length > 0) {
    lines.push(labeled('Signatures', `${card.signatures.length}, not verified here`))
  }
  return lines
}

function schemeWords(scheme: SecurityScheme): string {
  const { apiKeySecurityScheme: key, httpAuthSecurityScheme: http, oauth2SecurityScheme: oauth2 } = scheme
  if (key !== undefined) return `API key in the ${key.location} ${key.name}`
  if (http !== undefined) return `HTTP ${http.scheme}`
  if (oauth2 !== undefined) return `OAuth 2.0 ${Object.keys(oauth2.flows).join(', ')}`
  if (scheme.openIdConnectSecurityScheme !== undefined) {
    return `OpenID Connect at ${scheme.openIdConnectSecurityScheme.openIdConnectUrl}`
  }
  return scheme.mtlsSecurityScheme === undefined ? 'an unknown kind of scheme' : 'mutual TLS'
}

function interfaceLine({ declared, observation }: InspectedInterface): string {
  const declaration = declared.protocolVersion ?? 'no version'
  const tenant = declared.tenant === undefined ? '' : ` tenant ${declared.tenant}`
  return terminalLine(`${declared.protocolBinding} ${declared.url}${tenant}`).replace(
    /^/,
    `  declared ${terminalLine(declaration)}, observed ${observedWords(observation)}: `,
  )
}

function observedWords(observation: InspectedInterface['observation']): string {
  if (observation === undefined) return 'not asked'
  if (observation.unreachable !== undefined) return 'unreachable'
  return observation.speaks.length === 0 ? 'nothing known' : observation.speaks.join(' and ')
}

function skills(card: AgentCard): string[] {
  const lines = ['', 'Skills']
  for (const { id, name, description, tags } of card.skills) {
    lines.push(terminalLine(`${name} (${id}) [${tags.join(', ')}]`).replace(/^/, '  '))
    if (description !== '') lines.push(`    ${terminalLine(description)}`)
  }
  return card.skills.length === 0 ? [...lines, '  none'] : lines
}

function findingLines(findings: readonly Finding[]): string[] {
  if (findings.length === 0) return ['Findings', '  none']
  return [
    'Findings',
    ...findings.map(
      ({ severity, pointer, message, line }) =>
        `  ${severity.padEnd(7)} ${line === undefined ? '' : `line ${line}: `}${pointer === '' ? '(the card)' : terminalLine(pointer)} ${terminalLine(message)}`,
    ),
  ]
}
