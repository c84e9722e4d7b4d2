// The contract with a client under test: what its user wants (an intent), and what it says it understood (an outcome).
// Both are JSON, so that a client of any language can be driven.

import { jsonIn } from '../bindings/endpoint-client.ts'
import { isJsonObject, type JsonObject, textAt } from '../model/json.ts'
import type { Part } from '../model/task.ts'

export const INTENTS = [
  'card',
  'send',
  'stream',
  'get',
  'list',
  'cancel',
  'subscribe',
  'continue',
  'push',
  'receive',
] as const
export type IntentName = (typeof INTENTS)[number]

/** What a user of the client wants. */
export interface Intent {
  do: IntentName
  /** send, stream, continue: what to say. */
  text?: string
  /** Instead of text: parts as 1.0 writes them. */
  parts?: Part[]
  /** continue: what to say when the agent asks for more. */
  reply?: string
  /** get, cancel, subscribe, push: the task. send: the task or context it belongs to. */
  taskId?: string
  contextId?: string
  referenceTaskIds?: string[]
  /** URIs of extensions the user asks for. */
  extensions?: string[]
  /** What the user has: a bearer token, or an API key. */
  credentials?: { bearer?: string; apiKey?: string }
  /** What the user registered with the authorization server that the card names. */
  oauth?: { clientId: string; clientSecret: string }
  /** The authority (PEM) that the user trusts besides those of the system. */
  authority?: string
  /** stream: cancel the task once its first artifact has arrived, and read on to the end. Canceled is what was wanted. */
  cancel?: boolean
  /** send: the user gives what a task asks for elsewhere, and waits for its result. */
  waits?: boolean
  /** push, send: where notifications shall go; with a message, those of the task that it begins. */
  webhook?: { url: string; token: string }
  /** receive: the token that notifications shall carry; the client listens on loopback and registers where it does. */
  token?: string
  /** receive: what the receiver shows (PEM), so that notifications can come over https. */
  certificate?: { cert: string; key: string }
  /** card: the public keys (JWK) that the user trusts; the outcome says in `verified` whether a signature is theirs. */
  verify?: { keys: JsonObject[] }
  /** card, send: with the extended card of the agent in the place of the public one. */
  extended?: boolean
}

export const OUTCOMES = ['task', 'message', 'error', 'events', 'card', 'unsupported'] as const

/** What the client understood, as the last line of its output says. */
export interface Outcome {
  outcome: (typeof OUTCOMES)[number]
  taskId?: string
  contextId?: string
  /** `TASK_STATE_COMPLETED`, or `completed`. */
  state?: string
  /** All text of the answer: of the message, or of the artifacts. */
  text?: string
  artifacts?: { id?: string; sha256?: string; mediaType?: string; text?: string }[]
  /** By name (`TaskNotFound`), or by number. */
  error?: { kind?: string; code?: number; message?: string }
  /** How many events of a stream it has seen. */
  events?: number
  /** How many tasks a list had. */
  tasks?: number
  interface?: { url?: string; binding?: string; version?: string }
  /** Whether a signature of the card is of a key that the intent trusts; absent where nothing was verified. */
  verified?: boolean
}

/** The outcome a line of output is; undefined when it is something else. */
export function outcomeIn(line: string): Outcome | undefined {
  const value = jsonIn(line)
  if (!isJsonObject(value)) return undefined
  const name = textAt(value, 'outcome')
  return OUTCOMES.some((known) => known === name) ? outcomeOf(value) : undefined
}

function outcomeOf(value: JsonObject): Outcome {
  // Whatever a client prints: only members of the right type are read.
  const { outcome, taskId, contextId, state, text, artifacts, error, events, tasks } = value
  const read: Outcome = { outcome: outcome as Outcome['outcome'] }
  if (typeof taskId === 'string') read.taskId = taskId
  if (typeof contextId === 'string') read.contextId = contextId
  if (typeof state === 'string') read.state = state
  if (typeof text === 'string') read.text = text
  if (typeof events === 'number') read.events = events
  if (typeof tasks === 'number') read.tasks = tasks
  if (typeof value.verified === 'boolean') read.verified = value.verified
  if (Array.isArray(artifacts)) read.artifacts = artifacts.filter(isJsonObject).map(artifactOf)
  if (isJsonObject(error)) read.error = errorOf(error)
  if (isJsonObject(value.interface)) read.interface = interfaceOf(value.interface)
  return read
}

function artifactOf(value: JsonObject): NonNullable<Outcome['artifacts']>[number] {
  return { ...texts(value, ['id', 'sha256', 'mediaType', 'text']) }
}

function errorOf(value: JsonObject): NonNullable<Outcome['error']> {
  const { code } = value
  return { ...texts(value, ['kind', 'message']), ...(typeof code === 'number' && { code }) }
}

function interfaceOf(value: JsonObject): NonNullable<Outcome['interface']> {
  return texts(value, ['url', 'binding', 'version'])
}

function texts<Name extends string>(value: JsonObject, names: readonly Name[]): Partial<Record<Name, string>> {
  const found: Partial<Record<Name, string>> = {}
  for (const name of names) {
    const text = textAt(value, name)
    if (text !== undefined) found[name] = text
  }
  return found
}

/** A state as 1.0 spells it, whichever way a client does: `completed`, `TaskState.completed`, `TASK_STATE_COMPLETED`. */
export function stateNamed(text: string | undefined): string | undefined {
  if (text === undefined) return undefined
  const last = text.split('.').at(-1) ?? text
  const words = last
    .replaceAll(/([a-z])([A-Z])/g, '$1_$2')
    .replaceAll('-', '_')
    .toUpperCase()
  return words.startsWith('TASK_STATE_') ? words : `TASK_STATE_${words === 'CANCELLED' ? 'CANCELED' : words}`
}
