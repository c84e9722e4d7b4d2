// A2A 1.0 as JSON: every object of specification/a2a.proto in its ProtoJSON form, with REQUIRED fields, oneofs
// and enum spellings (1.0 §4, §5.5, §5.7), and the envelopes of the two JSON bindings (§9, §11).

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

const TIMESTAMP = { type: 'string', format: 'utc-timestamp' }

/** ListTasks may filter by any state; agents must not report UNSPECIFIED (1.0 §4.1.3). */
const STATES = [
  'TASK_STATE_SUBMITTED',
  'TASK_STATE_WORKING',
  'TASK_STATE_COMPLETED',
  'TASK_STATE_FAILED',
  'TASK_STATE_CANCELED',
  'TASK_STATE_INPUT_REQUIRED',
  'TASK_STATE_REJECTED',
  'TASK_STATE_AUTH_REQUIRED',
]

const TENANT = { tenant: STRING }

export const DEFINITIONS = {
  // Tasks and messages (§4.1)
  TaskState: oneOfNames(...STATES),
  Part: {
    type: 'object',
    properties: {
      text: STRING,
      raw: { type: 'string', format: 'base64' },
      url: NAME,
      data: ANY,
      metadata: STRUCT,
      filename: STRING,
      mediaType: STRING,
    },
    exactlyOneOf: ['text', 'raw', 'url', 'data'],
  },
  Message: object(
    { messageId: NAME, role: oneOfNames('ROLE_USER', 'ROLE_AGENT'), parts: someOf(ref('Part')) },
    { contextId: STRING, taskId: STRING, metadata: STRUCT, extensions: STRINGS, referenceTaskIds: STRINGS },
  ),
  Artifact: object(
    { artifactId: NAME, parts: someOf(ref('Part')) },
    { name: STRING, description: STRING, metadata: STRUCT, extensions: STRINGS },
  ),
  TaskStatus: object({ state: ref('TaskState') }, { message: ref('Message'), timestamp: TIMESTAMP }),
  Task: object(
    { id: NAME, status: ref('TaskStatus') },
    { contextId: STRING, artifacts: listOf(ref('Artifact')), history: listOf(ref('Message')), metadata: STRUCT },
  ),

  // Events (§4.2, §3.2.3)
  TaskStatusUpdateEvent: object({ taskId: NAME, contextId: STRING, status: ref('TaskStatus') }, { metadata: STRUCT }),
  TaskArtifactUpdateEvent: object(
    { taskId: NAME, contextId: STRING, artifact: ref('Artifact') },
    { append: BOOLEAN, lastChunk: BOOLEAN, metadata: STRUCT },
  ),
  StreamResponse: {
    type: 'object',
    properties: {
      task: ref('Task'),
      message: ref('Message'),
      statusUpdate: ref('TaskStatusUpdateEvent'),
      artifactUpdate: ref('TaskArtifactUpdateEvent'),
    },
    exactlyOneOf: ['task', 'message', 'statusUpdate', 'artifactUpdate'],
  },

  // Requests and results (§3.1)
  AuthenticationInfo: object({ scheme: NAME }, { credentials: STRING }),
  TaskPushNotificationConfig: object(
    { url: NAME },
    { ...TENANT, id: STRING, taskId: STRING, token: STRING, authentication: ref('AuthenticationInfo') },
  ),
  /** The stored configuration belongs to a task, so creating one needs the task (§3.1.7). */
  CreateTaskPushNotificationConfigRequest: object(
    { taskId: NAME, url: NAME },
    { ...TENANT, id: STRING, token: STRING, authentication: ref('AuthenticationInfo') },
  ),
  SendMessageConfiguration: object(
    {},
    {
      acceptedOutputModes: STRINGS,
      taskPushNotificationConfig: ref('TaskPushNotificationConfig'),
      historyLength: COUNT,
      returnImmediately: BOOLEAN,
    },
  ),
  SendMessageRequest: object(
    { message: ref('Message') },
    { ...TENANT, configuration: ref('SendMessageConfiguration'), metadata: STRUCT },
  ),
  SendMessageResponse: {
    type: 'object',
    properties: { task: ref('Task'), message: ref('Message') },
    exactlyOneOf: ['task', 'message'],
  },
  GetTaskRequest: object({ id: NAME }, { ...TENANT, historyLength: COUNT }),
  ListTasksRequest: object(
    {},
    {
      ...TENANT,
      contextId: STRING,
      status: oneOfNames('TASK_STATE_UNSPECIFIED', ...STATES),
      pageSize: { type: 'integer', minimum: 1, maximum: 100 },
      pageToken: STRING,
      historyLength: COUNT,
      statusTimestampAfter: TIMESTAMP,
      includeArtifacts: BOOLEAN,
    },
  ),
  // A page may be empty: the array is required, its elements are not (§3.1.4).
  ListTasksResponse: object({ tasks: listOf(ref('Task')), nextPageToken: STRING, pageSize: COUNT, totalSize: COUNT }),
  CancelTaskRequest: object({ id: NAME }, { ...TENANT, metadata: STRUCT }),
  SubscribeToTaskRequest: object({ id: NAME }, TENANT),
  GetTaskPushNotificationConfigRequest: object({ taskId: NAME, id: NAME }, TENANT),
  DeleteTaskPushNotificationConfigRequest: object({ taskId: NAME, id: NAME }, TENANT),
  ListTaskPushNotificationConfigsRequest: object({ taskId: NAME }, { ...TENANT, pageSize: COUNT, pageToken: STRING }),
  ListTaskPushNotificationConfigsResponse: object(
    {},
    { configs: listOf(ref('TaskPushNotificationConfig')), nextPageToken: STRING },
  ),
  GetExtendedAgentCardRequest: object({}, TENANT),
  /** What deleting returns is not fixed: null, or the {} of google.protobuf.Empty. */
  Empty: { type: ['object', 'null'] },

  // The card (§4.4, §4.5)
  AgentCard: object(
    {
      name: NAME,
      description: STRING,
      supportedInterfaces: someOf(ref('AgentInterface')),
      version: STRING,
      capabilities: ref('AgentCapabilities'),
      defaultInputModes: someOf(STRING),
      defaultOutputModes: someOf(STRING),
      skills: someOf(ref('AgentSkill')),
    },
    {
      provider: ref('AgentProvider'),
      documentationUrl: STRING,
      securitySchemes: mapOf(ref('SecurityScheme')),
      securityRequirements: listOf(ref('SecurityRequirement')),
      signatures: listOf(ref('AgentCardSignature')),
      iconUrl: STRING,
    },
  ),
  AgentInterface: object({ url: NAME, protocolBinding: NAME, protocolVersion: NAME }, TENANT),
  AgentProvider: object({ url: STRING, organization: STRING }),
  AgentCapabilities: object(
    {},
    {
      streaming: BOOLEAN,
      pushNotifications: BOOLEAN,
      extendedAgentCard: BOOLEAN,
      extensions: listOf(ref('AgentExtension')),
    },
  ),
  AgentExtension: object({}, { uri: STRING, description: STRING, required: BOOLEAN, params: STRUCT }),
  AgentSkill: object(
    { id: NAME, name: NAME, description: STRING, tags: someOf(STRING) },
    {
      examples: STRINGS,
      inputModes: STRINGS,
      outputModes: STRINGS,
      securityRequirements: listOf(ref('SecurityRequirement')),
    },
  ),
  AgentCardSignature: object({ protected: NAME, signature: NAME }, { header: STRUCT }),
  SecurityRequirement: object({}, { schemes: mapOf(object({}, { list: STRINGS })) }),
  SecurityScheme: {
    type: 'object',
    properties: {
      apiKeySecurityScheme: object(
        { location: oneOfNames('query', 'header', 'cookie'), name: NAME },
        { description: STRING },
      ),
      httpAuthSecurityScheme: object({ scheme: NAME }, { description: STRING, bearerFormat: STRING }),
      oauth2SecurityScheme: object({ flows: ref('OAuthFlows') }, { description: STRING, oauth2MetadataUrl: STRING }),
      openIdConnectSecurityScheme: object({ openIdConnectUrl: NAME }, { description: STRING }),
      mtlsSecurityScheme: object({}, { description: STRING }),
    },
    exactlyOneOf: [
      'apiKeySecurityScheme',
      'httpAuthSecurityScheme',
      'oauth2SecurityScheme',
      'openIdConnectSecurityScheme',
      'mtlsSecurityScheme',
    ],
  },
  OAuthFlows: {
    type: 'object',
    properties: {
      authorizationCode: object(
        { authorizationUrl: NAME, tokenUrl: NAME, scopes: STRING_MAP },
        { refreshUrl: STRING, pkceRequired: BOOLEAN },
      ),
      clientCredentials: object({ tokenUrl: NAME, scopes: STRING_MAP }, { refreshUrl: STRING }),
      implicit: object({}, { authorizationUrl: STRING, refreshUrl: STRING, scopes: STRING_MAP }),
      password: object({}, { tokenUrl: STRING, refreshUrl: STRING, scopes: STRING_MAP }),
      deviceCode: object({ deviceAuthorizationUrl: NAME, tokenUrl: NAME, scopes: STRING_MAP }, { refreshUrl: STRING }),
    },
    exactlyOneOf: ['authorizationCode', 'clientCredentials', 'implicit', 'password', 'deviceCode'],
  },

  // Envelopes (§9, §11.6)
  JsonRpcRequest: object(
    { jsonrpc: { const: '2.0' }, id: { type: ['string', 'integer'] }, method: NAME },
    { params: STRUCT },
  ),
  JsonRpcResponse: object(
    { jsonrpc: { const: '2.0' }, id: { type: ['string', 'integer', 'null'] } },
    { result: ANY, error: ref('JsonRpcError') },
    { exactlyOneOf: ['result', 'error'] },
  ),
  JsonRpcError: object({ code: INTEGER, message: STRING }, { data: listOf(ref('ErrorDetail')) }),
  ErrorDetail: object({ '@type': NAME }),
  RestError: object({
    error: object({ code: INTEGER, status: NAME, message: STRING }, { details: listOf(ref('ErrorDetail')) }),
  }),
} satisfies Definitions

export type SchemaName = keyof typeof DEFINITIONS
