// What holds for every answer and every frame of a stream, whoever asked: looked at wherever the run sees one.

import { isUtf8 } from 'node:buffer'
import { isEnveloped } from '../../bindings/registry.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../model/json.ts'
import { headerOf } from '../../trace/exchange.ts'
import { parsed } from '../probe/answer.ts'
import { quote } from '../probe/assertions.ts'
import type { FoundIssue, Inspect, Observation } from '../probe/observation.ts'
import { listAt, type RawMessage, rawEvent, rawSendResult, rawTask } from '../probe/raw.ts'

/** Errors after which the id may not have been read. */
const UNREADABLE: ReadonlySet<JsonValue | undefined> = new Set([-32700, -32600])

/** The request, when it was one object of JSON-RPC. */
function requestIn({ exchange, binding }: Observation): JsonObject | undefined {
  if (!isEnveloped(binding)) return undefined
  const sent = parsed(new TextDecoder().decode(exchange.request.body))
  return isJsonObject(sent) && typeof sent.method === 'string' ? sent : undefined
}

/** Said by HTTP, or by what stands in front of the agent, before a request is read. */
export const OF_HTTP: ReadonlySet<number> = new Set([401, 403, 407, 408, 413, 414, 415, 429, 431, 502, 503, 504])

/** The envelope that came back. */
function envelopeIn({ value, exchange }: Observation): JsonObject | undefined {
  const status = exchange.response?.status ?? 0
  if (!isJsonObject(value) || OF_HTTP.has(status)) return undefined
  return status < 400 || 'jsonrpc' in value ? value : undefined
}

export const envelopeIssues: Inspect = (observation) => {
  const envelope = requestIn(observation) === undefined ? undefined : envelopeIn(observation)
  if (envelope === undefined) return undefined
  const issues: FoundIssue[] = []
  if (envelope.jsonrpc !== '2.0') issues.push({ pointer: '/jsonrpc', message: `is ${quote(envelope.jsonrpc)}` })
  const outcomes = ['result', 'error'].filter((member) => member in envelope)
  // Serializers that write null for what is absent are told apart from those that mean both.
  const meant = outcomes.filter((member) => envelope[member] !== null)
  if (outcomes.length === 0) issues.push({ pointer: '', message: 'has neither result nor error' })
  if (meant.length > 1) issues.push({ pointer: '', message: 'has both result and error' })
  return issues
}

export const idIssues: Inspect = (observation) => {
  const request = requestIn(observation)
  const envelope = envelopeIn(observation)
  const asked = request?.id
  if (envelope === undefined || (typeof asked !== 'string' && typeof asked !== 'number')) return undefined
  const code = isJsonObject(envelope.error) ? envelope.error.code : undefined
  if (envelope.id === asked || (envelope.id === null && UNREADABLE.has(code))) return []
  const kind = `${typeof asked === 'string' && asked === '' ? 'an empty string' : typeof asked}`
  const found =
    envelope.id === undefined
      ? 'is missing'
      : `is ${typeof envelope.id === typeof asked ? 'another' : `a ${typeOf(envelope.id)}`}`
  return [
    {
      pointer: '/id',
      message: `${found} where the request has ${kind === 'number' || kind === 'string' ? `a ${kind}` : kind}`,
    },
  ]
}

function typeOf(value: JsonValue): string {
  return value === null ? 'null' : typeof value
}

/** Bodies of JSON are labelled as one of these types. */
export function labelIssues(...types: string[]): Inspect {
  return ({ value, exchange }) => {
    const { response } = exchange
    if (response === undefined || value === null || response.status >= 400) return undefined
    const label = headerOf(response.headers, 'content-type') ?? ''
    const type = label.split(';', 1)[0]?.trim().toLowerCase() ?? ''
    // A stream of events has its own label, also when it was opened to say no.
    if (type === 'text/event-stream') return undefined
    return types.includes(type) ? [] : [{ pointer: '', message: `is labeled ${label || 'nothing'}`, isAside: true }]
  }
}

/** JSON between systems is UTF-8, and no byte order mark stands before it (RFC 8259 §8.1; 1.0 §14.1.1). */
export const encodingIssues: Inspect = ({ exchange }) => {
  const { response } = exchange
  if (response === undefined || response.body.length === 0) return undefined
  const label = headerOf(response.headers, 'content-type') ?? ''
  if (!/[/+]json\s*(;|$)/i.test(label.trim())) return undefined
  if (!isUtf8(response.body)) return [{ pointer: '', message: 'is not UTF-8' }]
  const hasMark = BYTE_ORDER_MARK.every((byte, at) => response.body[at] === byte)
  return hasMark ? [{ pointer: '', message: 'begins with a byte order mark', isAside: true }] : []
}

const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf]

/** Nothing that identifies a caller comes back, in a body, a header or a notification. */
export const secretIssues: Inspect = ({ kind, value, exchange }, { secrets }) => {
  if (secrets.length === 0) return undefined
  const shown = kind === 'notification' ? exchange.request : exchange.response
  if (shown === undefined) return undefined
  // The body of a stream is all of it; each frame is looked at once.
  const text = kind === 'frame' ? JSON.stringify(value) : new TextDecoder().decode(shown.body)
  const headers = shown.headers.map(([name, value]) => `${name}: ${value}`).join('\n')
  const where = [text, headers].findIndex((part) => secrets.some((secret) => part.includes(secret)))
  if (where < 0) return []
  return [
    {
      pointer: '',
      message: `the ${where === 0 ? 'body' : 'headers'} of an answer repeat a credential of the caller`,
      isAside: true,
    },
  ]
}

/** What the agent says it says as the agent, and what we said stays ours. */
export const roleIssues: Inspect = (observation, { said }) => {
  const { own, history } = messagesIn(observation)
  const mine = own.map(({ json, pointer }) => ({ json, pointer, isRight: isAgent(json.role) }))
  const ours = history
    .filter(({ messageId }) => said.message(messageId) !== undefined)
    .map(({ json, pointer }) => ({ json, pointer, isRight: isUser(json.role) }))
  const judged = [...mine, ...ours]
  if (judged.length === 0) return undefined
  return judged
    .filter(({ isRight }) => !isRight)
    .map(({ json, pointer }) => ({ pointer: `${pointer}/role`, message: `is ${JSON.stringify(json.role)}` }))
}

function isAgent(role: JsonValue | undefined): boolean {
  return role === 'ROLE_AGENT' || role === 'agent'
}

function isUser(role: JsonValue | undefined): boolean {
  return role === 'ROLE_USER' || role === 'user'
}

/** Messages of the agent (direct ones and those of a status), and the histories of tasks. */
export function messagesIn({ kind, value }: Observation): { own: RawMessage[]; history: RawMessage[] } {
  const tasks =
    kind === 'taskList'
      ? (listAt(value, 'tasks') ?? []).map((task, at) => rawTask(task, `/tasks/${at}`))
      : [rawTask(value, '')]
  const own: RawMessage[] = []
  if (kind === 'sendResult') {
    const sent = rawSendResult(value, '')
    if (sent !== undefined) tasks.splice(0, 1, 'task' in sent ? sent.task : undefined)
    if (sent !== undefined && 'message' in sent) own.push(sent.message)
  } else if (kind === 'event' || kind === 'notification') {
    const { task, message, statusMessage } = rawEvent(value, 0)
    tasks.splice(0, 1, task)
    own.push(...[message, statusMessage].filter((found) => found !== undefined))
  }
  const found = tasks.filter((task) => task !== undefined)
  own.push(...found.flatMap(({ statusMessage }) => statusMessage ?? []))
  return { own, history: found.flatMap(({ history = [] }) => history) }
}
