// A look at an agent from outside: its card judged by the strict schema of each generation it claims, each interface
// asked what it really speaks, and the capabilities it declares put to harmless questions.

import { randomUUID } from 'node:crypto'
import { defined } from '../base/defined.ts'
import { BINDINGS } from '../bindings/registry.ts'
import { MAX_INTERFACES } from '../dialects/card-forms.ts'
import type { BindingId, DialectId } from '../dialects/dialect.ts'
import { dialectById } from '../dialects/index.ts'
import { bindingOf, dialectOf } from '../discovery/choose-interface.ts'
import { Credentials } from '../discovery/credentials.ts'
import type { Discovery } from '../discovery/discover.ts'
import { type Observation, observe } from '../discovery/observe.ts'
import type { DeclaredInterface } from '../discovery/recognise.ts'
import { A2AError, ParleyError } from '../model/errors.ts'
import { isJsonObject } from '../model/json.ts'
import type { HttpClient } from '../net/http-client.ts'
import { A2AClient, type ClientOptions, httpClientOf } from './a2a-client.ts'
import { reachForOrigin } from './agent-reach.ts'

export interface Finding {
  /** error: a rule of the specification is broken; warning: clients will stumble; note: worth knowing. */
  severity: 'error' | 'warning' | 'note'
  /** RFC 6901 pointer into the card. */
  pointer: string
  message: string
  /** Where it stands in the card file. */
  line?: number
}

export interface InspectedInterface {
  declared: DeclaredInterface
  /** Undefined when no known generation has that version. */
  dialect: DialectId | undefined
  /** Undefined when the binding is not spoken here, or must not be asked with these credentials. */
  observation: Observation | undefined
}

export interface Inspection {
  discovery: Discovery
  interfaces: readonly InspectedInterface[]
  findings: readonly Finding[]
}

export async function inspectAgent(discovery: Discovery, options: ClientOptions = {}): Promise<Inspection> {
  const http = httpClientOf({ ...(options.tls && { tls: options.tls }) }, reachForOrigin(discovery.origin, options))
  try {
    const interfaces: InspectedInterface[] = []
    for (const declared of discovery.interfaces) {
      interfaces.push({
        declared,
        dialect: dialectOf(declared)?.id,
        observation: await observed(declared, discovery, options, http),
      })
    }
    const findings: Finding[] = [
      ...schemaFindings(discovery, interfaces),
      ...interfaces.flatMap(interfaceFindings),
      ...leftOutFindings(discovery),
      ...duplicateFindings(discovery),
      ...(await capabilityFindings(discovery, interfaces, options)),
    ]
    const { lineOf } = discovery
    const placed = findings.map((each) => (lineOf === undefined ? each : { ...each, line: lineOf(each.pointer) }))
    return { discovery, interfaces, findings: placed }
  } finally {
    http.close()
  }
}

async function observed(
  declared: DeclaredInterface,
  discovery: Discovery,
  options: ClientOptions,
  http: HttpClient,
): Promise<Observation | undefined> {
  const binding = bindingOf(declared)
  const credentials = new Credentials(options, discovery.origin)
  if (binding === undefined || BINDINGS[binding].unusableUrl(declared.url) !== undefined) return undefined
  const endpoint = BINDINGS[binding].describeEndpoint(declared.url)
  const hasOwnPort = !BINDINGS[binding].probe.isHttp1
  if (!credentials.mayGoTo(endpoint, hasOwnPort)) return undefined
  const { timeoutMs } = options
  return observe({
    url: declared.url,
    binding,
    http,
    headers: credentials.headersFor(endpoint, discovery.card, hasOwnPort),
    ...defined({ tenant: declared.tenant, timeoutMs }),
  })
}

function schemaFindings(
  { raw, readings, textIssues }: Discovery,
  interfaces: readonly InspectedInterface[],
): Finding[] {
  const found: Finding[] = textIssues.map((issue) => ({ severity: 'error', ...issue }))
  // A card that looks alike in two generations is judged by the one the agent speaks.
  const spoken = new Set(interfaces.flatMap(({ observation }) => observation?.speaks ?? []))
  const uncertain = readings.filter(({ isCertain }) => !isCertain)
  const judged = uncertain.find(({ dialect }) => spoken.has(dialect)) ?? uncertain[0]
  for (const reading of readings) {
    if (!reading.isCertain && reading !== judged) continue
    for (const { pointer, message } of dialectById(reading.dialect).card.issues(raw)) {
      found.push({ severity: 'error', pointer, message: `${message} (A2A ${reading.dialect})` })
    }
  }
  return found
}

function interfaceFindings({ declared, dialect, observation }: InspectedInterface): Finding[] {
  const { pointer, protocolVersion } = declared
  if (!URL.canParse(declared.url)) return [] // The schema already says so.
  if (dialect === undefined) {
    const message = `declares A2A ${protocolVersion ?? ''}, which is not a known protocol version`
    return [{ severity: 'warning', pointer, message }]
  }
  if (observation === undefined) return []
  if (observation.unreachable !== undefined) {
    return [{ severity: 'error', pointer, message: `cannot be reached: ${observation.unreachable}` }]
  }
  const { speaks, answers } = observation
  if (speaks.includes(dialect)) {
    const also = speaks.filter((id) => id !== dialect)
    if (also.length === 0) return []
    return [{ severity: 'note', pointer, message: `declares A2A ${dialect} and also answers A2A ${also.join(', ')}` }]
  }
  if (protocolVersion === undefined && speaks.length > 0) {
    return [{ severity: 'note', pointer, message: `names no version and speaks A2A ${speaks.join(', ')}` }]
  }
  const asked = `a request for an unknown task got ${answers[dialect] ?? 'no answer'}`
  const message =
    speaks.length === 0
      ? `declares A2A ${dialect}, and no protocol version was understood: ${asked}`
      : `declares A2A ${dialect} but speaks A2A ${speaks.join(', ')}: ${asked}`
  return [{ severity: 'error', pointer, message }]
}

/** Of a list that no agent needs, only the beginning is looked at. */
function leftOutFindings({ raw }: Discovery): Finding[] {
  return ['supportedInterfaces', 'additionalInterfaces'].flatMap((member): Finding[] => {
    const list = raw[member]
    if (!Array.isArray(list) || list.length <= MAX_INTERFACES) return []
    const message = `has ${list.length} entries; the first ${MAX_INTERFACES} were asked, the others were not looked at`
    return [{ severity: 'note', pointer: `/${member}`, message }]
  })
}

/** Listed twice, a client that walks the list in order tries the same thing twice. */
function duplicateFindings({ raw }: Discovery): Finding[] {
  const found: Finding[] = []
  for (const [member, names] of [
    ['supportedInterfaces', ['url', 'protocolBinding', 'protocolVersion', 'tenant']],
    ['skills', ['id']],
  ] as const) {
    const list = raw[member]
    if (!Array.isArray(list)) continue
    const seen = new Map<string, number>()
    list.forEach((entry, index) => {
      if (!isJsonObject(entry)) return
      const key = JSON.stringify(names.map((name) => entry[name] ?? ''))
      const first = seen.get(key)
      if (first === undefined) seen.set(key, index)
      else {
        const pointer = `/${member}/${index}`
        found.push({ severity: 'warning', pointer, message: `repeats /${member}/${first}` })
      }
    })
  }
  return found
}

/** Only questions about a task that cannot exist, so that nothing happens on the other side. */
async function capabilityFindings(
  discovery: Discovery,
  interfaces: readonly InspectedInterface[],
  options: ClientOptions,
): Promise<Finding[]> {
  const capabilities = discovery.card?.capabilities
  const working = interfaces.find(({ dialect, observation }) => dialect && observation?.speaks.includes(dialect))
  if (capabilities === undefined || working?.dialect === undefined) return []
  const binding: BindingId | undefined = bindingOf(working.declared)
  if (binding === undefined) return []
  using client = new A2AClient(discovery, { ...options, transports: [binding], versions: [working.dialect] })
  const id = randomUUID()
  const found: Finding[] = []
  const ask = async (pointer: string, question: () => Promise<unknown>, denial: string, message: string) => {
    try {
      await question()
    } catch (error) {
      if (error instanceof ParleyError) return
      if (!(error instanceof A2AError)) throw error
      if (error.kind === denial || error.kind === 'MethodNotFound') {
        found.push({ severity: 'error', pointer, message: `${message} (${error.kind})` })
      }
    }
  }
  if (capabilities.streaming === true) {
    const question = () => client.subscribeTask({ id }).next()
    await ask('/capabilities/streaming', question, 'UnsupportedOperation', 'is true, but streams are refused')
  }
  if (capabilities.pushNotifications === true) {
    const question = () => client.getPushConfig({ taskId: id, id: randomUUID() })
    const pointer = '/capabilities/pushNotifications'
    await ask(pointer, question, 'PushNotificationNotSupported', 'is true, but push notifications are refused')
  }
  if (capabilities.extendedAgentCard === true) {
    const pointer =
      isJsonObject(discovery.raw.capabilities) && 'extendedAgentCard' in discovery.raw.capabilities
        ? '/capabilities/extendedAgentCard'
        : '/supportsAuthenticatedExtendedCard'
    const question = () => client.getExtendedCard()
    await ask(pointer, question, 'ExtendedAgentCardNotConfigured', 'is true, but there is no extended card')
  }
  return found
}
