// Tasks, messages, parts and artifacts, shaped exactly like the JSON of A2A 1.0 (§4.1), so that the newest
// generation needs no translation. Values are immutable once made: whoever changes one makes a new one.

import type { JsonObject, JsonValue } from './json.ts'

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

export type Role = 'ROLE_UNSPECIFIED' | 'ROLE_USER' | 'ROLE_AGENT'

interface PartCommon {
  metadata?: JsonObject
  filename?: string
  mediaType?: string
}

export type TextPart = PartCommon & { text: string }
/** `raw` is base64, as it travels; bytes are decoded only by those who need them. */
export type RawPart = PartCommon & { raw: string }
export type UrlPart = PartCommon & { url: string }
export type DataPart = PartCommon & { data: JsonValue }
export type Part = TextPart | RawPart | UrlPart | DataPart

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

export interface Artifact {
  artifactId: string
  name?: string
  description?: string
  parts: Part[]
  metadata?: JsonObject
  extensions?: string[]
}

export interface TaskStatus {
  state: TaskState
  message?: Message
  /** ISO 8601, UTC, milliseconds. */
  timestamp?: string
}

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
