// What a card of any generation declares, read forgivingly: a wrong card must not hide the endpoint it names.

import { bindingSpelled } from '../../bindings/registry.ts'
import type { DialectId } from '../../dialects/dialect.ts'
import { isJsonObject, type JsonObject } from '../../model/json.ts'
import { listAt, textAt } from '../probe/seen.ts'
import type { DeclaredInterface } from '../probe/surface.ts'

/** Of each list of a card so many entries are looked at: each is asked what it speaks, and what it answers is kept. */
export const MAX_INTERFACES = 50

/** What the card declares beyond that, as a sentence; undefined when there is nothing. */
export function leftOutInterfaces(card: JsonObject): string | undefined {
  for (const member of ['supportedInterfaces', 'additionalInterfaces']) {
    const count = listAt(card, member)?.length ?? 0
    if (count > MAX_INTERFACES)
      return `the card lists ${count} entries in ${member}; the first ${MAX_INTERFACES} are judged, the others are not looked at`
  }
  return undefined
}

export function declaredInterfaces(card: JsonObject): DeclaredInterface[] {
  const found: DeclaredInterface[] = []
  for (const [at, entry] of (listAt(card, 'supportedInterfaces') ?? []).slice(0, MAX_INTERFACES).entries()) {
    const url = textAt(entry, 'url')
    if (url === undefined || !isJsonObject(entry)) continue
    // Cards built without the version exist; a card of this form is a 1.0 card.
    const versionText = textAt(entry, 'protocolVersion') ?? ''
    found.push(
      declared(url, textAt(entry, 'protocolBinding') ?? 'JSONRPC', versionText === '' ? '1.0' : versionText, {
        tenant: textAt(entry, 'tenant'),
        pointer: `/supportedInterfaces/${at}`,
      }),
    )
  }
  const url = textAt(card, 'url')
  if (url === undefined) return found
  const stated = textAt(card, 'protocolVersion')
  const versionText = stated ?? (looksLegacy(card) ? '0.1' : '0.3')
  const alternatives: DialectId[] = stated === undefined ? ['0.3', '0.1'] : []
  const main = declared(url, textAt(card, 'preferredTransport') ?? 'JSONRPC', versionText, {
    pointer: '/url',
    alternatives,
  })
  const older = [main]
  for (const [at, entry] of (listAt(card, 'additionalInterfaces') ?? []).slice(0, MAX_INTERFACES).entries()) {
    const other = textAt(entry, 'url')
    if (other === undefined) continue
    const bindingText = textAt(entry, 'transport') ?? 'JSONRPC'
    if (older.some((known) => known.url === other && known.bindingText === bindingText)) continue
    older.push(declared(other, bindingText, versionText, { pointer: `/additionalInterfaces/${at}` }))
  }
  return [...found, ...older]
}

/** The generations whose card form this is. */
export function cardForms(card: JsonObject): DialectId[] {
  const forms: DialectId[] = []
  if (Array.isArray(card.supportedInterfaces)) forms.push('1.0')
  if (typeof card.url === 'string' || forms.length === 0) forms.push(looksLegacy(card) ? '0.1' : '0.3')
  // Neither `url` nor `supportedInterfaces`: judged as the newest, whose missing members are then named.
  return typeof card.url !== 'string' && !Array.isArray(card.supportedInterfaces) ? ['1.0'] : forms
}

/** The `tasks/send` generation has `authentication`, and none of the members that came later. */
function looksLegacy(card: JsonObject): boolean {
  const later = ['protocolVersion', 'preferredTransport', 'additionalInterfaces', 'securitySchemes', 'security']
  if (later.some((member) => member in card)) return false
  return 'authentication' in card || !('defaultInputModes' in card)
}

export function generationOf(version: string): DialectId | undefined {
  if (/^1\.0(\.|$)/.test(version)) return '1.0'
  if (/^0\.[23](\.|$)/.test(version)) return '0.3'
  return /^0\.1(\.|$)/.test(version) ? '0.1' : undefined
}

function declared(
  url: string,
  bindingText: string,
  versionText: string,
  rest: { tenant?: string | undefined; pointer: string; alternatives?: readonly DialectId[] },
): DeclaredInterface {
  const tenant = rest.tenant === '' ? undefined : rest.tenant
  const { pointer, alternatives = [] } = rest
  return {
    url,
    binding: bindingSpelled(bindingText),
    bindingText,
    generation: generationOf(versionText),
    alternatives,
    versionText,
    tenant,
    pointer,
  }
}
