// Why an agent cannot be judged at all, in one sentence, and what to do about it in another.

import { wantedCredentials } from '../../auth/wanted-credentials.ts'
import { targetUrl } from '../../discovery/target.ts'
import { EXIT } from '../../model/errors.ts'
import type { JsonObject } from '../../model/json.ts'
import { speaksTls } from '../../net/speaks-tls.ts'
import type { Exchange } from '../../trace/exchange.ts'
import { header } from '../probe/answer.ts'
import { limitOf } from '../probe/rate-limit.ts'
import type { DeclaredInterface } from '../probe/surface.ts'
import type { Wire } from '../probe/wire.ts'
import type { CardAttempt } from './find-card.ts'
import type { Diagnosis } from './result.ts'
import type { Asking, Reply } from './triage.ts'

const HANDSHAKE_MS = 2_000

export async function cardDiagnosis(target: string, attempts: readonly CardAttempt[], wire: Wire): Promise<Diagnosis> {
  const last = attempts.at(-1)
  const fault = last?.exchange === undefined ? undefined : wire.faultOf(last.exchange)
  const tried = attempts.map(({ url, outcome }) => `${url}: ${outcome}`).join('; ')
  if (last?.exchange !== undefined && (await isPlainRequestToTls(last.exchange, wire))) {
    const { host } = new URL(last.url)
    return diagnosis(
      'tls',
      `${host} speaks TLS.`,
      `Write https:// before its address: https://${host}`,
      EXIT.unreachable,
    )
  }
  if (fault === 'timeout') {
    return diagnosis(
      'timeout',
      `${target} did not answer in time (${tried}).`,
      'Start the agent, or allow more time with --timeout.',
      EXIT.timeout,
    )
  }
  if (fault === 'tls') {
    return diagnosis(
      'tls',
      last?.outcome ?? tried,
      last?.outcome.includes('does not speak TLS')
        ? `Write http:// before its address: http://${targetUrl(target).host}`
        : 'Name its authority with --ca-cert FILE, or accept any certificate with --insecure.',
      EXIT.unreachable,
    )
  }
  if (fault !== undefined) {
    return diagnosis(
      'unreachable',
      last?.outcome ?? tried,
      'Start the agent, and check host and port.',
      EXIT.unreachable,
    )
  }
  const limited = limitDiagnosis(target, attempts)
  if (limited !== undefined) return limited
  if (attempts.some(({ exchange }) => isRefusal(exchange?.response?.status))) {
    return diagnosis(
      'unauthenticated',
      `The card is not public (${tried}).`,
      'Serve the card without authentication, or give --bearer, --api-key or -H.',
      EXIT.unauthenticated,
    )
  }
  return diagnosis(
    'not-a-card',
    `No agent card was found, and nothing at ${target} answers A2A (${tried}).`,
    'Serve the card as JSON at /.well-known/agent-card.json, or give its full URL.',
    EXIT.failed,
  )
}

function limitDiagnosis(target: string, attempts: readonly CardAttempt[]): Diagnosis | undefined {
  const [limit] = attempts.flatMap(({ exchange }) => (exchange === undefined ? [] : (limitOf(exchange) ?? [])))
  if (limit === undefined) return undefined
  return diagnosis(
    'rate-limited',
    `${target} was not tested: ${limit.reason} (${limit.words}).`,
    'Run again later, or allow this machine more requests.',
    EXIT.inconclusive,
  )
}

export interface Declaration {
  target: string
  wire: Wire
  options: Asking
  card: JsonObject
  declared: readonly DeclaredInterface[]
}

/** There is a card, and none of the interfaces it declares can be used. */
export async function interfaceDiagnosis(replies: readonly Reply[], declaration: Declaration): Promise<Diagnosis> {
  const { target, wire, options } = declaration
  const first = replies[0]
  if (first === undefined) return nothingToAsk(declaration)
  const { exchange } = first.answer
  const { url } = exchange.request
  const where = `The interface ${url} cannot be used: ${first.reason.replace(/\.$/, '')}.`
  if (first.code === 'unauthenticated') return lockedDiagnosis(first, declaration)
  if (await isPlainRequestToTls(exchange, wire)) {
    const { host } = new URL(url)
    return diagnosis(
      'card-url-unreachable',
      `The card sends clients to ${url}, but ${host} speaks TLS.`,
      'Write https:// instead of http:// in the URL of the interface.',
      EXIT.unreachable,
    )
  }
  const { code } = first
  if (code === 'timeout') {
    const fix = 'Make the agent answer GetTask immediately, or allow more time with --timeout.'
    return diagnosis('timeout', where, fix, EXIT.timeout)
  }
  if (code === 'unreachable' || code === 'reset' || code === 'tls') {
    const isPlain = code === 'tls' && first.reason.includes('does not speak TLS')
    const fix = isPlain
      ? 'Write http:// instead of https:// in the URL of the interface, or serve it with TLS.'
      : cardUrlFix(url, target)
    return diagnosis('card-url-unreachable', where, fix, EXIT.unreachable)
  }
  if (options.generations.length > 0) return forcedDiagnosis(where, declaration)
  return diagnosis(code, where, FIXES[code] ?? OTHER_FIX, EXIT.failed)
}

const FIXES: Readonly<Record<string, string>> = {
  'no-endpoint': 'Correct the URL of the interface in the card; the path is part of it.',
  'wrong-dialect': 'Declare the protocol version the endpoint really speaks, or name it with --a2a-version.',
}
const OTHER_FIX = 'Answer A2A requests at the declared URL with JSON of the declared binding.'

function nothingToAsk({ options, declared }: Declaration): Diagnosis {
  if (options.generations.length > 0 || options.bindings.length > 0) {
    const offers = [...new Set(declared.map(({ bindingText, versionText }) => `${versionText} over ${bindingText}`))]
    return diagnosis(
      'nothing-selected',
      `The card declares no interface for the protocol version and transport you asked for; it declares ${offers.join(', ') || 'none'}.`,
      'Leave out --a2a-version and --transport, or choose what the card declares.',
      EXIT.inconclusive,
    )
  }
  return diagnosis(
    'no-transport',
    'The card declares no interface over JSON-RPC or HTTP+JSON.',
    'Declare at least one interface with protocolBinding JSONRPC or HTTP+JSON.',
    EXIT.failed,
  )
}

/** Every call was refused, so nothing is known about the agent: that is no finding about it. */
function lockedDiagnosis({ answer, reason }: Reply, { card, options }: Declaration): Diagnosis {
  const { url } = answer.exchange.request
  const wanted = wantedCredentials(card, header(answer, 'www-authenticate'))
  const given = options.credentials.length > 0 || options.hasCertificate === true
  const message = given
    ? `${url} does not accept the credentials given (${reason}), so it was not tested. ${wanted.sentence}`
    : `${url} requires credentials (${reason}), so it was not tested. ${wanted.sentence}`
  const fix = given ? `Check the credentials and how they are sent. ${wanted.advice}` : wanted.advice
  return diagnosis('unauthenticated', message, fix, EXIT.unauthenticated)
}

/** The generation was forced by flag: what the card never claimed is not held against the agent. */
function forcedDiagnosis(where: string, { options, declared }: Declaration): Diagnosis {
  const wanted = options.generations.join(' and ')
  const isDeclared = declared.some(
    ({ generation }) => generation !== undefined && options.generations.includes(generation),
  )
  if (isDeclared) {
    return diagnosis(
      'wrong-dialect',
      where,
      `Make the endpoint speak A2A ${wanted}, which the card declares, or correct the version in the card.`,
      EXIT.failed,
    )
  }
  const versions = [...new Set(declared.map(({ versionText }) => versionText))].join(' and ')
  return diagnosis(
    'wrong-dialect',
    `${where} The card says ${versions}, and you asked for ${wanted}.`,
    `The card says ${versions}: drop --a2a-version.`,
    EXIT.inconclusive,
  )
}

/** Many servers answer a plain request on a TLS port with a reset, with bytes of TLS, or with a 400 of their own. */
async function isPlainRequestToTls(exchange: Exchange, wire: Wire): Promise<boolean> {
  const url = new URL(exchange.request.url)
  const fault = wire.faultOf(exchange)
  const isOdd = fault === 'reset' || fault === 'protocol' || exchange.response?.status === 400
  return url.protocol === 'http:' && isOdd && (await speaksTls(url, HANDSHAKE_MS))
}

function isRefusal(status: number | undefined): boolean {
  return status === 401 || status === 403
}

function cardUrlFix(url: string, target: string): string {
  const declared = URL.parse(url)
  // A host and a port alone look like a scheme.
  const typed = URL.parse(target.includes('://') ? target : `http://${target}`)
  if (declared !== null && typed !== null && declared.host !== typed.host) {
    return `The card was found at ${typed.host} but names ${declared.host}; put the address clients can reach into the card.`
  }
  return 'Put the address clients can reach into the card: host, port and scheme.'
}

function diagnosis(code: string, message: string, fix: string, exitCode: number): Diagnosis {
  return { code, message, fix, exitCode }
}
