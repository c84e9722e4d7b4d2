// A card as the client of one cell sees it: the interface under test and no other, at the tap. Works on the raw card, so that
// everything else stays as the server wrote it.

import { BINDINGS } from '../bindings/registry.ts'
import { dialectById } from '../dialects/index.ts'
import { bindingOf, dialectOf } from '../discovery/choose-interface.ts'
import { declaredInterfaces } from '../discovery/recognise.ts'
import type { Surface } from '../grade/scenario.ts'
import { isJsonObject, type JsonObject, listAt, textAt } from '../model/json.ts'

/** The path of the one interface that a narrowed card names, without a slash at its end. */
export function interfacePath(card: JsonObject): string {
  const [first] = declaredInterfaces(card)
  return first === undefined || !URL.canParse(first.url) ? '' : new URL(first.url).pathname.replace(/\/$/, '')
}

/** What the card says of this version and binding. */
export function interfaceOf(card: JsonObject, { version, binding }: Surface) {
  return declaredInterfaces(card).find((each) => bindingOf(each) === binding && dialectOf(each)?.id === version)
}

/** With its URL moved to the tap. Undefined when the card names no interface of this version and binding. */
export function narrowCard(card: JsonObject, surface: Surface, moved: (url: string) => string): JsonObject | undefined {
  const { version, binding } = surface
  const found = interfaceOf(card, surface)
  if (found === undefined) return undefined
  const { supportedInterfaces: _all, additionalInterfaces: _others, url: _url, preferredTransport, ...rest } = card
  const name = BINDINGS[binding].cardName
  const url = moved(found.url)
  const narrowed: JsonObject = { ...rest }
  const entry = (listAt(card, 'supportedInterfaces') ?? [])
    .filter(isJsonObject)
    .find(
      (each) =>
        textAt(each, 'url') === found.url &&
        textAt(each, 'protocolBinding') === name &&
        textAt(each, 'protocolVersion') === found.protocolVersion,
    )
  if (entry !== undefined) narrowed.supportedInterfaces = [{ ...entry, url }]
  const { requiredMembers, form } = dialectById(version).card
  if (!requiredMembers.includes('url')) return narrowed
  narrowed.url = url
  // Left out where the server leaves it out, unless that would mean another binding.
  const isMeant = form.interfacesIn(narrowed).some((each) => each.protocolBinding === name)
  if (preferredTransport !== undefined || !isMeant) narrowed.preferredTransport = name
  return narrowed
}
