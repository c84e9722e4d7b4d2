// A2A 0.3 as its REST binding really travels: ProtoJSON of the 0.3 proto, where `content` holds the parts of a message
// and the state is spelled CANCELLED. Proto3 knows no required members beyond those named here.

import {
  BOOLEAN,
  type Definitions,
  INTEGER,
  listOf,
  mapOf,
  NAME,
  object,
  oneOfNames,
  ref,
  STRING,
  STRINGS,
  STRUCT,
} from '../../../schema/definition.ts'

export const PROTO_DEFINITIONS = {
  'proto.Part': {
    type: 'object',
    properties: { text: STRING, file: ref('proto.FilePart'), data: object({ data: STRUCT }), metadata: STRUCT },
    exactlyOneOf: ['text', 'file', 'data'],
  },
  'proto.FilePart': {
    type: 'object',
    properties: {
      fileWithUri: NAME,
      fileWithBytes: { type: 'string', format: 'base64' },
      mimeType: STRING,
      name: STRING,
    },
    exactlyOneOf: ['fileWithUri', 'fileWithBytes'],
  },
  'proto.Message': object(
    { messageId: NAME, role: oneOfNames('ROLE_USER', 'ROLE_AGENT'), content: listOf(ref('proto.Part')) },
    { contextId: STRING, taskId: STRING, metadata: STRUCT, extensions: STRINGS },
  ),
  'proto.Artifact': object(
    { artifactId: NAME, parts: listOf(ref('proto.Part')) },
    { name: STRING, description: STRING, metadata: STRUCT, extensions: STRINGS },
  ),
  'proto.TaskStatus': object(
    {
      state: oneOfNames(
        'TASK_STATE_SUBMITTED',
        'TASK_STATE_WORKING',
        'TASK_STATE_COMPLETED',
        'TASK_STATE_FAILED',
        'TASK_STATE_CANCELLED',
        'TASK_STATE_INPUT_REQUIRED',
        'TASK_STATE_REJECTED',
        'TASK_STATE_AUTH_REQUIRED',
      ),
    },
    { message: ref('proto.Message'), timestamp: { type: 'string', format: 'timestamp' } },
  ),
  'proto.Task': object(
    { id: NAME, status: ref('proto.TaskStatus') },
    {
      contextId: STRING,
      artifacts: listOf(ref('proto.Artifact')),
      history: listOf(ref('proto.Message')),
      metadata: STRUCT,
    },
  ),
  'proto.TaskStatusUpdateEvent': object(
    { taskId: NAME, status: ref('proto.TaskStatus') },
    { contextId: STRING, final: BOOLEAN, metadata: STRUCT },
  ),
  'proto.TaskArtifactUpdateEvent': object(
    { taskId: NAME, artifact: ref('proto.Artifact') },
    { contextId: STRING, append: BOOLEAN, lastChunk: BOOLEAN, metadata: STRUCT },
  ),
  'proto.SendMessageResponse': {
    type: 'object',
    properties: { task: ref('proto.Task'), message: ref('proto.Message') },
    exactlyOneOf: ['task', 'message'],
  },
  'proto.StreamResponse': {
    type: 'object',
    properties: {
      task: ref('proto.Task'),
      message: ref('proto.Message'),
      statusUpdate: ref('proto.TaskStatusUpdateEvent'),
      artifactUpdate: ref('proto.TaskArtifactUpdateEvent'),
    },
    exactlyOneOf: ['task', 'message', 'statusUpdate', 'artifactUpdate'],
  },
  'proto.PushNotificationConfig': object(
    { url: NAME },
    { id: STRING, token: STRING, authentication: object({}, { schemes: STRINGS, credentials: STRING }) },
  ),
  'proto.SendMessageRequest': object(
    { message: ref('proto.Message') },
    {
      configuration: object(
        {},
        {
          acceptedOutputModes: STRINGS,
          pushNotification: ref('proto.PushNotificationConfig'),
          historyLength: INTEGER,
          blocking: BOOLEAN,
        },
      ),
      metadata: STRUCT,
    },
  ),
  /** Security is declared as in 1.0; the rest of the card equals that of JSON-RPC. */
  'proto.AgentCard': object(
    { protocolVersion: NAME, name: NAME, url: NAME, capabilities: ref('AgentCapabilities') },
    {
      description: STRING,
      version: STRING,
      preferredTransport: STRING,
      additionalInterfaces: listOf(ref('AgentInterface')),
      provider: ref('AgentProvider'),
      documentationUrl: STRING,
      securitySchemes: mapOf(ref('proto.SecurityScheme')),
      security: listOf(object({}, { schemes: mapOf(object({}, { list: STRINGS })) })),
      defaultInputModes: STRINGS,
      defaultOutputModes: STRINGS,
      skills: listOf(object({ id: NAME }, { name: STRING, description: STRING, tags: STRINGS })),
      supportsAuthenticatedExtendedCard: BOOLEAN,
      signatures: listOf(ref('AgentCardSignature')),
    },
  ),
  'proto.SecurityScheme': {
    type: 'object',
    exactlyOneOf: [
      'apiKeySecurityScheme',
      'httpAuthSecurityScheme',
      'oauth2SecurityScheme',
      'openIdConnectSecurityScheme',
      'mtlsSecurityScheme',
    ],
  },
  'proto.TaskPushNotificationConfig': object({
    name: NAME,
    pushNotificationConfig: ref('proto.PushNotificationConfig'),
  }),
  'proto.CreateTaskPushNotificationConfigRequest': object(
    { config: ref('proto.TaskPushNotificationConfig') },
    { parent: STRING, configId: STRING },
  ),
  'proto.ListTaskPushNotificationConfigResponse': object(
    {},
    { configs: listOf(ref('proto.TaskPushNotificationConfig')), nextPageToken: STRING },
  ),
} satisfies Definitions
