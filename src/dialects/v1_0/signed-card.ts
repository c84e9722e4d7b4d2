// Which members of a 1.0 card a signature covers (§8.4.1): REQUIRED ones always, members with presence when they were
// set, all others unless they hold their default. Works on raw JSON, because an object model has lost that difference.

import { canonicalize } from 'json-canonicalize'
import { isJsonObject, type JsonObject, type JsonValue } from '../../model/json.ts'

/** Readings other than §8.4.1; §8.4.2 step 1 contradicts it, and signers in the field follow either. */
export interface Departures {
  /** REQUIRED members with their default value are left out too. */
  dropsRequired?: boolean
  /** Members set to their default on purpose are left out too. */
  dropsExplicit?: boolean
  /** Members with default values stay in. */
  keepsDefaults?: boolean
  /** Unset members are written with their default. */
  insertsUnset?: boolean
  /** Empty texts, lists and objects vanish wherever they are, and what becomes empty by that. */
  prunesEmpty?: boolean
  /** Members the specification does not know are left out. */
  dropsUnknown?: boolean
}

interface MemberRule {
  presence: 'required' | 'explicit' | 'implicit'
  /** The message inside; the value is one, or a list or a map of them. */
  message?: string
  isMap?: true
  /** What an unset member would be written as. */
  unset?: '' | false
}

type Members = Readonly<Record<string, MemberRule>>

const REQUIRED: MemberRule = { presence: 'required' }
const IMPLICIT: MemberRule = { presence: 'implicit' }
const TEXT: MemberRule = { presence: 'explicit', unset: '' }
const FLAG: MemberRule = { presence: 'explicit', unset: false }
/** Singular messages have presence without saying so. */
const MESSAGE: MemberRule = { presence: 'explicit' }
const REQUIREMENTS: MemberRule = { presence: 'implicit', message: 'SecurityRequirement' }

const FLOW: Members = { refreshUrl: IMPLICIT, scopes: REQUIRED, tokenUrl: REQUIRED }
const DEPRECATED_FLOW: Members = {
  authorizationUrl: IMPLICIT,
  tokenUrl: IMPLICIT,
  refreshUrl: IMPLICIT,
  scopes: IMPLICIT,
}

/** Presence as a2a.proto has it: REQUIRED, `optional` and messages, everything else. */
const MESSAGES: Readonly<Record<string, Members>> = {
  AgentCard: {
    name: REQUIRED,
    description: REQUIRED,
    supportedInterfaces: { presence: 'required', message: 'AgentInterface' },
    provider: { presence: 'explicit', message: 'AgentProvider' },
    version: REQUIRED,
    documentationUrl: TEXT,
    capabilities: { presence: 'required', message: 'AgentCapabilities' },
    securitySchemes: { presence: 'implicit', message: 'SecurityScheme', isMap: true },
    securityRequirements: REQUIREMENTS,
    defaultInputModes: REQUIRED,
    defaultOutputModes: REQUIRED,
    skills: { presence: 'required', message: 'AgentSkill' },
    iconUrl: TEXT,
  },
  AgentInterface: { url: REQUIRED, protocolBinding: REQUIRED, tenant: IMPLICIT, protocolVersion: REQUIRED },
  AgentProvider: { url: REQUIRED, organization: REQUIRED },
  AgentCapabilities: {
    streaming: FLAG,
    pushNotifications: FLAG,
    extensions: { presence: 'implicit', message: 'AgentExtension' },
    extendedAgentCard: FLAG,
  },
  AgentExtension: { uri: IMPLICIT, description: IMPLICIT, required: IMPLICIT, params: MESSAGE },
  AgentSkill: {
    id: REQUIRED,
    name: REQUIRED,
    description: REQUIRED,
    tags: REQUIRED,
    examples: IMPLICIT,
    inputModes: IMPLICIT,
    outputModes: IMPLICIT,
    securityRequirements: REQUIREMENTS,
  },
  SecurityRequirement: { schemes: { presence: 'implicit', message: 'StringList', isMap: true } },
  StringList: { list: IMPLICIT },
  SecurityScheme: {
    apiKeySecurityScheme: { presence: 'explicit', message: 'ApiKeyScheme' },
    httpAuthSecurityScheme: { presence: 'explicit', message: 'HttpAuthScheme' },
    oauth2SecurityScheme: { presence: 'explicit', message: 'OAuth2Scheme' },
    openIdConnectSecurityScheme: { presence: 'explicit', message: 'OpenIdScheme' },
    mtlsSecurityScheme: { presence: 'explicit', message: 'MutualTlsScheme' },
  },
  ApiKeyScheme: { description: IMPLICIT, location: REQUIRED, name: REQUIRED },
  HttpAuthScheme: { description: IMPLICIT, scheme: REQUIRED, bearerFormat: IMPLICIT },
  OAuth2Scheme: {
    description: IMPLICIT,
    flows: { presence: 'required', message: 'OAuthFlows' },
    oauth2MetadataUrl: IMPLICIT,
  },
  OpenIdScheme: { description: IMPLICIT, openIdConnectUrl: REQUIRED },
  MutualTlsScheme: { description: IMPLICIT },
  OAuthFlows: {
    authorizationCode: { presence: 'explicit', message: 'AuthorizationCodeFlow' },
    clientCredentials: { presence: 'explicit', message: 'ClientCredentialsFlow' },
    implicit: { presence: 'explicit', message: 'DeprecatedFlow' },
    password: { presence: 'explicit', message: 'DeprecatedFlow' },
    deviceCode: { presence: 'explicit', message: 'DeviceCodeFlow' },
  },
  AuthorizationCodeFlow: { ...FLOW, authorizationUrl: REQUIRED, pkceRequired: IMPLICIT },
  ClientCredentialsFlow: FLOW,
  DeviceCodeFlow: { ...FLOW, deviceAuthorizationUrl: REQUIRED },
  DeprecatedFlow: DEPRECATED_FLOW,
}

/** The text a signature of this card covers. */
export function signedText(card: JsonObject): string {
  return canonicalize(signedForm(card))
}

/** The card as it is signed: without `signatures` and without the members that do not count. */
export function signedForm(card: JsonObject, departures: Departures = {}): JsonObject {
  const { signatures: _, ...rest } = card
  const form = messageForm(rest, 'AgentCard', departures)
  const pruned = departures.prunesEmpty === true ? pruneEmpty(form) : form
  return isJsonObject(pruned) ? pruned : {}
}

function messageForm(value: JsonObject, name: string, departures: Departures): JsonObject {
  const rules = MESSAGES[name] ?? {}
  const kept: [string, JsonValue][] = []
  for (const [member, inner = null] of Object.entries(value)) {
    // A member called like one of Object.prototype is an unknown member.
    const rule = Object.hasOwn(rules, member) ? rules[member] : undefined
    if (rule === undefined) {
      if (departures.dropsUnknown !== true) kept.push([member, inner])
    } else if (counts(inner, rule, departures)) kept.push([member, memberForm(inner, rule, departures)])
  }
  if (departures.insertsUnset === true) {
    for (const [member, { unset }] of Object.entries(rules))
      if (unset !== undefined && !Object.hasOwn(value, member)) kept.push([member, unset])
  }
  return Object.fromEntries(kept)
}

function counts(value: JsonValue, { presence, unset }: MemberRule, departures: Departures): boolean {
  if (departures.keepsDefaults === true) return true
  // ProtoJSON reads null as "not set".
  if (value === null) return false
  if (!isDefault(value)) return true
  if (presence === 'required') return departures.dropsRequired !== true
  if (presence === 'explicit') return unset === undefined || departures.dropsExplicit !== true
  return false
}

function memberForm(value: JsonValue, { message, isMap }: MemberRule, departures: Departures): JsonValue {
  if (message === undefined) return value
  const inside = (item: JsonValue) => (isJsonObject(item) ? messageForm(item, message, departures) : item)
  if (Array.isArray(value)) return value.map(inside)
  if (isMap === true && isJsonObject(value))
    return Object.fromEntries(Object.entries(value).map(([key, item = null]) => [key, inside(item)]))
  return inside(value)
}

function isDefault(value: JsonValue): boolean {
  if (value === '' || value === false || value === 0) return true
  if (Array.isArray(value)) return value.length === 0
  return isJsonObject(value) && Object.keys(value).length === 0
}

function pruneEmpty(value: JsonValue): JsonValue | undefined {
  if (value === '' || value === null) return undefined
  if (Array.isArray(value)) {
    const kept = value.map(pruneEmpty).filter((item) => item !== undefined)
    return kept.length === 0 ? undefined : kept
  }
  if (!isJsonObject(value)) return value
  const kept = Object.entries(value).flatMap(([name, item = null]): [string, JsonValue][] => {
    const inner = pruneEmpty(item)
    return inner === undefined ? [] : [[name, inner]]
  })
  return kept.length === 0 ? undefined : Object.fromEntries(kept)
}
