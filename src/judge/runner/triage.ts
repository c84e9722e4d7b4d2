// Phase 0: is there anything to judge? Finds the card, asks every declared interface one harmless question, and
// either hands over what speaks or ends with one diagnosis and its fix.

import type { RawError } from '../../bindings/probe.ts'
import { BINDINGS } from '../../bindings/registry.ts'
import { joinUrl } from '../../bindings/rest/probe.ts'
import type { BindingId, DialectId } from '../../dialects/dialect.ts'
import { dialectById, dialectOfVersion } from '../../dialects/index.ts'
import { nearestDialect } from '../../discovery/choose-interface.ts'
import { dialectsOfForm } from '../../discovery/recognise.ts'
import { targetUrl } from '../../discovery/target.ts'
import { isJsonObject } from '../../model/json.ts'
import { type Answer, readAnswer } from '../probe/answer.ts'
import { isNoRoute } from '../probe/either-verb.ts'
import { numbersOf } from '../probe/error-table.ts'
import { limitOf } from '../probe/rate-limit.ts'
import type { AgentFacts, BrokenInterface, DeclaredInterface, Surface } from '../probe/surface.ts'
import { surfaceName } from '../probe/surface.ts'
import type { Wire } from '../probe/wire.ts'
import { GENERATIONS } from '../register.ts'
import { type CredentialOptions, credentialsFor } from './credentials.ts'
import { cardForms, declaredInterfaces, leftOutInterfaces } from './declared-interfaces.ts'
import { cardDiagnosis, interfaceDiagnosis } from './diagnose.ts'
import { type CardAttempt, findCard } from './find-card.ts'
import { emptyMessage, harmlessQuestion } from './harmless-question.ts'
import type { Diagnosis } from './result.ts'
import { misdeclared } from './unusable-interfaces.ts'

export interface TriageOptions {
  timeoutMs: number
  signal: AbortSignal
  credentials: CredentialOptions
  hasCertificate?: boolean
  /** Only these generations and bindings; what the card declares when empty. */
  generations: readonly DialectId[]
  bindings: readonly BindingId[]
  tenant?: string
}

export interface Triage {
  facts: AgentFacts
  attempts: CardAttempt[]
  notes: string[]
  /** Set when there is nothing to judge beyond the card. */
  diagnosis?: Diagnosis
}

/** What it speaks is unknown; it is believed what the card declares, and what it does not answer is not measured. */
const RATE_LIMITED = 'rate-limited'

export interface Reply {
  speaks: boolean
  answer: Answer
  /** What the interface did instead, as a sentence fragment. */
  reason: string
  code: string
}

/** The same, with the headers that identify the user. */
export interface Asking extends Omit<TriageOptions, 'credentials'> {
  credentials: readonly (readonly [string, string])[]
}

export async function triage(target: string, wire: Wire, given: TriageOptions): Promise<Triage> {
  const found = await findCard(target, wire, {
    ...given,
    credentials: credentialsFor(undefined, given.credentials).first,
  })
  const { attempts, card } = found
  // The card says where an API key belongs.
  const options: Asking = { ...given, credentials: credentialsFor(card, given.credentials).first }
  const seen: Seen = { broken: [], locked: [], surfaces: [], replies: [], notes: [] }
  const { broken, locked, surfaces, notes } = seen
  const leftOut = card === undefined ? undefined : leftOutInterfaces(card)
  if (leftOut !== undefined) notes.push(leftOut)
  const facts = {
    target,
    cardUrl: found.cardUrl,
    card,
    cardExchange: found.exchange,
    cardMissing:
      card === undefined ? attempts.find(({ exchange }) => exchange?.response !== undefined)?.exchange : undefined,
    cardForms: card === undefined ? [] : cardForms(card),
    declared: card === undefined ? [] : declaredInterfaces(card),
  }

  const reachable = attempts.some(
    (attempt) => attempt.exchange === undefined || attempt.exchange.response !== undefined,
  )
  if (card === undefined && !reachable) {
    const diagnosis = await cardDiagnosis(target, attempts, wire)
    return { facts: { ...facts, broken, locked, surfaces }, attempts, notes, diagnosis }
  }

  for (const candidate of candidates(target, facts.declared, options)) await examine(candidate, wire, options, seen)
  for (const declared of facts.declared) {
    const reason = misdeclared(declared)
    if (reason !== undefined) {
      broken.push({ declared, reason })
      notes.push(`${declared.url} cannot be used: ${reason}`)
    } else if (declared.binding === undefined) notes.push(`${declared.bindingText} at ${declared.url} is not tested`)
  }
  if (surfaces.length === 0 && options.generations.length === 0) {
    surfaces.push(...(await guess(target, facts.declared, wire, { ...options, silent: silentUrls(seen) })))
    for (const { url, generation, binding } of surfaces) notes.push(`${url} answers ${generation} over ${binding}`)
  }
  const triaged: Triage = {
    facts: { ...facts, broken, locked, surfaces, cardForms: formsFor(card !== undefined, facts.cardForms, surfaces) },
    attempts,
    notes,
  }
  if (surfaces.length === 0) {
    triaged.diagnosis =
      card === undefined
        ? await cardDiagnosis(target, attempts, wire)
        : await interfaceDiagnosis(seen.replies, { target, card, declared: facts.declared, wire, options })
  }
  return triaged
}

/** What the interfaces turned out to be, as they are asked. */
interface Seen {
  readonly broken: BrokenInterface[]
  readonly locked: BrokenInterface[]
  readonly surfaces: Surface[]
  readonly replies: Reply[]
  readonly notes: string[]
}

async function examine(written: Candidate, wire: Wire, options: Asking, seen: Seen): Promise<void> {
  const { broken, locked, surfaces, replies, notes } = seen
  const candidate: Candidate = { ...written, url: await BINDINGS[written.binding].settle(written.url, wire.tls) }
  const { generation, binding, declared } = candidate
  const isNamed = declared === undefined || declared.generation !== undefined
  const isTwice = surfaces.some((known) => known.generation === generation && known.binding === binding)
  // A second interface of a kind is asked, too: the card declares it.
  if (isTwice && options.generations.length > 0) return
  const reply = await ask(candidate, wire, options)
  replies.push(reply)
  const other =
    reply.speaks || reply.code === RATE_LIMITED || reply.code === 'timeout'
      ? undefined
      : await tryOlderDialect(candidate, wire, options)
  if (reply.speaks && isTwice) notes.push(`${candidate.url} also speaks ${surfaceName(candidate)}; that was not tested`)
  else if (reply.speaks && !isNamed)
    notes.push(`${candidate.url} is not tested: Parley does not know A2A ${declared.versionText}`)
  else if (reply.speaks || (reply.code === RATE_LIMITED && declared !== undefined)) surfaces.push(candidate)
  else if (other !== undefined) surfaces.push(other)
  else if (declared !== undefined && reply.code === 'unauthenticated') {
    // It refused every call, so nothing is known about what it speaks.
    locked.push({ declared, reason: reply.reason, exchange: reply.answer.exchange })
    notes.push(`${candidate.url} is not tested over ${surfaceName(candidate)}: ${reply.reason}`)
  } else if (declared !== undefined && options.generations.length === 0) {
    broken.push({ declared, reason: reply.reason, exchange: reply.answer.exchange })
    const what = isNamed ? surfaceName(candidate) : `A2A ${declared.versionText}`
    notes.push(`${candidate.url} does not speak ${what}: ${reply.reason}`)
  }
}

function silentUrls({ replies }: Seen): ReadonlySet<string> {
  return new Set(replies.flatMap(({ code, answer }) => (code === 'timeout' ? [answer.exchange.request.url] : [])))
}

/** Which of the generations of one form a card is judged by is decided by what its endpoint speaks. */
function formsFor(hasCard: boolean, forms: readonly DialectId[], surfaces: readonly Surface[]): DialectId[] {
  // That there is no card is told once for everything the agent speaks.
  if (!hasCard) return surfaces.slice(0, 1).map(({ generation }) => generation)
  const speaks = (generation: DialectId) => surfaces.some((surface) => surface.generation === generation)
  return forms.map((form) => {
    if (speaks(form)) return form
    return dialectsOfForm(dialectById(form).card.form).find(({ id }) => speaks(id))?.id ?? form
  })
}

type Candidate = Surface & { declared: DeclaredInterface | undefined }

/** What the card declares; or, when the user names generations, those at the declared addresses. */
function candidates(target: string, declared: readonly DeclaredInterface[], options: Asking): Candidate[] {
  const found: Candidate[] = []
  const add = (entry: DeclaredInterface, generation: DialectId, binding: BindingId) => {
    const dialect = dialectById(generation)
    if (dialect.codecs[binding] === undefined) return
    if (options.bindings.length > 0 && !options.bindings.includes(binding)) return
    found.push({
      generation,
      binding,
      url: BINDINGS[binding].probe.isHttp1 ? absolute(entry.url, target) : entry.url,
      tenant: options.tenant ?? entry.tenant,
      dialect,
      declared: entry,
    })
  }
  for (const entry of declared) {
    if (entry.binding === undefined) continue
    if (options.generations.length === 0) {
      if (misdeclared(entry) === undefined)
        add(entry, entry.generation ?? nearestDialect(entry.versionText).id, entry.binding)
    } else {
      for (const generation of options.generations) add(entry, generation, entry.binding)
    }
  }
  return found
}

/** A card that states no version may belong to the generation before. */
async function tryOlderDialect(candidate: Candidate, wire: Wire, options: Asking): Promise<Surface | undefined> {
  if (options.generations.length > 0) return undefined
  for (const generation of candidate.declared?.alternatives ?? []) {
    const dialect = dialectById(generation)
    if (generation === candidate.generation || dialect.codecs[candidate.binding] === undefined) continue
    const surface: Surface = {
      generation,
      dialect,
      binding: candidate.binding,
      url: candidate.url,
      tenant: candidate.tenant,
    }
    if ((await ask(surface, wire, options)).speaks) return surface
  }
  return undefined
}

/** What every generation has, and what is found with a URL alone. */
const GUESSED: BindingId = 'jsonrpc'

/** No usable declaration: does the address itself answer in some generation? */
async function guess(
  target: string,
  declared: readonly DeclaredInterface[],
  wire: Wire,
  options: Asking & { silent: ReadonlySet<string> },
): Promise<Surface[]> {
  const urls = new Set(
    declared.filter((entry) => entry.binding === GUESSED).map((entry) => absolute(entry.url, target)),
  )
  if (urls.size === 0) {
    const base = targetUrl(target)
    if (!base.pathname.endsWith('.json')) urls.add(base.href)
    else urls.add(new URL('/', base).href)
  }
  for (const url of urls) {
    // It did not answer within the time limit; it would not answer in other words either.
    if (options.silent.has(url)) continue
    for (const generation of GENERATIONS) {
      const dialect = dialectById(generation)
      const surface: Surface = { generation, binding: GUESSED, url, tenant: options.tenant, dialect }
      const reply = await ask(surface, wire, options)
      if (reply.speaks) return [surface]
    }
  }
  return []
}

/** Asks for a task that does not exist: no side effect, and every generation has an answer to it. */
async function ask(surface: Surface | Candidate, wire: Wire, options: Asking): Promise<Reply> {
  const { dialect, binding } = surface
  const { versionHeader } = dialect
  const declaredVersion = 'declared' in surface ? surface.declared?.versionText : undefined
  // An unknown version is asked for by its own name.
  const version =
    dialectOfVersion(declaredVersion ?? '') === undefined ? (declaredVersion ?? versionHeader) : versionHeader
  const outgoing = harmlessQuestion(surface, options.credentials, version)
  const answer = readAnswer(binding, 'getTask', await wire.send(outgoing, options))
  const reply = judgeReply(answer, binding, dialect.id, wire)
  const { probe } = BINDINGS[binding]
  const askEmpty = async (at: Surface) =>
    readAnswer(binding, 'sendMessage', await wire.send(emptyMessage(at, outgoing), options))
  // Whoever breaks down over an unknown task, or forbids it, may still answer something else: then that is what is wrong.
  if (reply.code === 'not-json' || reply.code === 'reset' || answer.status === 403)
    return judgeReply(await askEmpty(surface), binding, dialect.id, wire).speaks
      ? { speaks: true, answer, code: '', reason: '' }
      : reply
  if (!reply.speaks) return reply
  if (probe.sharesPaths && !(await isRouted(surface, answer, askEmpty))) return noRoutes(answer)
  if (!probe.sharesMethods) return reply
  // Two generations share the method for reading tasks; the one for sending tells them apart. Without parameters
  // nothing is sent.
  const second = await askEmpty(surface)
  return probe.foreignAnswer(second)?.code === 'wrong-dialect' ? judgeReply(second, binding, dialect.id, wire) : reply
}

/** "Not found" without a word of the protocol may be said of the task or of the route: another route tells. */
async function isRouted(
  surface: Surface,
  { status, error }: Answer,
  askEmpty: (at: Surface) => Promise<Answer>,
): Promise<boolean> {
  if (!isNoRoute(status, error?.reason !== undefined || error?.statusName !== undefined)) return true
  // Routes below a version that should not be there are there: a check says what is wrong with them.
  for (const url of [surface.url, joinUrl(surface.url, '/v1')])
    if (readsMessages(await askEmpty({ ...surface, url }))) return true
  return false
}

/** Somebody looked into an empty message: it is refused in JSON, or by a status that is about what was sent. */
function readsMessages({ status, body }: Answer): boolean {
  // An endpoint of JSON-RPC answers on whatever path.
  if (isNoRoute(status, false) || (isJsonObject(body) && 'jsonrpc' in body)) return false
  return body !== undefined || ABOUT_CONTENT.has(status)
}

const ABOUT_CONTENT: ReadonlySet<number> = new Set([400, 415, 422, 500])

function noRoutes(answer: Answer): Reply {
  return { speaks: false, answer, code: 'no-endpoint', reason: `it answers HTTP ${answer.status} on all its routes` }
}

/**
 * The number stands for it in generations whose table has it; in others it is the agent's own, unless it says what it
 * means: an agent of 1.0 may answer so to whoever asks in the words of 0.3.
 */
function isAboutVersion({ reason, code, message = '' }: RawError, generation: DialectId): boolean {
  if (reason === 'VERSION_NOT_SUPPORTED') return true
  // Errors of 0.3 over REST need no number, and its table has none for versions.
  if (code === undefined) return false
  if (GENERATIONS.every((each) => numbersOf(each, 'VersionNotSupported').code !== code)) return false
  return code === numbersOf(generation, 'VersionNotSupported').code || /version/i.test(message)
}

function judgeReply(answer: Answer, binding: BindingId, generation: DialectId, wire: Wire): Reply {
  const no = (code: string, reason: string): Reply => ({ speaks: false, answer, code, reason })
  const { exchange, status, statusText, error, body } = answer
  if (exchange.response === undefined)
    return no(wire.faultOf(exchange) ?? 'unreachable', exchange.failure ?? 'no response')
  const limit = limitOf(exchange)
  if (limit !== undefined) return no(RATE_LIMITED, `${limit.reason} (${limit.words})`)
  if (status === 401 || status === 403) return no('unauthenticated', `it answers ${statusText}`)
  if (status >= 300 && status < 400) return no('redirect', `it redirects (HTTP ${status})`)
  const { probe } = BINDINGS[binding]
  // Over routes "not found" may be said of the task, in whatever words: other routes tell (isRouted).
  const mayBeTask = probe.sharesPaths && status === 404
  if (body === undefined && !mayBeTask) {
    const what = answer.text === '' ? 'nothing' : answer.mediaType || 'text'
    return no(status === 404 || status === 405 ? 'no-endpoint' : 'not-json', `it answers HTTP ${status} with ${what}`)
  }
  const foreign = probe.foreignAnswer(answer)
  if (foreign !== undefined) return no(foreign.code, foreign.reason)
  // An agent of several versions that refuses this one speaks, but not this.
  const refusesVersion = error !== undefined && isAboutVersion(error, generation)
  if (refusesVersion) return no('wrong-dialect', 'it says that it does not support this version')
  return { speaks: true, answer, code: '', reason: '' }
}

function absolute(url: string, target: string): string {
  if (URL.canParse(url)) return url
  return URL.canParse(target) || /:\d+/.test(target) ? new URL(url, targetUrl(target)).href : url
}
