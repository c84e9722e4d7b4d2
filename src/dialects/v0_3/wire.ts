// The JSON of 0.3 as TypeScript sees it after validation. Unknown members are there at run time and travel along in
// the rest of every destructuring.

import type { AgentExtension, AgentSkill, OAuthFlow, OAuthFlowName } from '../../model/card.ts'
import type { JsonObject } from '../../model/json.ts'
import type { WireAuthentication, WireFile, WireRole } from '../older-shapes.ts'

export type WireState =
  | 'submitted'
  | 'working'
  | 'input-required'
  | 'completed'
  | 'canceled'
  | 'failed'
  | 'rejected'
  | 'auth-required'
  | 'unknown'

export type WirePart =
  | { kind: 'text'; text: string; metadata?: JsonObject }
  | { kind: 'file'; file: WireFile; metadata?: JsonObject }
  | { kind: 'data'; data: JsonObject; metadata?: JsonObject }

export interface WireMessage {
  kind: 'message'
  messageId: string
  role: WireRole
  parts: WirePart[]
  contextId?: string
  taskId?: string
  metadata?: JsonObject
  extensions?: string[]
  referenceTaskIds?: string[]
}

export interface WireArtifact {
  artifactId: string
  name?: string
  description?: string
  parts: WirePart[]
  metadata?: JsonObject
  extensions?: string[]
}

export interface WireStatus {
  state: WireState
  message?: WireMessage
  timestamp?: string
}

export interface WireTask {
  kind: 'task'
  id: string
  contextId: string
  status: WireStatus
  artifacts?: WireArtifact[]
  history?: WireMessage[]
  metadata?: JsonObject
}

export interface WireStatusUpdate {
  kind: 'status-update'
  taskId: string
  contextId: string
  status: WireStatus
  final: boolean
  metadata?: JsonObject
}

export interface WireArtifactUpdate {
  kind: 'artifact-update'
  taskId: string
  contextId: string
  artifact: WireArtifact
  append?: boolean
  lastChunk?: boolean
  metadata?: JsonObject
}

export type WireEvent = WireTask | WireMessage | WireStatusUpdate | WireArtifactUpdate

export interface WirePushConfig {
  id?: string
  url: string
  token?: string
  authentication?: WireAuthentication
}

export interface WireTaskPushConfig {
  taskId: string
  pushNotificationConfig: WirePushConfig
}

export interface WireSendParams {
  message: WireMessage
  configuration?: {
    acceptedOutputModes?: string[]
    historyLength?: number
    pushNotificationConfig?: WirePushConfig
    blocking?: boolean
  }
  metadata?: JsonObject
}

export type WireSecurityScheme = { description?: string } & (
  | { type: 'apiKey'; in: string; name: string }
  | { type: 'http'; scheme: string; bearerFormat?: string }
  | { type: 'oauth2'; flows: { [flow in OAuthFlowName]?: OAuthFlow }; oauth2MetadataUrl?: string }
  | { type: 'openIdConnect'; openIdConnectUrl: string }
  | { type: 'mutualTLS' }
)

export type WireSecurityRequirement = { [scheme: string]: string[] }

export type WireSkill = Omit<AgentSkill, 'securityRequirements'> & { security?: WireSecurityRequirement[] }

export interface WireCard {
  protocolVersion: string
  name: string
  description: string
  url: string
  preferredTransport?: string
  additionalInterfaces?: { url: string; transport: string }[]
  iconUrl?: string
  provider?: { organization: string; url: string }
  version: string
  documentationUrl?: string
  capabilities: {
    streaming?: boolean
    pushNotifications?: boolean
    stateTransitionHistory?: boolean
    extensions?: AgentExtension[]
  }
  securitySchemes?: { [name: string]: WireSecurityScheme }
  security?: WireSecurityRequirement[]
  defaultInputModes: string[]
  defaultOutputModes: string[]
  skills: WireSkill[]
  supportsAuthenticatedExtendedCard?: boolean
  signatures?: { protected: string; signature: string; header?: JsonObject }[]
}
