// The card as a document: required members, interfaces, skills, security (1.0 §4.4, §4.5, §8).

import { isUtf8 } from 'node:buffer'
import { isJsonObject, type JsonObject, type JsonValue } from '../../model/json.ts'
import { header } from '../probe/answer.ts'
import { quote } from '../probe/assertions.ts'
import type { Probe } from '../probe/probe.ts'
import { listAt, textAt } from '../probe/raw.ts'
import { area, check, type PlacedCheck } from './check.ts'
import { isProtoSpelling } from './protocol-names.ts'
import { schemaIssues } from './schema.ts'

export const cardChecks: PlacedCheck[] = area({ name: 'card', category: 'agent-card', phase: 1, expandOver: 'card' }, [
  check(
    'card-available',
    'MUST publish a card that clients can fetch',
    {
      proves: ['card-available'],
      fix: 'Serve the card with HTTP 200 and without authentication at /.well-known/agent-card.json.',
      mandatory: true,
      why: 'Without a public card a client cannot learn how to authenticate, nor anything else.',
    },
    async (t) => {
      const { card, cardMissing } = t.agent
      if (card === undefined && cardMissing !== undefined)
        t.fail(`${cardMissing.request.url} holds no card: HTTP ${cardMissing.response?.status ?? 0}`, {
          expected: 'HTTP 200 and a JSON object',
          actual: quote(new TextDecoder().decode(cardMissing.response?.body)),
          at: cardMissing,
        })
      const x = await fetchCard(t)
      t.expectAnswered(x)
      // A card may be protected in 0.3 (§5.4); 1.0 calls it public (§3.1.11).
      const isProtected = x.status === 401 || x.status === 403
      if (isProtected && t.rules.cardMayBeProtected) return t.allow('the card is not public, which 0.3 §5.4 allows')
      t.expect(x.status === 200, `the card answers HTTP ${x.status} without credentials`, {
        expected: 'HTTP 200',
        actual: `HTTP ${x.status}`,
        at: x,
      })
      t.expect(isJsonObject(x.body), 'the card is not a JSON object', {
        expected: 'a JSON object',
        actual: quote(x.text),
        at: x,
      })
    },
  ),
  check(
    'card-valid',
    'MUST serve a card that is valid against the schema of its protocol version',
    {
      proves: ['card-well-known-returns-card', 'card-field-types', 'card-skill-required-fields'],
      fix: 'Correct the members named by the pointers so that each has the type the protocol gives it.',
      mandatory: true,
      yieldsTo: [
        'card-required-fields',
        'card-skill-fields',
        'card-interface-fields',
        'card-provider',
        'card-capabilities-boolean',
        'card-scheme-oneof',
        'card-scheme-api-key',
        'card-scheme-http',
        'card-scheme-oauth-flows',
        'card-scheme-oauth-fields',
        'card-scheme-oidc',
        'card-signature-fields',
        'card-signature-header',
      ],
    },
    async (t) => {
      const x = await cardEvidence(t)
      const issues = schemaIssues({
        kind: 'card',
        generation: t.generation,
        binding: undefined,
        value: t.card,
        pointer: '',
        exchange: x,
      })
      // What is missing from the card, and what is there but empty, have checks of their own.
      const isMissing = (pointer: string) =>
        t.surface.dialect.card.requiredMembers.some((member) => pointer === `/${member}`)
      const real = issues.filter(
        ({ pointer }) => !isEmptyAt(t.card, pointer) && !(isMissing(pointer) && at(t.card, pointer) === undefined),
      )
      const [first] = real
      const lines = real.map(({ pointer, message }) => `${pointer === '' ? '/' : pointer}: ${message}`)
      const more = real.length > 1 ? ` (and ${real.length - 1} more)` : ''
      t.expect(first === undefined, `the card is not valid: ${lines[0]}${more}`, {
        expected: 'a valid card',
        actual: lines.slice(0, 8).join('\n'),
        pointer: first?.pointer ?? '',
        at: x,
      })
    },
  ),
  check(
    'card-required-fields',
    'MUST include every required member of the card',
    { proves: ['card-required-fields'], fix: 'Add the missing members to the card, and fill them.', mandatory: true },
    async (t) => {
      const required = t.surface.dialect.card.requiredMembers
      const missing = required.filter((member) => t.card[member] === undefined || t.card[member] === null)
      t.expect(missing.length === 0, `the card lacks ${missing.join(', ')}`, {
        expected: required.join(', '),
        actual: Object.keys(t.card).join(', '),
        pointer: `/${missing[0] ?? ''}`,
        at: await cardEvidence(t),
      })
      // Only 1.0 says that a required member is also set (§5.7).
      if (!t.rules.requiredIsSet) return
      const empty = required.filter((member) => t.card[member] === '' && member !== 'description')
      t.expect(empty.length === 0, `the card leaves ${empty.join(', ')} empty`, {
        expected: 'a value in every required member',
        actual: '""',
        pointer: `/${empty[0] ?? ''}`,
        at: await cardEvidence(t),
      })
      if (t.card.description === '') t.conflict(47, 'the description of the card is empty')
    },
  ),
  check(
    'card-arrays-nonempty',
    'MUST NOT leave required arrays of the card empty',
    { proves: ['card-required-arrays-nonempty'], fix: 'Give every required array of the card at least one element.' },
    async (t) => {
      const at = await cardEvidence(t)
      for (const member of ['supportedInterfaces', 'defaultInputModes', 'defaultOutputModes']) {
        t.expect(listAt(t.card, member)?.length !== 0, `${member} is empty`, {
          expected: 'at least one element',
          actual: '[]',
          pointer: `/${member}`,
          at,
        })
      }
      if (listAt(t.card, 'skills')?.length === 0) t.conflict(10, 'skills is empty')
    },
  ),
  check(
    'card-camel-case',
    'MUST spell the members of the card in lowerCamelCase',
    {
      proves: ['card-camel-case'],
      fix: 'Rename the members to lowerCamelCase: supportedInterfaces, not supported_interfaces.',
      yieldsTo: ['card-required-fields'],
    },
    async (t) => {
      const wrong = snakeNames(t.card, '')
      t.expect(wrong.length === 0, `the card has snake_case members: ${wrong.slice(0, 5).join(', ')}`, {
        expected: 'lowerCamelCase',
        actual: wrong.slice(0, 5).join(', '),
        pointer: wrong[0] ?? '',
        at: await cardEvidence(t),
      })
    },
  ),
  check(
    'card-utf8',
    'MUST encode the card as UTF-8',
    { proves: ['card-utf8'], fix: 'Send the card as UTF-8, and name no other charset.' },
    async (t) => {
      const x = await fetchCard(t)
      const bytes = x.exchange.response?.body ?? new Uint8Array()
      const charset = /charset="?([^";\s]+)/i.exec(header(x, 'content-type') ?? '')?.[1]
      t.expect(charset === undefined || charset.toLowerCase() === 'utf-8', `the card is labeled ${charset}`, {
        expected: 'charset utf-8 or none',
        actual: charset ?? '',
        at: x,
      })
      t.expect(isUtf8(bytes), 'the bytes of the card are not valid UTF-8', { expected: 'UTF-8', at: x })
    },
  ),
  check(
    'card-no-secrets',
    'SHOULD keep credentials out of the public card',
    { proves: ['card-no-secrets'], fix: 'Remove credentials from the card; it is public.' },
    async (t) => {
      const found = stringsIn(t.card, '').filter(({ text }) =>
        /-----BEGIN [A-Z ]*PRIVATE KEY|\bBearer [\w.~+/-]{20,}|^[a-z]+:\/\/[^/@\s]+:[^/@\s]+@|\bsk-[A-Za-z0-9]{20,}|\bAKIA[0-9A-Z]{16}/.test(
          text,
        ),
      )
      t.expect(found.length === 0, `the card exposes what looks like a credential at ${found[0]?.pointer}`, {
        expected: 'no credentials',
        pointer: found[0]?.pointer ?? '',
      })
    },
  ),
  check(
    'card-no-legacy-members',
    'SHOULD omit members of older protocol versions from the card',
    { proves: ['card-no-legacy-top-level'], fix: 'Remove the pre-1.0 members once no 0.3 client depends on them.' },
    async (t) => {
      const old = [
        'url',
        'preferredTransport',
        'additionalInterfaces',
        'protocolVersion',
        'supportsAuthenticatedExtendedCard',
        'supportsExtendedAgentCard',
        'security',
      ].filter((member) => member in t.card)
      // A blended card is a way to serve two generations, never a fault (see the note of the requirement); leftovers
      // that do not make a card of an older form are of no use.
      if (t.agent.cardForms.length > 1) {
        return t.allow(`the card also carries members of older protocol versions: ${old.join(', ')}`)
      }
      t.expect(old.length === 0, `the card carries members of older protocol versions: ${old.join(', ')}`, {
        expected: 'members of its own protocol version',
        actual: old.join(', '),
        at: await cardEvidence(t),
      })
    },
  ),
  check(
    'card-provider',
    'MUST give organization and URL when the card names a provider',
    { proves: ['card-provider-fields'], fix: 'Give provider both organization and url, or leave it out.' },
    async (t) => {
      if ((t.card.provider ?? undefined) === undefined) t.notApplicable('the card names no provider')
      for (const member of ['organization', 'url']) {
        t.expect((textAt(t.card.provider, member) ?? '') !== '', `provider has no ${member}`, {
          expected: 'a non-empty string',
          actual: quote(t.card.provider),
          pointer: `/provider/${member}`,
          at: await cardEvidence(t),
        })
      }
    },
  ),
  check(
    'card-capabilities-boolean',
    'MUST write capability flags as booleans',
    {
      proves: ['card-capabilities-booleans'],
      fix: 'Write true or false, not strings or numbers.',
      yieldsTo: ['card-required-fields'],
    },
    async (t) => {
      const at = await cardEvidence(t)
      const capabilities = t.card.capabilities
      if (!isJsonObject(capabilities))
        return t.fail('capabilities is not an object', {
          expected: 'an object',
          actual: quote(capabilities),
          pointer: '/capabilities',
          at,
        })
      for (const flag of ['streaming', 'pushNotifications', 'extendedAgentCard', 'stateTransitionHistory']) {
        const value = capabilities[flag]
        t.expect(value === undefined || typeof value === 'boolean', `${flag} is ${quote(value)}`, {
          expected: 'true or false',
          actual: quote(value),
          pointer: `/capabilities/${flag}`,
          at,
        })
      }
    },
  ),
])

/** The card once more, as anybody would fetch it. */
/** Where the card is, after the redirects that may lead there. */
export function addressOfCard(t: Probe): string {
  return t.agent.cardExchange?.request.url ?? t.cardUrl
}

export async function fetchCard(t: Probe) {
  return t.fetch(addressOfCard(t), { headers: { 'A2A-Version': '1.0' } })
}

/** The exchange that brought the card; a card from a file has none, so it is fetched for the record. */
export async function cardEvidence(t: Probe) {
  return t.agent.cardExchange ?? t.notMeasured('the card was read from a file')
}

export interface Entry {
  entry: JsonObject
  pointer: string
}

export function entries(card: JsonValue | undefined, member: string, below = ''): Entry[] {
  return (listAt(card, member) ?? []).flatMap((entry, at) =>
    isJsonObject(entry) ? [{ entry, pointer: `${below}/${member}/${at}` }] : [],
  )
}

function at(card: JsonObject, pointer: string): JsonValue | undefined {
  return pointer
    .split('/')
    .slice(1)
    .reduce<JsonValue | undefined>(
      (found, name) => (isJsonObject(found) ? found[name] : Array.isArray(found) ? found[Number(name)] : undefined),
      card,
    )
}

function isEmptyAt(card: JsonObject, pointer: string): boolean {
  const found = at(card, pointer)
  return found === '' || (Array.isArray(found) && found.length === 0)
}

/** Members whose keys are free for the author to choose. */
const FREE_KEYS = new Set([
  'metadata',
  'params',
  'header',
  'securitySchemes',
  'schemes',
  'scopes',
  'security',
  'credentials',
])

function snakeNames(value: JsonValue | undefined, pointer: string): string[] {
  if (Array.isArray(value)) return value.flatMap((item, at) => snakeNames(item, `${pointer}/${at}`))
  if (!isJsonObject(value)) return []
  return Object.entries(value).flatMap(([name, inner]) => {
    if (FREE_KEYS.has(name)) return []
    const own = isProtoSpelling(name) ? [`${pointer}/${name}`] : []
    return [...own, ...snakeNames(inner, `${pointer}/${name}`)]
  })
}

export function stringsIn(value: JsonValue | undefined, pointer: string): { text: string; pointer: string }[] {
  if (typeof value === 'string') return [{ text: value, pointer }]
  if (Array.isArray(value)) return value.flatMap((item, at) => stringsIn(item, `${pointer}/${at}`))
  if (!isJsonObject(value)) return []
  return Object.entries(value).flatMap(([name, inner]) => stringsIn(inner, `${pointer}/${name}`))
}

export function isLoopback(url: string): boolean {
  const host = URL.parse(url)?.hostname ?? ''
  return host === 'localhost' || host.endsWith('.localhost') || host.startsWith('127.') || host === '[::1]'
}
