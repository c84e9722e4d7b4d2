// What the harnesses on JavaScript SDKs share: the lines of `parley grade --harness ndjson` in and out, and what a careful
// author does around an SDK. Each harness only says how its SDK does one operation. Those in other languages do the same.
//
// A task that failed, was rejected or canceled, or whose stream ended before it did, is not fulfilled.

import { createHash } from 'node:crypto'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import type { Intent, Outcome } from '../src/grade/intent.ts'

export type HeardPart =
  | { text: string }
  | { bytes: Uint8Array; mediaType: string }
  | { data: unknown }
  | { url: string }

export interface HeardArtifact {
  id: string
  parts: HeardPart[]
}

export interface HeardTask {
  id: string
  contextId: string | undefined
  state: string
  /** Of the status message. */
  text: string
  artifacts: HeardArtifact[]
}

export type HeardAnswer = { task: HeardTask } | { message: { text: string; contextId: string | undefined } }

export type HeardEvent =
  | HeardAnswer
  | { status: { taskId: string; contextId: string | undefined; state: string; text: string } }
  | { artifact: { taskId: string; contextId: string | undefined; artifact: HeardArtifact; append: boolean } }

/** What the user says, with the ids of the conversation. */
export type Utterance = Pick<Intent, 'text' | 'parts' | 'taskId' | 'contextId' | 'referenceTaskIds'>

/** One SDK, connected to one agent. What it cannot do is left out. */
export interface SdkClient {
  card: { name: string; streaming: boolean; pushNotifications: boolean }
  send(said: Utterance): Promise<HeardAnswer>
  stream(said: Utterance): AsyncIterable<HeardEvent>
  subscribe(taskId: string): AsyncIterable<HeardEvent>
  get(taskId: string): Promise<HeardTask>
  cancel(taskId: string): Promise<HeardTask>
  /** One page. */
  list?(pageToken: string): Promise<{ tasks: number; nextPageToken: string }>
  push(taskId: string, webhook: { url: string; token: string }): Promise<void>
}

export interface HarnessRequest {
  id: number
  scenario: string
  url: string
  cardUrl: string
  version: string
  transport: string
  intent: Intent
}

/** Thrown when the SDK has no way to do it: not measured. */
export class Unsupported extends Error {}

const WORKING = /working|submitted|unspecified|unknown/i
const NO_SUCCESS = /failed|rejected|cancel|working|submitted|unspecified|unknown/i
const POLL_MS = 50
const MOST_POLLS = 40
/** Of a text in an outcome; more than any scenario looks at. */
const MOST_TEXT = 1_000_000

/** Answers the lines of stdin until it ends, many at a time. */
export function serveHarness(connect: (request: HarnessRequest) => Promise<SdkClient>): void {
  createInterface({ input: process.stdin }).on('line', (line) => {
    const request = JSON.parse(line) as HarnessRequest
    void fulfilled(request, connect).then((answer) => {
      process.stdout.write(`${JSON.stringify({ id: request.id, ...answer })}\n`)
    })
  })
}

async function fulfilled(request: HarnessRequest, connect: (request: HarnessRequest) => Promise<SdkClient>) {
  try {
    const outcome = await fulfil(await connect(request), request.intent)
    return { ...outcome, fulfilled: isFulfilled(outcome, request.intent) }
  } catch (error) {
    if (error instanceof Unsupported) return { outcome: 'unsupported' as const }
    return { outcome: 'error' as const, fulfilled: false, error: errorOf(error) }
  }
}

function isFulfilled({ outcome, state = '' }: Outcome, { do: wanted, cancel }: Intent): boolean {
  if (wanted === 'cancel' || cancel === true) return /cancel/i.test(state)
  if (wanted === 'get' || wanted === 'push') return true
  return outcome !== 'events' || state !== '' ? !NO_SUCCESS.test(state) : false
}

async function fulfil(client: SdkClient, intent: Intent): Promise<Outcome> {
  const { taskId = '' } = intent
  switch (intent.do) {
    case 'card':
      return { outcome: 'card', text: client.card.name }
    case 'send':
      return outcomeOf(await settled(client, await client.send(intent), intent.waits))
    case 'stream':
      return client.card.streaming
        ? events(client.stream(intent), intent.cancel === true ? client : undefined)
        : outcomeOf(await settled(client, await client.send(intent)))
    case 'subscribe':
      return events(client.subscribe(taskId))
    case 'get':
      return outcomeOf({ task: await client.get(taskId) })
    case 'cancel':
      return outcomeOf({ task: await client.cancel(taskId) })
    case 'list':
      return { outcome: 'task', tasks: await pages(client) }
    case 'continue':
      return conversation(client, intent)
    case 'push':
      if (!client.card.pushNotifications) throw new Error('the card offers no push notifications')
      await client.push(taskId, intent.webhook ?? { url: '', token: '' })
      return outcomeOf({ task: await client.get(taskId) })
    case 'receive':
      throw new Unsupported()
  }
}

/** Polls a task that the agent answered with while it was at work, or while its user gives an authorization elsewhere. */
async function settled(client: SdkClient, answer: HeardAnswer, waits = false): Promise<HeardAnswer> {
  let known = answer
  const isOpen = (state: string) => WORKING.test(state) || (waits && /auth/i.test(state))
  for (let polls = 0; 'task' in known && isOpen(known.task.state) && polls < MOST_POLLS; polls++) {
    await pause(POLL_MS)
    known = { task: await client.get(known.task.id) }
  }
  return known
}

async function conversation(client: SdkClient, intent: Intent): Promise<Outcome> {
  const first = await settled(client, await client.send(intent))
  const next: Utterance = { text: intent.reply ?? '' }
  const contextId = 'task' in first ? first.task.contextId : first.message.contextId
  if (contextId !== undefined) next.contextId = contextId
  if ('task' in first && /required/i.test(first.task.state)) next.taskId = first.task.id
  else if ('task' in first) next.referenceTaskIds = [first.task.id]
  return outcomeOf(await settled(client, await client.send(next)))
}

async function pages(client: SdkClient): Promise<number> {
  if (client.list === undefined) throw new Unsupported()
  let count = 0
  for (let token: string | undefined = ''; token !== undefined; ) {
    const page: { tasks: number; nextPageToken: string } = await client.list(token)
    count += page.tasks
    token = page.nextPageToken === '' ? undefined : page.nextPageToken
  }
  return count
}

/** `canceling` cancels the task once its first artifact is there. */
async function events(stream: AsyncIterable<HeardEvent>, canceling?: SdkClient): Promise<Outcome> {
  let cancels = canceling
  let count = 0
  let task: HeardTask | undefined
  for await (const event of stream) {
    count++
    if ('message' in event) return { ...outcomeOf(event), events: count }
    task = folded(task, event)
    if (!WORKING.test(task.state)) break
    if (cancels === undefined || task.artifacts.length === 0) continue
    await cancels.cancel(task.id)
    cancels = undefined
  }
  if (task === undefined) return { outcome: 'events', events: count }
  return { ...outcomeOf({ task }), outcome: 'events', events: count }
}

/** What is known of the task after one more event; events of other tasks change nothing. */
export function folded(task: HeardTask | undefined, event: Exclude<HeardEvent, { message: unknown }>): HeardTask {
  if ('task' in event) return withKnownArtifacts(event.task, task)
  const update = 'status' in event ? event.status : event.artifact
  const { taskId, contextId } = update
  const known = task ?? { id: taskId, contextId, state: 'submitted', text: '', artifacts: [] }
  if (known.id !== taskId) return known
  if ('state' in update) return { ...known, state: update.state, text: update.text }
  const { artifact, append } = update
  const before = known.artifacts.find(({ id }) => id === artifact.id)
  const whole = append && before !== undefined ? { ...artifact, parts: [...before.parts, ...artifact.parts] } : artifact
  return { ...known, artifacts: [...known.artifacts.filter(({ id }) => id !== artifact.id), whole] }
}

/** A snapshot in the middle may leave out artifacts that were streamed before. */
function withKnownArtifacts(snapshot: HeardTask, before: HeardTask | undefined): HeardTask {
  return before === undefined || snapshot.artifacts.length > 0 || snapshot.id !== before.id
    ? snapshot
    : { ...snapshot, artifacts: before.artifacts }
}

function outcomeOf(answer: HeardAnswer): Outcome {
  if ('message' in answer) {
    const { text, contextId } = answer.message
    return { outcome: 'message', text, ...(contextId !== undefined && { contextId }) }
  }
  const { id, contextId, state, text, artifacts } = answer.task
  return {
    ...{ outcome: 'task', taskId: id, state, artifacts: artifacts.map(digestOf) },
    text: `${artifacts.map(({ parts }) => textIn(parts)).join('')}${text}`.slice(0, MOST_TEXT),
    ...(contextId !== undefined && { contextId }),
  }
}

export function textIn(parts: readonly HeardPart[]): string {
  return parts.map((part) => ('text' in part ? part.text : '')).join('')
}

function digestOf({ id, parts }: HeardArtifact): NonNullable<Outcome['artifacts']>[number] {
  const hash = createHash('sha256')
  for (const part of parts)
    if ('text' in part) hash.update(part.text)
    else if ('bytes' in part) hash.update(part.bytes)
    else if ('data' in part) hash.update(JSON.stringify(part.data))
  const file = parts.find((part) => 'bytes' in part)
  const mediaType = file !== undefined && 'mediaType' in file ? file.mediaType : undefined
  return {
    id,
    sha256: hash.digest('hex'),
    text: textIn(parts).slice(0, MOST_TEXT),
    ...(mediaType !== undefined && { mediaType }),
  }
}

/** By its name, and by the number where the SDK keeps one: of JSON-RPC, or the status of HTTP or gRPC. */
function errorOf(error: unknown): NonNullable<Outcome['error']> {
  if (!(error instanceof Error)) return { message: String(error) }
  const { code, envelopeCode, statusCode, status } = error as Error &
    Partial<Record<'code' | 'envelopeCode' | 'statusCode' | 'status', unknown>>
  const number = [code, envelopeCode, statusCode, status].find((each) => typeof each === 'number')
  const kind = error.name === 'Error' ? error.constructor.name : error.name
  return { kind, message: error.message, ...(number !== undefined && { code: number }) }
}
