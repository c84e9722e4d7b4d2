// Parley's own client as a client under test: does what an intent says and reports what it understood. Other clients are
// driven by the same intents from outside; mutants of this one prove the claims.

import { createHash, randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { loginTokens } from '../../client/agent-login.ts'
import { A2AClient, type ClientOptions } from '../../client/index.ts'
import { A2AError, ParleyError } from '../../model/errors.ts'
import type { StreamEvent, TaskEvent } from '../../model/event.ts'
import { applyEvent } from '../../model/fold.ts'
import type { JsonObject } from '../../model/json.ts'
import type { SendMessageRequest, SendMessageResult } from '../../model/operation.ts'
import { isSettled } from '../../model/state-machine.ts'
import { type Artifact, type Message, type Task, textOf } from '../../model/task.ts'
import { HttpClient } from '../../net/http-client.ts'
import type { Assignment, ClientExit, GradedClient } from '../graded-client.ts'
import type { Intent, Outcome } from '../intent.ts'
import { followByWebhook } from './own-receiver.ts'
import { isVerified } from './own-verification.ts'

const POLL_MS = 50
const MOST_POLLS = 40

const FAILURES: ReadonlySet<string> = new Set([
  'TASK_STATE_FAILED',
  'TASK_STATE_REJECTED',
  'TASK_STATE_CANCELED',
  'TASK_STATE_UNSPECIFIED',
])

export function ownClient(options: Partial<ClientOptions> = {}, name = "Parley's own client"): GradedClient {
  return {
    name,
    async run({ url, intent }, timeoutMs, signal) {
      const startedMs = performance.now()
      const deadline = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)])
      const outcome = await understood(url, intent, options, deadline)
      return exitOf(outcome, intent, deadline.aborted, performance.now() - startedMs)
    },
    async close() {},
  }
}

export function exitOf(outcome: Outcome, intent: Intent, isTimeout: boolean, durationMs: number): ClientExit {
  const { do: wanted, cancel } = intent
  const isFulfilled =
    outcome.outcome !== 'error' &&
    (outcome.state === undefined ||
      !FAILURES.has(outcome.state) ||
      ((wanted === 'cancel' || cancel === true) && outcome.state.endsWith('CANCELED')) ||
      wanted === 'get')
  return {
    code: isTimeout ? undefined : isFulfilled ? 0 : 1,
    isTimeout,
    durationMs: Math.round(durationMs),
    outcome,
    stdout: JSON.stringify(outcome),
    stderr: '',
  }
}

async function understood(
  url: Assignment['url'],
  intent: Intent,
  options: Partial<ClientOptions>,
  signal: AbortSignal,
): Promise<Outcome> {
  try {
    const all = { ...optionsOf(intent), ...options, signal }
    using found = await A2AClient.connect(url, all)
    using client = await prepared(found, url, intent, all)
    const verified = intent.verify === undefined ? undefined : await isVerified(cardIn(client), intent.verify.keys)
    if (verified === false) return { outcome: 'error', verified, error: { kind: 'SignatureNotVerified' } }
    const done = await fulfil(client, intent, signal)
    const outcome = verified === undefined ? done : { ...done, verified }
    const { endpoint } = client
    return { ...outcome, interface: { url: endpoint.url, binding: endpoint.binding, version: endpoint.dialect } }
  } catch (error) {
    return { outcome: 'error', error: errorOf(error) }
  }
}

/** A client with the extended card in the place of the public one, or with tokens of the server that the card names. */
async function prepared(
  client: A2AClient,
  url: string,
  { extended, oauth }: Intent,
  options: ClientOptions & { signal: AbortSignal },
): Promise<A2AClient> {
  const { signal, fetch } = options
  if (extended === true)
    return A2AClient.fromCard(await client.getExtendedCard({ signal }), { ...options, origin: url })
  const { card } = client
  if (oauth === undefined || card === undefined) return client
  const http = new HttpClient(fetch === undefined ? {} : { fetch })
  const tokens = await loginTokens({ card, origin: new URL(url).origin }, oauth, { http, signal, tell: () => {} })
  return A2AClient.fromCard(card, { ...options, tokens, origin: url })
}

/** Cards of 1.0 are kept as they came. */
function cardIn({ card }: A2AClient): JsonObject {
  return (card ?? {}) as unknown as JsonObject
}

function optionsOf({ credentials, extensions, authority }: Intent): Partial<ClientOptions> {
  const { bearer, apiKey } = credentials ?? {}
  return {
    ...(authority !== undefined && { tls: { ca: authority } }),
    ...(bearer !== undefined && { bearer }),
    ...(apiKey !== undefined && { apiKey }),
    ...(extensions !== undefined && { extensions }),
  }
}

async function fulfil(client: A2AClient, intent: Intent, signal: AbortSignal): Promise<Outcome> {
  const { taskId: id = '' } = intent
  switch (intent.do) {
    case 'card':
      return { outcome: 'card', text: client.card?.name ?? '' }
    case 'send':
      return outcomeOfResult(await sent(client, intent, signal))
    case 'stream':
      if (client.card?.capabilities.streaming !== true) return fulfil(client, { ...intent, do: 'send' }, signal)
      return eventsOf(client, client.streamMessage(requestOf(intent), { signal, resume: true }), signal, intent.cancel)
    case 'subscribe':
      return eventsOf(client, client.subscribeTask({ id }, { signal, resume: true }), signal)
    case 'get':
      return outcomeOfTask(await client.getTask({ id }, { signal }))
    case 'cancel':
      return outcomeOfTask(await client.cancelTask({ id }, { signal }))
    case 'list':
      return { outcome: 'task', tasks: await countTasks(client, signal) }
    case 'continue':
      return conversation(client, intent, signal)
    case 'push':
      return registration(client, intent, signal)
    case 'receive':
      return outcomeOfTask(await followByWebhook(client, intent, signal))
  }
}

function requestOf(intent: Intent, more: Partial<Message> = {}): SendMessageRequest {
  const { text = '', parts = [{ text }], contextId, taskId, referenceTaskIds, webhook } = intent
  const message: Message = { messageId: randomUUID(), role: 'ROLE_USER', parts }
  if (contextId !== undefined) message.contextId = contextId
  if (taskId !== undefined) message.taskId = taskId
  if (referenceTaskIds !== undefined) message.referenceTaskIds = referenceTaskIds
  const configuration = webhook === undefined ? {} : { configuration: { taskPushNotificationConfig: webhook } }
  return { message: { ...message, ...more }, ...configuration }
}

async function settled(client: A2AClient, result: SendMessageResult, signal: AbortSignal): Promise<SendMessageResult> {
  if ('message' in result || isSettled(result.task.status.state)) return result
  return { task: await client.waitForTask({ id: result.task.id }, { signal }) }
}

/** What is asked for elsewhere is given after a while; until then the task is followed. */
async function sent(client: A2AClient, intent: Intent, signal: AbortSignal): Promise<SendMessageResult> {
  const result = await settled(client, await client.sendMessage(requestOf(intent), { signal }), signal)
  if ('message' in result || intent.waits !== true) return result
  let { task } = result
  for (let asked = 0; task.status.state === 'TASK_STATE_AUTH_REQUIRED' && asked < MOST_POLLS; asked++) {
    await pause(POLL_MS, undefined, { signal })
    task = await client.getTask({ id: task.id }, { signal })
  }
  return { task }
}

async function countTasks(client: A2AClient, signal: AbortSignal): Promise<number> {
  let count = 0
  let pageToken = ''
  do {
    const page = await client.listTasks(pageToken === '' ? {} : { pageToken }, { signal })
    count += page.tasks.length
    pageToken = page.nextPageToken
  } while (pageToken !== '')
  return count
}

/** Says one thing, then another: to the task when it waits for it, else in its context. */
async function conversation(client: A2AClient, intent: Intent, signal: AbortSignal): Promise<Outcome> {
  const first = await settled(client, await client.sendMessage(requestOf(intent), { signal }), signal)
  const place = 'message' in first ? first.message : first.task
  const { contextId } = place
  const isOpen = 'task' in first && first.task.status.state.endsWith('_REQUIRED')
  const next: Partial<Message> = { parts: [{ text: intent.reply ?? '' }] }
  if (contextId !== undefined) next.contextId = contextId
  if ('task' in first && isOpen) next.taskId = first.task.id
  else if ('task' in first) next.referenceTaskIds = [first.task.id]
  const { taskId: _none, ...fresh } = intent
  return outcomeOfResult(await settled(client, await client.sendMessage(requestOf(fresh, next), { signal }), signal))
}

async function registration(client: A2AClient, { taskId = '', webhook }: Intent, signal: AbortSignal) {
  const { url = '', token = '' } = webhook ?? {}
  if (client.card?.capabilities.pushNotifications !== true)
    throw new A2AError('PushNotificationNotSupported', 'The card offers no push notifications.')
  await client.createPushConfig({ taskId, url, token }, { signal })
  return outcomeOfTask(await client.getTask({ id: taskId }, { signal }))
}

async function eventsOf(
  client: A2AClient,
  stream: AsyncIterable<{ event: StreamEvent }>,
  signal: AbortSignal,
  cancels = false,
): Promise<Outcome> {
  let events = 0
  let task: Task | undefined
  let hasCanceled = !cancels
  for await (const { event } of stream) {
    events++
    if ('message' in event) return { ...outcomeOfMessage(event.message), events }
    task = followed(task, event)
    if (hasCanceled || !('artifactUpdate' in event)) continue
    hasCanceled = true
    await client.cancelTask({ id: task.id }, { signal })
  }
  if (task === undefined) return { outcome: 'events', events }
  const ended = isSettled(task.status.state) ? task : await client.getTask({ id: task.id }, { signal })
  return { ...outcomeOfTask(ended), outcome: 'events', events }
}

/** A snapshot replaces what was known; an update adds to it. */
function followed(task: Task | undefined, event: Exclude<StreamEvent, { message: Message }>): Task {
  if ('task' in event) return event.task
  const update = 'statusUpdate' in event ? event.statusUpdate : event.artifactUpdate
  const known: Task = task ?? {
    id: update.taskId,
    contextId: update.contextId,
    status: { state: 'TASK_STATE_WORKING' },
  }
  return update.taskId === known.id ? applyEvent(known, event as TaskEvent) : known
}

function outcomeOfResult(result: SendMessageResult): Outcome {
  return 'message' in result ? outcomeOfMessage(result.message) : outcomeOfTask(result.task)
}

function outcomeOfMessage(message: Message): Outcome {
  const { contextId } = message
  return { outcome: 'message', text: textOf(message), ...(contextId !== undefined && { contextId }) }
}

function outcomeOfTask(task: Task): Outcome {
  const { id, contextId, status, artifacts = [] } = task
  const text = [...artifacts.map(textOf), textOf(status.message)].join('')
  return {
    ...{ outcome: 'task', taskId: id, state: status.state, text, artifacts: artifacts.map(digestOf) },
    ...(contextId !== undefined && { contextId }),
  }
}

function digestOf({ artifactId, parts }: Artifact): NonNullable<Outcome['artifacts']>[number] {
  const hash = createHash('sha256')
  for (const part of parts)
    if ('text' in part) hash.update(part.text)
    else if ('raw' in part) hash.update(Buffer.from(part.raw, 'base64'))
    else if ('data' in part) hash.update(JSON.stringify(part.data))
  const mediaType = parts.find((part) => part.mediaType !== undefined)?.mediaType
  return {
    id: artifactId,
    sha256: hash.digest('hex'),
    text: textOf({ parts }),
    ...(mediaType !== undefined && { mediaType }),
  }
}

function errorOf(error: unknown): NonNullable<Outcome['error']> {
  const message = error instanceof Error ? error.message : String(error)
  if (error instanceof A2AError) return { kind: error.label, message }
  return error instanceof ParleyError ? { kind: error.code, message } : { message }
}
