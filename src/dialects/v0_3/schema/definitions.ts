// A2A 0.3 (and 0.2.x, which it only extends) as JSON-RPC carries it: objects tagged with `kind`, lower-case states.
// The names are those of the 0.3 JSON schema. What REST carries stands in proto-definitions.ts.

import {
  ANY,
  BOOLEAN,
  COUNT,
  type Definitions,
  INTEGER,
  listOf,
  mapOf,
  NAME,
  object,
  oneOfNames,
  ref,
  STRING,
  STRING_MAP,
  STRINGS,
  STRUCT,
  someOf,
} from '../../../schema/definition.ts'
import { PROTO_DEFINITIONS } from './proto-definitions.ts'

const TIMESTAMP = { type: 'string', format: 'timestamp' }

function kind(name: string) {
  return { kind: { const: name } }
}

/** One branch per value of a tag, so that a fault is reported where it is and not once per branch. */
function byTag(tag: string, branches: Record<string, ReturnType<typeof object>>) {
  return {
    type: 'object',
    required: [tag],
    properties: { [tag]: oneOfNames(...Object.keys(branches)) },
    allOf: Object.entries(branches).map(([value, branch]) => ({
      if: { type: 'object', required: [tag], properties: { [tag]: { const: value } } },
      // biome-ignore lint/suspicious/noThenProperty: the keyword of JSON Schema
      then: branch,
    })),
  }
}

export const DEFINITIONS = {
  // Tasks and messages (0.3 §6)
  TaskState: oneOfNames(
    'submitted',
    'working',
    'input-required',
    'completed',
    'canceled',
    'failed',
    'rejected',
    'auth-required',
    'unknown',
  ),
  Part: byTag('kind', {
    text: object({ text: STRING }, { metadata: STRUCT }),
    file: object({ file: ref('File') }, { metadata: STRUCT }),
    data: object({ data: STRUCT }, { metadata: STRUCT }),
  }),
  File: {
    type: 'object',
    properties: { name: STRING, mimeType: STRING, bytes: { type: 'string', format: 'base64' }, uri: NAME },
    exactlyOneOf: ['bytes', 'uri'],
  },
  Message: object(
    { ...kind('message'), messageId: NAME, role: oneOfNames('user', 'agent'), parts: someOf(ref('Part')) },
    { contextId: STRING, taskId: STRING, metadata: STRUCT, extensions: STRINGS, referenceTaskIds: STRINGS },
  ),
  Artifact: object(
    { artifactId: NAME, parts: someOf(ref('Part')) },
    { name: STRING, description: STRING, metadata: STRUCT, extensions: STRINGS },
  ),
  TaskStatus: object({ state: ref('TaskState') }, { message: ref('Message'), timestamp: TIMESTAMP }),
  Task: object(
    { ...kind('task'), id: NAME, contextId: STRING, status: ref('TaskStatus') },
    { artifacts: listOf(ref('Artifact')), history: listOf(ref('Message')), metadata: STRUCT },
  ),

  // Events (0.3 §7.2)
  TaskStatusUpdateEvent: object(
    { ...kind('status-update'), taskId: NAME, contextId: STRING, status: ref('TaskStatus'), final: BOOLEAN },
    { metadata: STRUCT },
  ),
  TaskArtifactUpdateEvent: object(
    { ...kind('artifact-update'), taskId: NAME, contextId: STRING, artifact: ref('Artifact') },
    { append: BOOLEAN, lastChunk: BOOLEAN, metadata: STRUCT },
  ),
  SendMessageResult: byTag('kind', { task: ref('Task'), message: ref('Message') }),
  StreamEvent: byTag('kind', {
    task: ref('Task'),
    message: ref('Message'),
    'status-update': ref('TaskStatusUpdateEvent'),
    'artifact-update': ref('TaskArtifactUpdateEvent'),
  }),

  // Parameters and results (0.3 §7)
  PushNotificationAuthenticationInfo: object({ schemes: STRINGS }, { credentials: STRING }),
  PushNotificationConfig: object(
    { url: NAME },
    { id: STRING, token: STRING, authentication: ref('PushNotificationAuthenticationInfo') },
  ),
  TaskPushNotificationConfig: object({ taskId: NAME, pushNotificationConfig: ref('PushNotificationConfig') }),
  TaskPushNotificationConfigs: listOf(ref('TaskPushNotificationConfig')),
  MessageSendConfiguration: object(
    {},
    {
      acceptedOutputModes: STRINGS,
      historyLength: COUNT,
      pushNotificationConfig: ref('PushNotificationConfig'),
      blocking: BOOLEAN,
    },
  ),
  MessageSendParams: object(
    { message: ref('Message') },
    { configuration: ref('MessageSendConfiguration'), metadata: STRUCT },
  ),
  TaskQueryParams: object({ id: NAME }, { historyLength: COUNT, metadata: STRUCT }),
  TaskIdParams: object({ id: NAME }, { metadata: STRUCT }),
  GetTaskPushNotificationConfigParams: object({ id: NAME }, { pushNotificationConfigId: STRING, metadata: STRUCT }),
  DeleteTaskPushNotificationConfigParams: object({ id: NAME, pushNotificationConfigId: NAME }, { metadata: STRUCT }),
  NoParams: { type: ['object', 'null'] },
  Nothing: { type: ['object', 'null'] },

  // The card (0.3 §5.5)
  AgentCard: object(
    {
      protocolVersion: NAME,
      name: NAME,
      description: STRING,
      url: NAME,
      version: STRING,
      capabilities: ref('AgentCapabilities'),
      defaultInputModes: STRINGS,
      defaultOutputModes: STRINGS,
      skills: listOf(ref('AgentSkill')),
    },
    {
      preferredTransport: NAME,
      additionalInterfaces: listOf(ref('AgentInterface')),
      iconUrl: STRING,
      provider: ref('AgentProvider'),
      documentationUrl: STRING,
      securitySchemes: mapOf(ref('SecurityScheme')),
      security: listOf(ref('SecurityRequirement')),
      supportsAuthenticatedExtendedCard: BOOLEAN,
      signatures: listOf(ref('AgentCardSignature')),
    },
  ),
  AgentInterface: object({ url: NAME, transport: NAME }),
  AgentProvider: object({ organization: STRING, url: STRING }),
  AgentCapabilities: object(
    {},
    {
      streaming: BOOLEAN,
      pushNotifications: BOOLEAN,
      stateTransitionHistory: BOOLEAN,
      extensions: listOf(ref('AgentExtension')),
    },
  ),
  AgentExtension: object({ uri: NAME }, { description: STRING, required: BOOLEAN, params: STRUCT }),
  AgentSkill: object(
    { id: NAME, name: NAME, description: STRING, tags: STRINGS },
    {
      examples: STRINGS,
      inputModes: STRINGS,
      outputModes: STRINGS,
      security: listOf(ref('SecurityRequirement')),
    },
  ),
  AgentCardSignature: object({ protected: NAME, signature: NAME }, { header: STRUCT }),
  SecurityRequirement: mapOf(STRINGS),
  SecurityScheme: byTag('type', {
    apiKey: object({ in: oneOfNames('query', 'header', 'cookie'), name: NAME }, { description: STRING }),
    http: object({ scheme: NAME }, { description: STRING, bearerFormat: STRING }),
    oauth2: object({ flows: ref('OAuthFlows') }, { description: STRING, oauth2MetadataUrl: STRING }),
    openIdConnect: object({ openIdConnectUrl: NAME }, { description: STRING }),
    mutualTLS: object({}, { description: STRING }),
  }),
  OAuthFlows: object(
    {},
    {
      authorizationCode: object({ authorizationUrl: NAME, tokenUrl: NAME, scopes: STRING_MAP }, { refreshUrl: STRING }),
      clientCredentials: object({ tokenUrl: NAME, scopes: STRING_MAP }, { refreshUrl: STRING }),
      implicit: object({ authorizationUrl: NAME, scopes: STRING_MAP }, { refreshUrl: STRING }),
      password: object({ tokenUrl: NAME, scopes: STRING_MAP }, { refreshUrl: STRING }),
    },
  ),

  // Envelopes. The request id became required with 0.2.2.
  JsonRpcRequest: object(
    { jsonrpc: { const: '2.0' }, id: { type: ['string', 'integer'] }, method: NAME },
    { params: STRUCT },
  ),
  JsonRpcResponse: object(
    { jsonrpc: { const: '2.0' }, id: { type: ['string', 'integer', 'null'] } },
    { result: ANY, error: ref('JsonRpcError') },
    { exactlyOneOf: ['result', 'error'] },
  ),
  JsonRpcError: object({ code: INTEGER, message: STRING }, { data: ANY }),
  /** 0.3 fixes no REST error body; this is what the official SDKs send. */
  RestError: object({ code: INTEGER, message: STRING }, { data: ANY }),
  ...PROTO_DEFINITIONS,
} satisfies Definitions

export type SchemaName = keyof typeof DEFINITIONS
