// Which generations wrote a card, and which endpoints it names, read from the raw JSON. Deliberately lenient: an
// agent whose card breaks a rule should still be reachable; the rules themselves are the card codecs' business.

import type { DialectId } from '../dialects/dialect.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../model/json.ts'

/** One endpoint as the card declares it. */
export interface DeclaredInterface {
  url: string
  /** JSONRPC, HTTP+JSON, GRPC, or the URI of a custom binding. */
  protocolBinding: string
  /** As written in the card; undefined where the card does not say. */
  protocolVersion: string | undefined
  /** The generation whose shape the declaration has: what to assume where it names no version. */
  shapedLike: DialectId
  tenant: string | undefined
  /** Where in the card it stands: '/supportedInterfaces/0', '/url', … */
  pointer: string
}

export interface Reading {
  dialect: DialectId
  /** The observation it rests on, as a sentence fragment. */
  because: string
  /** False when the card would look the same in another generation. */
  isCertain: boolean
}

export interface Recognition {
  /** Newest first; several when the card is blended or looks alike in two generations, none when it is no card. */
  readings: readonly Reading[]
  /** In the order of the card, each URL, binding and version once. */
  interfaces: readonly DeclaredInterface[]
}

type Observation = Reading & { holds(card: JsonObject): boolean }

// First match wins, per side; a blended card has both.
const NEWER: readonly Observation[] = [
  {
    dialect: '1.0',
    isCertain: true,
    because: 'it lists supportedInterfaces',
    holds: (card) => objectsIn(card.supportedInterfaces).some(([, entry]) => typeof entry.url === 'string'),
  },
  {
    dialect: '1.0',
    isCertain: true,
    because: 'it has the protocolVersions of the 1.0 release candidate',
    holds: (card) => Array.isArray(card.protocolVersions),
  },
]

const SINCE_MESSAGE_SEND = ['preferredTransport', 'additionalInterfaces', 'securitySchemes', 'security']

const OLDER: readonly Observation[] = [
  {
    dialect: '0.3',
    isCertain: true,
    because: 'it has a url and a protocolVersion',
    holds: (card) => typeof card.url === 'string' && typeof card.protocolVersion === 'string',
  },
  {
    dialect: '0.1',
    isCertain: true,
    because: 'it has a url and the authentication member of the tasks/send generation',
    holds: (card) => typeof card.url === 'string' && card.authentication !== undefined,
  },
  {
    dialect: '0.3',
    isCertain: true,
    because: 'it has a url and members that came with message/send',
    holds: (card) => typeof card.url === 'string' && SINCE_MESSAGE_SEND.some((member) => card[member] !== undefined),
  },
  {
    // Required before 0.2.5, when there was no protocolVersion yet, but already known to tasks/send.
    dialect: '0.3',
    isCertain: false,
    because: 'it has a url and default modes',
    holds: (card) => typeof card.url === 'string' && card.defaultInputModes !== undefined,
  },
]

const OLDEST: Observation = {
  dialect: '0.1',
  isCertain: false,
  because: 'it has a url and nothing newer than the tasks/send generation',
  holds: (card) => typeof card.url === 'string' && typeof card.name === 'string',
}

export function recognise(card: JsonValue): Recognition {
  if (!isJsonObject(card)) return { readings: [], interfaces: [] }
  const newer = NEWER.find((observation) => observation.holds(card))
  const older = OLDER.find((observation) => observation.holds(card))
  const oldest = older?.isCertain !== true && newer === undefined && OLDEST.holds(card) ? OLDEST : undefined
  const readings = [newer, older, oldest]
    .filter((observation) => observation !== undefined)
    .map(({ dialect, because, isCertain }) => ({ dialect, because, isCertain }))
  const shape = older ?? oldest
  const found = [...listedInterfaces(card), ...(shape === undefined ? [] : olderInterfaces(card, shape.dialect))]
  return { readings, interfaces: found.filter((entry, index) => found.findIndex((it) => isSame(it, entry)) === index) }
}

function listedInterfaces(card: JsonObject): DeclaredInterface[] {
  const found: DeclaredInterface[] = []
  for (const [index, entry] of objectsIn(card.supportedInterfaces)) {
    if (typeof entry.url !== 'string') continue
    found.push({
      url: entry.url,
      protocolBinding: text(entry.protocolBinding) ?? text(entry.transport) ?? 'JSONRPC',
      protocolVersion: text(entry.protocolVersion),
      shapedLike: '1.0',
      tenant: text(entry.tenant),
      pointer: `/supportedInterfaces/${index}`,
    })
  }
  return found
}

function olderInterfaces(card: JsonObject, shapedLike: DialectId): DeclaredInterface[] {
  const protocolVersion = text(card.protocolVersion)
  const found: DeclaredInterface[] = []
  const declare = (entry: JsonObject, transport: JsonValue | undefined, pointer: string) => {
    if (typeof entry.url !== 'string') return
    const protocolBinding = text(transport) ?? 'JSONRPC'
    found.push({ url: entry.url, protocolBinding, protocolVersion, shapedLike, tenant: undefined, pointer })
  }
  declare(card, card.preferredTransport, '/url')
  for (const [index, entry] of objectsIn(card.additionalInterfaces)) {
    declare(entry, entry.transport, `/additionalInterfaces/${index}`)
  }
  return found
}

function isSame(a: DeclaredInterface, b: DeclaredInterface): boolean {
  return (
    a.url === b.url &&
    a.protocolBinding === b.protocolBinding &&
    a.protocolVersion === b.protocolVersion &&
    a.tenant === b.tenant
  )
}

/** No agent has more interfaces; a card that lists more must not make its reader ask at each of them. */
export const MAX_ENTRIES = 50

function objectsIn(value: JsonValue | undefined): [number, JsonObject][] {
  if (!Array.isArray(value)) return []
  const found: [number, JsonObject][] = []
  value.slice(0, MAX_ENTRIES).forEach((entry, index) => {
    if (isJsonObject(entry)) found.push([index, entry])
  })
  return found
}

/** Empty strings are how some generated cards write "not set". */
function text(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}
