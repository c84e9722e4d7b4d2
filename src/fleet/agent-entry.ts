// One agent of a list: where it is, and how it is to be judged. Read from a JSON value, whatever file it stood in; what
// cannot be read is told as a sentence, so that one bad entry costs no other agent its run.

import { createHash } from 'node:crypto'
import { targetUrl } from '../discovery/target.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../model/json.ts'
import { didYouMean } from '../yaml/did-you-mean.ts'
import { type CredentialReferences, referencesOf } from './credential-references.ts'

/** What of an agent is looked at: a first answer in at most 12 turns, or everything. */
export const PROFILES = ['quick', 'full'] as const
export type Profile = (typeof PROFILES)[number]

/** How an agent is judged. */
export interface Wanted {
  readonly profile: Profile
  /** Only these checks, as `parley test --only` takes them. */
  readonly only?: readonly string[]
  /** How often, once there is a worker that goes on; only when asked for without it. */
  readonly everyMs?: number
}

export interface AgentEntry extends Partial<Wanted> {
  /** In one spelling, so that the same agent is listed once. */
  readonly url: string
  /** What is called a host in everything about politeness: scheme, name and port. */
  readonly origin: string
  readonly labels: Readonly<Record<string, string>>
  readonly credentials?: CredentialReferences
}

/** Where a list came from decides what it may ask for. */
export interface ListTrust {
  /** A list of another party names no secrets of ours: they would be sent wherever it says. */
  readonly mayNameCredentials: boolean
}

const KEYS = ['agent', 'labels', 'credentials', 'profile', 'only', 'every'] as const
/** What registries call the address of an agent. */
const FOREIGN_KEYS = ['agent', 'wellKnownURI', 'url']

export function idOf(url: string): string {
  return createHash('sha256').update(url).digest('hex').slice(0, 20)
}

/** The entry, or what is wrong with it. */
export function entryOf(value: JsonValue, trust: ListTrust): AgentEntry | string {
  if (typeof value === 'string') return addressed(value, {})
  if (!isJsonObject(value)) return 'it is neither an address nor an object with the key agent'
  if (!('agent' in value)) {
    const found = FOREIGN_KEYS.map((key) => value[key]).find((text) => typeof text === 'string')
    return found === undefined ? "it needs the key 'agent'" : addressed(found, {})
  }
  const { agent } = value
  if (typeof agent !== 'string') return "'agent' must be the address of an agent"
  const settings = settingsOf(value, trust)
  return typeof settings === 'string' ? settings : addressed(agent, settings)
}

type Settings = Omit<AgentEntry, 'url' | 'origin' | 'labels'> & { labels?: AgentEntry['labels'] }

function settingsOf(value: JsonObject, { mayNameCredentials }: ListTrust): Settings | string {
  const settings: { -readonly [K in keyof Settings]: Settings[K] } = {}
  for (const [key, given] of Object.entries(value)) {
    if (key === 'agent') continue
    if (key === 'labels') {
      const labels = labelsOf(given)
      if (typeof labels === 'string') return labels
      settings.labels = labels
    } else if (key === 'credentials') {
      if (!mayNameCredentials) return 'credentials are not taken from a list that came from a URL; list it in a file'
      const credentials = referencesOf(given)
      if (typeof credentials === 'string') return credentials
      settings.credentials = credentials
    } else if (key === 'profile') {
      const profile = PROFILES.find((known) => known === given)
      if (profile === undefined) return unknownProfile(given)
      settings.profile = profile
    } else if (key === 'only') {
      const only = Array.isArray(given) ? given : [given]
      if (!only.every((id) => typeof id === 'string')) return "'only' must be the id of a check, or a list of them"
      settings.only = only as string[]
    } else if (key === 'every') {
      const everyMs = everyOf(given)
      if (typeof everyMs === 'string') return everyMs
      settings.everyMs = everyMs
    } else return `unknown key '${key}'${didYouMean(key, KEYS) || `; known are ${KEYS.join(', ')}`}`
  }
  return settings
}

function unknownProfile(given: unknown): string {
  const text = typeof given === 'string' ? given : JSON.stringify(given)
  return `there is no profile '${text}'${didYouMean(text, PROFILES) || `; known are ${PROFILES.join(', ')}`}`
}

function labelsOf(given: JsonValue | undefined): Record<string, string> | string {
  if (!isJsonObject(given)) return "'labels' must be a map of names and texts"
  const labels: Record<string, string> = {}
  for (const [name, text] of Object.entries(given)) {
    if (text === null || typeof text === 'object') return `the label '${name}' must be a text`
    labels[name] = String(text)
  }
  return labels
}

const UNITS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 }
const LEAST_EVERY_MS = 10 * 60_000
const MOST_EVERY_MS = 365 * 86_400_000

/** `1h`, `1d`: politeness forbids more than every ten minutes. */
export function everyOf(given: unknown): number | string {
  const [, digits = '', unit = ''] = /^(\d{1,6})(m|h|d)$/.exec(typeof given === 'string' ? given.trim() : '') ?? []
  const ms = Number(digits) * (UNITS[unit] ?? Number.NaN)
  if (digits !== '' && ms >= LEAST_EVERY_MS && ms <= MOST_EVERY_MS) return ms
  return `'every' must be 10m to 365d with its unit, such as 1h or 1d, not ${JSON.stringify(given) ?? ''}`
}

function addressed(text: string, settings: Settings): AgentEntry | string {
  try {
    const url = targetUrl(text)
    if (url.href.length > 2_048) return 'its address is longer than 2,048 characters'
    const path = url.pathname.replace(/\/+$/, '')
    return { labels: {}, ...settings, url: `${url.origin}${path}${url.search}`, origin: url.origin }
  } catch (error) {
    return error instanceof Error ? error.message.replace(/\.$/, '') : 'its address cannot be read'
  }
}
