// Tasks, messages, parts and artifacts, shaped exactly like the JSON of A2A 1.0 (§4.1), so that the newest
// generation needs no translation. Values are immutable once made: whoever changes one makes a new one.

import type { JsonObject, JsonValue } from './json.ts'

/** The states of a task (1.0 §4.1.3). */
export type TaskState =
  | 'TASK_STATE_UNSPECIFIED'
  | 'TASK_STATE_SUBMITTED'
  | 'TASK_STATE_WORKING'
  | 'TASK_STATE_COMPLETED'
  | 'TASK_STATE_FAILED'
  | 'TASK_STATE_CANCELED'
  | 'TASK_STATE_INPUT_REQUIRED'
  | 'TASK_STATE_REJECTED'
  | 'TASK_STATE_AUTH_REQUIRED'

export const TASK_STATES: readonly TaskState[] = [
  'TASK_STATE_UNSPECIFIED',
  'TASK_STATE_SUBMITTED',
  'TASK_STATE_WORKING',
  'TASK_STATE_COMPLETED',
  'TASK_STATE_FAILED',
  'TASK_STATE_CANCELED',
  'TASK_STATE_INPUT_REQUIRED',
  'TASK_STATE_REJECTED',
  'TASK_STATE_AUTH_REQUIRED',
]

/** Who speaks. */
export type Role = 'ROLE_UNSPECIFIED' | 'ROLE_USER' | 'ROLE_AGENT'

/** What every part may have. */
export interface PartCommon {
  /** Anything else about the part; keys that extensions define are their URIs. */
  metadata?: JsonObject
  /** The name of the file the part holds, without a path. */
  filename?: string
  /** Media type of the content, such as `text/plain` or `image/png`. */
  mediaType?: string
}

/** A part that is text. */
export type TextPart = PartCommon & {
  /** The text, UTF-8. */
  text: string
}
/** `raw` is base64, as it travels; bytes are decoded only by those who need them. */
export type RawPart = PartCommon & {
  /** The bytes in base64. */
  raw: string
}
/** A part that lives elsewhere. */
export type UrlPart = PartCommon & {
  /** Where the content can be fetched. */
  url: string
}
/** A part that is JSON. */
export type DataPart = PartCommon & {
  /** Any JSON value. */
  data: JsonValue
}
/** One piece of a message or an artifact: text, bytes, an address or data (1.0 §4.1.6). */
export type Part = TextPart | RawPart | UrlPart | DataPart

/** One message of a conversation (1.0 §4.1.4). */
export interface Message {
  /** Chosen by whoever writes the message, a UUID as a rule. */
  messageId: string
  /** The conversation it belongs to; absent in the first message of one, for the agent to name. */
  contextId?: string
  /** The task it continues; absent when it begins one. */
  taskId?: string
  /** Who wrote it: `ROLE_USER` for the client, `ROLE_AGENT` for the agent. */
  role: Role
  /** What it says, in order; at least one part. */
  parts: Part[]
  /** Anything else about the message; keys that extensions define are their URIs. */
  metadata?: JsonObject
  /** URIs of the extensions that shaped this message. */
  extensions?: string[]
  /** Other tasks of the conversation that the message speaks of. */
  referenceTaskIds?: string[]
}

/** What a task produced (1.0 §4.1.7). */
export interface Artifact {
  /** Unique within its task. */
  artifactId: string
  /** A name for people, or a file name. */
  name?: string
  /** What it is, for people. */
  description?: string
  /** The content, in order; at least one part. */
  parts: Part[]
  /** Anything else about the artifact; keys that extensions define are their URIs. */
  metadata?: JsonObject
  /** URIs of the extensions that shaped this artifact. */
  extensions?: string[]
}

/** The state of a task, since when, and what was said with it. */
export interface TaskStatus {
  /** Where the task stands. */
  state: TaskState
  /** What the agent said with this state. */
  message?: Message
  /** ISO 8601, UTC, milliseconds. */
  timestamp?: string
}

/** A piece of work of an agent (1.0 §4.1.1). */
export interface Task {
  /** Named by the server, unique among its tasks. */
  id: string
  /** The conversation it belongs to. */
  contextId?: string
  /** Its state now. */
  status: TaskStatus
  /** What it has produced so far. */
  artifacts?: Artifact[]
  /** The messages of the task, oldest first; as many as `historyLength` asked for. */
  history?: Message[]
  /** Anything else about the task; keys that extensions define are their URIs. */
  metadata?: JsonObject
}

/**
 * The text parts together, which is what most agents and people look at; '' for what has none.
 *
 * @example
 * ```ts
 * import { textOf } from 'a2a-parley'
 *
 * console.log(textOf({ parts: [{ text: 'Hello, ' }, { data: { n: 1 } }, { text: 'world.' }] })) // Hello, world.
 * ```
 */
export function textOf(message: { parts: readonly Part[] } | undefined): string {
  if (message === undefined) return ''
  let text = ''
  for (const part of message.parts) if ('text' in part) text += part.text
  return text
}
