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
  metadata?: JsonObject
  filename?: string
  mediaType?: string
}

/** A part that is text. */
export type TextPart = PartCommon & { text: string }
/** `raw` is base64, as it travels; bytes are decoded only by those who need them. */
export type RawPart = PartCommon & { raw: string }
/** A part that lives elsewhere. */
export type UrlPart = PartCommon & { url: string }
/** A part that is JSON. */
export type DataPart = PartCommon & { data: JsonValue }
/** One piece of a message or an artifact: text, bytes, an address or data (1.0 §4.1.6). */
export type Part = TextPart | RawPart | UrlPart | DataPart

/** One message of a conversation (1.0 §4.1.4). */
export interface Message {
  messageId: string
  contextId?: string
  taskId?: string
  role: Role
  parts: Part[]
  metadata?: JsonObject
  extensions?: string[]
  referenceTaskIds?: string[]
}

/** What a task produced (1.0 §4.1.7). */
export interface Artifact {
  artifactId: string
  name?: string
  description?: string
  parts: Part[]
  metadata?: JsonObject
  extensions?: string[]
}

/** The state of a task, since when, and what was said with it. */
export interface TaskStatus {
  state: TaskState
  message?: Message
  /** ISO 8601, UTC, milliseconds. */
  timestamp?: string
}

/** A piece of work of an agent (1.0 §4.1.1). */
export interface Task {
  id: string
  contextId?: string
  status: TaskStatus
  artifacts?: Artifact[]
  history?: Message[]
  metadata?: JsonObject
}

/** The concatenated text parts, which is what most agents and people look at. */
export function textOf(message: { parts: readonly Part[] } | undefined): string {
  if (message === undefined) return ''
  let text = ''
  for (const part of message.parts) if ('text' in part) text += part.text
  return text
}
