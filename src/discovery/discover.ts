// From what a person typed to an agent card: every place is tried in order and every attempt is kept, so that "no
// card" comes with the list of what answered what. The newest reading of a blended card wins.

import { readFile } from 'node:fs/promises'
import { dialectById } from '../dialects/index.ts'
import type { AgentCard } from '../model/card.ts'
import { EXIT, ParleyError } from '../model/errors.ts'
import type { Issue } from '../model/issue.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../model/json.ts'
import type { HttpClient } from '../net/http-client.ts'
import { parseJson } from '../net/json.ts'
import { DEFAULT_LIMITS } from '../net/limits.ts'
import { type ConnectionFailure, connectionFailure } from './connection-failure.ts'
import { type CredentialOptions, Credentials, originOf } from './credentials.ts'
import { type CardAnswer, findCard } from './find-card.ts'
import { jsonLines } from './json-lines.ts'
import { type DeclaredInterface, type Reading, recognise } from './recognise.ts'
import { type CardPlaces, resolveTarget } from './target.ts'

/** A place where a card was looked for. */
export interface Attempt {
  /** Where the card was looked for. */
  url: string
  /** 'HTTP 404', 'HTTP 200, not JSON', 'ECONNREFUSED', … */
  outcome: string
}

/** An agent that was found: where, and what its card says. */
export interface Discovery {
  /** URL or path the card was read from. */
  source: string
  /** The origin the user pointed at, where credentials belong; undefined for a file. */
  origin: string | undefined
  /** The card as it was received. */
  raw: JsonObject
  /** In neutral form; undefined when it breaks the rules of its generation too badly to be read. */
  card: AgentCard | undefined
  /** The generations the card can be read as, the best first. */
  readings: readonly Reading[]
  /** The interfaces the card declares, in its order. */
  interfaces: readonly DeclaredInterface[]
  /** Why `card` is undefined. */
  issues: readonly Issue[]
  /** What is wrong with the JSON text itself, and no longer visible in `raw`. */
  textIssues: readonly Issue[]
  /** For a card file: the line of what a JSON pointer names. */
  lineOf?: (pointer: string) => number
  /** Every place where the card was looked for, in order. */
  attempts: readonly Attempt[]
}

export interface DiscoverOptions extends CredentialOptions {
  http: HttpClient
  signal?: AbortSignal
  timeoutMs?: number
  /** Called after each attempt, for progress. */
  onAttempt?: (attempt: Attempt) => void
}

export async function discover(target: string, options: DiscoverOptions): Promise<Discovery> {
  const resolved = resolveTarget(target, { hasCredentials: !new Credentials(options, undefined).isEmpty })
  if (resolved.kind === 'file') return readCardFile(resolved.path)

  let strange: string | undefined
  const { attempts, card, from } = await findCard<Answer, Discovery>(resolved.origins, {
    ask: (url, headers) => askForCard(url, headers, options),
    credentialsFor(url, origin) {
      const credentials = new Credentials(options, origin)
      return credentials.mayGoTo(url) ? credentials.headersFor(url) : []
    },
    read(text, { url, source, places: { origin, shared } }) {
      const { json, textIssues } = parseCard(text)
      if (json === undefined) return { remark: 'not JSON' }
      const discovery = discoveryOf(json, { source, origin, textIssues })
      if (discovery === undefined) {
        strange ??= `${url} answered ${sketch(json)}, which is not an agent card of any known protocol version.`
        return {}
      }
      return isForeign(url, shared, discovery.interfaces) ? { remark: FOREIGN_CARD } : { card: discovery }
    },
    isFinal: ({ status }) => status === 401 || status === 403,
    onAttempt: ({ url, outcome }) => options.onAttempt?.({ url, outcome }),
  })
  const tried = attempts.map(({ url, outcome }) => ({ url, outcome }))
  if (card !== undefined && from !== undefined) return { ...card, attempts: tried }
  const last = attempts.at(-1)
  if (last?.answer.status === 401 || last?.answer.status === 403) {
    const { isEmpty } = new Credentials(options, originOf(last.url))
    throw unauthorised(last.answer.status, last.url, isEmpty)
  }
  const failure = attempts.find(({ answer }) => answer.connection !== undefined)?.answer.connection
  const said = attempts.map(({ answer }) => explanationIn(answer)).find((each) => each !== undefined)
  throw noCard(target, tried, failure, strange, said)
}

export const FOREIGN_CARD = 'the card of another agent'

/** A card in the root of a host is the agent's below it only when it names an interface there. */
export function isForeign(
  cardUrl: string,
  shared: CardPlaces['shared'],
  interfaces: readonly { readonly url: string }[],
): boolean {
  if (shared === undefined || !shared.urls.includes(cardUrl)) return false
  return !interfaces.some(({ url }) => `${url}/`.startsWith(`${shared.agent}/`))
}

/** A card that is already at hand. `origin` is where credentials may go. */
export function discoveryOf(
  json: JsonValue,
  place: Pick<Discovery, 'source' | 'origin'> & Partial<Pick<Discovery, 'attempts' | 'textIssues'>>,
): Discovery | undefined {
  const { readings, interfaces } = recognise(json)
  if (readings.length === 0 || !isJsonObject(json)) return undefined
  let card: AgentCard | undefined
  let issues: readonly Issue[] = []
  for (const { dialect } of readings) {
    const decoded = dialectById(dialect).card.decode(json)
    if (decoded.ok) {
      card = decoded.value
      issues = []
      break
    }
    if (decoded.reason === 'invalid' && issues.length === 0) issues = decoded.issues
  }
  const { source, origin, attempts = [], textIssues = [] } = place
  return { source, origin, raw: json, card, readings, interfaces, issues, textIssues, attempts }
}

interface Answer extends CardAnswer {
  connection?: ConnectionFailure
}

async function askForCard(url: string, headers: [string, string][], options: DiscoverOptions): Promise<Answer> {
  try {
    const { signal, timeoutMs } = options
    const response = await options.http.request({ method: 'GET', url, headers, signal, timeoutMs })
    const text = await response.text()
    return { status: response.status, location: response.header('location'), text }
  } catch (error) {
    const connection = connectionFailure(error)
    if (connection === undefined) throw error
    const { reason: failure } = connection
    return { status: undefined, location: undefined, text: '', failure, connection, isOriginDown: true }
  }
}

/** What the host says about why there is nothing: many name what there is, which helps whoever mistyped a path. */
function explanationIn({ status = 0, text }: CardAnswer): string | undefined {
  if (status < 400) return undefined
  const { json } = parseCard(text)
  const error = isJsonObject(json) && isJsonObject(json.error) ? json.error : json
  const message = isJsonObject(error) ? (error.message ?? error.detail) : undefined
  if (typeof message !== 'string' || message === '') return undefined
  // Another's words: on one line, short, and without what a terminal would obey.
  return message
    .replaceAll(/[\s\p{Cc}\p{Cf}]+/gu, ' ')
    .trim()
    .slice(0, 200)
}

async function readCardFile(path: string): Promise<Discovery> {
  let text: string
  try {
    text = await readFile(path, 'utf8')
  } catch (cause) {
    throw new ParleyError('unreadable-file', `The card file ${path} cannot be read.`, { exitCode: EXIT.usage, cause })
  }
  const { json, textIssues } = parseCard(text)
  if (json === undefined) {
    throw new ParleyError('not-json', `${path}: ${textIssues[0]?.message ?? 'This is not JSON.'}`, {
      exitCode: EXIT.usage,
    })
  }
  const found = discoveryOf(json, { source: path, origin: undefined, textIssues })
  if (found !== undefined) return { ...found, lineOf: jsonLines(text).lineOf }
  throw new ParleyError(
    'not-a-card',
    `${path} is not an agent card of any known protocol version: it is ${sketch(json)}.`,
    {
      exitCode: EXIT.usage,
    },
  )
}

interface ParsedCard {
  json: JsonValue | undefined
  textIssues: readonly Issue[]
}

/** Repeated names are a fault of the card, not a reason to refuse it: what every JSON parser sees is the last. */
function parseCard(text: string): ParsedCard {
  const parsed = parseJson(text, DEFAULT_LIMITS)
  if (parsed.ok) return { json: parsed.value, textIssues: [] }
  const line = parsed.problem === 'syntax' ? ` (line ${jsonLines(text).fault ?? 1})` : ''
  const textIssues = [{ pointer: '', message: parsed.message.replace(/\.$/, `${line}.`) }]
  if (parsed.problem !== 'duplicate-key') return { json: undefined, textIssues }
  return { json: withoutRepeats(text), textIssues }
}

/** Written out anew, the text has every name once, and can be checked against the other limits. */
function withoutRepeats(text: string): JsonValue | undefined {
  try {
    const parsed = parseJson(JSON.stringify(JSON.parse(text)), DEFAULT_LIMITS)
    return parsed.ok ? parsed.value : undefined
  } catch {
    return undefined
  }
}

function unauthorised(status: number, url: string, sentNothing: boolean): ParleyError {
  const said = status === 401 ? 'requires credentials' : 'does not accept your credentials'
  return new ParleyError('unauthenticated', `${originOf(url)} ${said} (HTTP ${status} for ${url}).`, {
    exitCode: EXIT.unauthenticated,
    hint: sentNothing
      ? "Add --bearer TOKEN, -H 'Name: value' for another scheme, or --client-cert FILE with --client-key FILE."
      : 'Check the value you gave with --bearer or -H; an --api-key is sent only once the card has named its header.',
  })
}

function noCard(
  target: string,
  attempts: readonly Attempt[],
  failure: ParleyError | undefined,
  strange: string | undefined,
  said: string | undefined,
): ParleyError {
  const tried = attempts.map(({ url, outcome }) => `${url} (${outcome})`).join(', ')
  if (strange !== undefined) {
    return new ParleyError('not-a-card', strange, { exitCode: EXIT.failed, hint: `Tried ${tried}.` })
  }
  if (failure !== undefined && attempts.length === 1) {
    const { code, message, exitCode, hint } = failure
    return new ParleyError(code, message, { exitCode, hint: `${hint === undefined ? '' : `${hint} `}Tried ${tried}.` })
  }
  const message = `No agent card was found for ${target}. Tried ${tried}.`
  if (failure !== undefined) {
    const hint = failure.hint ?? 'Is the agent running, and is this its host and port?'
    return new ParleyError('agent-unreachable', message, { exitCode: failure.exitCode, hint })
  }
  return new ParleyError('no-card', message, {
    exitCode: EXIT.failed,
    hint: `The host answers, but there is no card${said === undefined ? '' : `; it says: ${said.replace(/\.$/, '')}`}. Give the path of the agent, or the URL of its card.`,
  })
}

/** What a JSON document looks like, in a few words. */
function sketch(json: JsonValue): string {
  if (Array.isArray(json)) return 'a JSON array'
  if (!isJsonObject(json)) return `the JSON value ${JSON.stringify(json).slice(0, 40)}`
  const names = Object.keys(json)
  if (names.length === 0) return 'an empty JSON object'
  const more = names.length > 6 ? ', …' : ''
  return `a JSON object with ${names.slice(0, 6).join(', ')}${more}`
}
