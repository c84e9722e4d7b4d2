// A card as the page shows it: what it declares, what was seen instead, and what is wrong with it.

import type { Inspection } from '../client/inspect-agent.ts'
import { bindingOf } from '../discovery/choose-interface.ts'
import type { Discovery } from '../discovery/discover.ts'
import { isJsonObject, type JsonObject, type JsonValue, listAt, objectAt, textAt } from '../model/json.ts'
import type { CardView, InterfaceView, SchemeView } from './views.ts'

export function cardView(discovery: Discovery, inspection?: Inspection): CardView {
  const { raw, card, source, readings } = discovery
  return {
    ...{ source, raw },
    name: card?.name ?? textAt(raw, 'name') ?? '',
    description: card?.description ?? textAt(raw, 'description') ?? '',
    version: card?.version ?? textAt(raw, 'version') ?? '',
    readings: readings.map(({ dialect }) => dialect),
    interfaces: interfacesOf(discovery, inspection),
    findings: inspection?.findings.map(({ severity, pointer, message }) => ({ severity, pointer, message })) ?? [],
    schemes: schemesOf(raw),
    signatures: [],
  }
}

function interfacesOf({ interfaces }: Discovery, inspection: Inspection | undefined): InterfaceView[] {
  return interfaces.map((declared, at) => {
    const binding = bindingOf(declared)
    const seen = inspection?.interfaces[at]?.observation
    return {
      url: declared.url,
      binding: declared.protocolBinding,
      ...(binding === undefined ? {} : { bindingId: binding }),
      ...(declared.protocolVersion === undefined ? {} : { declared: declared.protocolVersion }),
      ...(declared.tenant === undefined ? {} : { tenant: declared.tenant }),
      ...(seen === undefined ? {} : { speaks: seen.speaks }),
      ...(seen?.unreachable === undefined ? {} : { unreachable: seen.unreachable }),
    }
  })
}

function schemesOf(card: JsonObject): SchemeView[] {
  const required = new Set([
    ...(listAt(card, 'securityRequirements') ?? []).flatMap((entry) => Object.keys(objectAt(entry, 'schemes') ?? {})),
    ...(listAt(card, 'security') ?? []).flatMap((entry) => (isJsonObject(entry) ? Object.keys(entry) : [])),
  ])
  return Object.entries(objectAt(card, 'securitySchemes') ?? {}).flatMap(([name, scheme]) => {
    const found = schemeOf(scheme)
    return found === undefined ? [] : [{ name, ...found, isRequired: required.has(name) }]
  })
}

/** 1.0 wraps a scheme in a member of its kind; 0.3 names the kind as OpenAPI does. */
function schemeOf(scheme: JsonValue | undefined): Omit<SchemeView, 'name' | 'isRequired'> | undefined {
  const type = textAt(scheme, 'type')
  const member = (wrapped: string, old: string) =>
    objectAt(scheme, wrapped) ?? (type === old && isJsonObject(scheme) ? scheme : undefined)
  const key = member('apiKeySecurityScheme', 'apiKey')
  if (key !== undefined) {
    const place = textAt(key, 'location') ?? textAt(key, 'in') ?? 'header'
    return { kind: 'apiKey', detail: `${place} ${textAt(key, 'name') ?? ''}` }
  }
  const http = member('httpAuthSecurityScheme', 'http')
  if (http !== undefined) return ofHttp(textAt(http, 'scheme') ?? 'bearer')
  const openId = member('openIdConnectSecurityScheme', 'openIdConnect')
  if (openId !== undefined) return { kind: 'openId', detail: textAt(openId, 'openIdConnectUrl') ?? '' }
  const oauth = member('oauth2SecurityScheme', 'oauth2')
  if (oauth !== undefined) return ofOAuth(objectAt(oauth, 'flows') ?? {})
  const isCertificate = member('mtlsSecurityScheme', 'mutualTLS') !== undefined
  return isCertificate ? { kind: 'certificate', detail: 'client certificate' } : undefined
}

function ofHttp(scheme: string): Omit<SchemeView, 'name' | 'isRequired'> {
  if (/^bearer$/i.test(scheme)) return { kind: 'bearer', detail: 'Authorization: Bearer' }
  return { kind: /^basic$/i.test(scheme) ? 'basic' : 'http', detail: `Authorization: ${scheme}` }
}

function ofOAuth(flows: JsonObject): Omit<SchemeView, 'name' | 'isRequired'> {
  const urls = Object.values(flows).flatMap((flow) => textAt(flow, 'tokenUrl') ?? [])
  return { kind: 'oauth2', detail: [...new Set(urls)].join(', '), flows: Object.keys(flows) }
}
