// The JSON of the `tasks/send` generation as TypeScript sees it after validation. Unknown members are there at run
// time and travel along in the rest of every destructuring.

import type { JsonObject, JsonValue } from '../../model/json.ts'
import type { WireAuthentication, WireFile, WireRole } from '../older-shapes.ts'

export type WireState = 'submitted' | 'working' | 'input-required' | 'completed' | 'canceled' | 'failed' | 'unknown'

export type WirePart =
  | { type: 'text'; text: string; metadata?: JsonObject }
  | { type: 'file'; file: WireFile; metadata?: JsonObject }
  | { type: 'data'; data: JsonObject | JsonValue[]; metadata?: JsonObject }

export interface WireMessage {
  role: WireRole
  parts: WirePart[]
  metadata?: JsonObject
}

export interface WireArtifact {
  name?: string
  description?: string
  parts: WirePart[]
  index?: number
  append?: boolean
  lastChunk?: boolean
  metadata?: JsonObject
}

export interface WireStatus {
  state: WireState
  message?: WireMessage
  timestamp?: string
}

export interface WireTask {
  id: string
  sessionId?: string
  status: WireStatus
  artifacts?: WireArtifact[]
  /** Messages, or every status where the card promises stateTransitionHistory. */
  history?: (WireMessage | WireStatus)[]
  metadata?: JsonObject
}

export type WireEvent = { id: string; metadata?: JsonObject } & (
  | { status: WireStatus; final?: boolean }
  | { artifact: WireArtifact }
)

export interface WirePushConfig {
  url: string
  token?: string
  authentication?: WireAuthentication
}

export interface WireTaskPushConfig {
  id: string
  pushNotificationConfig: WirePushConfig
}

export interface WireSendParams {
  id: string
  sessionId?: string
  message: WireMessage
  pushNotification?: WirePushConfig
  historyLength?: number
  metadata?: JsonObject
}

export interface WireSkill {
  id: string
  name: string
  description?: string
  tags?: string[]
  examples?: string[]
  inputModes?: string[]
  outputModes?: string[]
}

export interface WireCard {
  name: string
  description?: string
  url: string
  provider?: { organization: string; url?: string }
  version: string
  documentationUrl?: string
  capabilities: { streaming?: boolean; pushNotifications?: boolean; stateTransitionHistory?: boolean }
  authentication?: { schemes: string[]; credentials?: JsonValue }
  defaultInputModes?: string[]
  defaultOutputModes?: string[]
  skills: WireSkill[]
}
