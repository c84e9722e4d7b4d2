// What the agent should have received from the proxy, in order. Messages are always compared completely: one too many is
// as wrong as one too few. Other operations count only when the case names them.

import type { DialectId } from '../../dialects/dialect.ts'
import { dialectById } from '../../dialects/index.ts'
import type { JournalEntry } from '../../mock/index.ts'
import { isJsonObject, type JsonObject, sameJson } from '../../model/json.ts'
import type { Operation } from '../../model/operation.ts'
import type { Message, Part } from '../../model/task.ts'
import type { ExpectedRequest, ExpectedRequestPart } from './case-shape.ts'
import type { Problem } from './check-artifacts.ts'
import { describePart } from './gateway-event.ts'
import { describeContent, type Expected, isContent } from './match-events.ts'

const MESSAGES: ReadonlySet<Operation> = new Set(['sendMessage', 'streamMessage'])

export function checkRequests(
  expected: readonly Expected<ExpectedRequest>[],
  received: readonly JournalEntry[],
  generation: DialectId,
): Problem[] {
  const named = new Set(expected.map(({ value }) => value.operation ?? 'message'))
  const counted = received.filter(
    ({ operation }) => operation !== undefined && (MESSAGES.has(operation) || named.has(operation)),
  )
  const problems: Problem[] = []
  for (const [index, { value, position }] of expected.entries()) {
    const entry = counted[index]
    const report = (message: string) =>
      problems.push({ line: position.line, message: `request ${index} to the agent: ${message}` })
    if (entry === undefined) report(`it never came; the agent received ${summary(counted)}`)
    else for (const message of differences(value, entry, generation)) report(message)
  }
  const extra = counted[expected.length]
  if (extra !== undefined) {
    const line = expected.at(-1)?.position.line ?? 1
    problems.push({ line, message: `the agent received more than expected: ${summary(counted)}` })
  }
  return problems
}

function differences(expected: ExpectedRequest, entry: JournalEntry, generation: DialectId): string[] {
  const { operation = 'message', headers = new Map<string, string>(), parts = [], part_count: count } = expected
  const found: string[] = []
  const isRight = operation === 'message' ? MESSAGES.has(entry.operation ?? 'getCard') : entry.operation === operation
  if (!isRight) return [`it was ${entry.operation ?? 'unknown'}, not ${operation}`]
  for (const [name, value] of headers) {
    const sent = entry.requestHeaders.find(([each]) => each.toLowerCase() === name.toLowerCase())?.[1]
    if (sent !== value)
      found.push(`its header ${name} was ${JSON.stringify(sent ?? null)}, not ${JSON.stringify(value)}`)
  }
  const message = messageIn(entry, generation)
  const sent = message?.parts ?? []
  if (count !== undefined && sent.length !== count) found.push(`it had ${sent.length} parts, not ${count}`)
  let at = 0
  for (const part of parts) {
    const index = sent.findIndex((each, i) => i >= at && isPart(part, each))
    if (index < 0)
      found.push(`no ${describeWanted(part)} among its parts ${sent.map(describePart).join(' ') || '(none)'}`)
    else at = index + 1
  }
  if (expected.metadata_contains !== undefined && !contains(message?.metadata, expected.metadata_contains))
    found.push(`its metadata was ${JSON.stringify(message?.metadata ?? null)}`)
  const { continues_task: continues } = expected
  if (continues !== undefined && continues !== (message?.taskId !== undefined))
    found.push(continues ? 'it named no task' : `it named the task ${message?.taskId ?? ''}`)
  return found
}

function isPart(expected: ExpectedRequestPart, part: Part): boolean {
  const bytes = 'raw' in part ? Buffer.from(part.raw, 'base64') : undefined
  const { filename, mime_type: type, bytes_base64: base64, bytes_text: text } = expected
  return (
    isContent(expected, part) &&
    (filename === undefined || part.filename === filename) &&
    (type === undefined || part.mediaType === type) &&
    (base64 === undefined || bytes?.equals(Buffer.from(base64, 'base64')) === true) &&
    (text === undefined || bytes?.toString('utf8') === text)
  )
}

function describeWanted(part: ExpectedRequestPart): string {
  const { filename, mime_type: type, bytes_text: text } = part
  return [describeContent(part), filename, type, text === undefined ? undefined : JSON.stringify(text)]
    .filter((each) => each !== undefined)
    .join(' ')
}

function messageIn(entry: JournalEntry, generation: DialectId): Message | undefined {
  const json = entry.requestJson
  const { jsonrpc, grpc } = dialectById(generation).codecs
  if (!isJsonObject(json)) return undefined
  // Without an envelope it is the message of a call of gRPC.
  const decoded =
    'jsonrpc' in json ? jsonrpc?.decodeRequest('sendMessage', json.params) : grpc?.decodeRequest('sendMessage', json)
  return decoded?.ok ? decoded.value.message : undefined
}

function contains(actual: JsonObject | undefined, wanted: JsonObject): boolean {
  return Object.entries(wanted).every(([name, value]) => sameJson(actual?.[name], value))
}

function summary(entries: readonly JournalEntry[]): string {
  return entries.map(({ operation }) => operation ?? 'something unknown').join(', ') || 'nothing'
}
