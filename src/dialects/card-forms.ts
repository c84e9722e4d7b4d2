// The two ways in which cards have named their interfaces, read from the raw JSON. Deliberately lenient: an agent whose
// card breaks a rule should still be reachable; the rules themselves are the card codecs' business.

import { isJsonObject, type JsonObject, type JsonValue } from '../model/json.ts'

/** One endpoint as a card declares it. */
export interface CardInterface {
  /** As written in the card. */
  url: string
  /** JSONRPC, HTTP+JSON, GRPC, or the URI of a custom binding. */
  protocolBinding: string
  /** As written in the card; undefined where the card does not say. */
  protocolVersion: string | undefined
  /** The tenant to send with each request; undefined where the card names none. */
  tenant: string | undefined
  /** Where in the card it stands: '/supportedInterfaces/0', '/url', … */
  pointer: string
}

export interface CardForm {
  /** Members that list interfaces, of which only the beginning is read. */
  readonly lists: readonly string[]
  /** Each interface says its own version, so that one card speaks for several generations of this form. */
  readonly namesVersions: boolean
  /** In the order of the card. */
  interfacesIn(card: JsonObject): CardInterface[]
  /** Whether an interface at this pointer is declared in this form. */
  has(pointer: string): boolean
}

/** No agent has more interfaces; a card that lists more must not make its reader ask at each of them. */
export const MAX_INTERFACES = 50

/** `supportedInterfaces`, since 1.0 (§4.4.6): each entry says its own version. */
export const LISTED_FORM: CardForm = {
  lists: ['supportedInterfaces'],
  namesVersions: true,
  interfacesIn: (card) =>
    entriesOf(card, 'supportedInterfaces').map(({ entry, url, pointer }) => ({
      url,
      protocolBinding: text(entry.protocolBinding) ?? text(entry.transport) ?? 'JSONRPC',
      protocolVersion: text(entry.protocolVersion),
      tenant: text(entry.tenant),
      pointer,
    })),
  has: (pointer) => pointer.startsWith('/supportedInterfaces'),
}

/** A main `url`, with others beside it since 0.2.5 (0.3 §5.5): the card says one version for all. */
export const URL_FORM: CardForm = {
  lists: ['additionalInterfaces'],
  namesVersions: false,
  interfacesIn(card) {
    const protocolVersion = text(card.protocolVersion)
    if (typeof card.url !== 'string') return []
    const main = { entry: card, url: card.url, pointer: '/url', transport: card.preferredTransport }
    const others = entriesOf(card, 'additionalInterfaces').map((each) => ({ ...each, transport: each.entry.transport }))
    const found = [main, ...others].map(({ url, pointer, transport }) => ({
      ...{ url, pointer, protocolBinding: text(transport) ?? 'JSONRPC' },
      ...{ protocolVersion, tenant: undefined },
    }))
    return found.filter(
      ({ url, protocolBinding }, at) =>
        found.findIndex((other) => other.url === url && other.protocolBinding === protocolBinding) === at,
    )
  },
  has: (pointer) => pointer === '/url' || pointer.startsWith('/additionalInterfaces'),
}

function entriesOf(card: JsonObject, member: string): { entry: JsonObject; url: string; pointer: string }[] {
  const list = card[member]
  if (!Array.isArray(list)) return []
  return list.slice(0, MAX_INTERFACES).flatMap((entry, at) => {
    if (!isJsonObject(entry) || typeof entry.url !== 'string') return []
    return [{ entry, url: entry.url, pointer: `/${member}/${at}` }]
  })
}

/** Empty strings are how some generated cards write "not set". */
function text(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}
