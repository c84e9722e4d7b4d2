// The `tasks/send` generation (0.1.0): client-made task ids, sessions, parts tagged with `type`, artifacts without
// ids that are told apart by their index.

import {
  ANY,
  BOOLEAN,
  COUNT,
  type Definitions,
  INTEGER,
  listOf,
  NAME,
  object,
  oneOfNames,
  ref,
  STRING,
  STRINGS,
  STRUCT,
  someOf,
} from '../../../schema/definition.ts'

const TIMESTAMP = { type: 'string', format: 'timestamp' }

export const DEFINITIONS = {
  TaskState: oneOfNames('submitted', 'working', 'input-required', 'completed', 'canceled', 'failed', 'unknown'),
  Part: {
    type: 'object',
    required: ['type'],
    properties: { type: oneOfNames('text', 'file', 'data'), metadata: STRUCT },
    allOf: [
      partOf('text', object({ text: STRING })),
      partOf('file', object({ file: ref('File') })),
      // The text of 0.1 allows arrays where its schema says object.
      partOf('data', object({ data: { type: ['object', 'array'] } })),
    ],
  },
  File: {
    type: 'object',
    properties: { name: STRING, mimeType: STRING, bytes: { type: 'string', format: 'base64' }, uri: NAME },
    exactlyOneOf: ['bytes', 'uri'],
  },
  Message: object({ role: oneOfNames('user', 'agent'), parts: someOf(ref('Part')) }, { metadata: STRUCT }),
  Artifact: object(
    { parts: someOf(ref('Part')) },
    { name: STRING, description: STRING, index: COUNT, append: BOOLEAN, lastChunk: BOOLEAN, metadata: STRUCT },
  ),
  TaskStatus: object({ state: ref('TaskState') }, { message: ref('Message'), timestamp: TIMESTAMP }),
  Task: object(
    { id: NAME, status: ref('TaskStatus') },
    {
      sessionId: STRING,
      artifacts: listOf(ref('Artifact')),
      history: listOf(ref('HistoryEntry')),
      metadata: STRUCT,
    },
  ),
  /** A message (0.1.0), or a status where the card promises stateTransitionHistory. */
  HistoryEntry: {
    type: 'object',
    if: { type: 'object', required: ['state'] },
    // biome-ignore lint/suspicious/noThenProperty: the keyword of JSON Schema
    then: ref('TaskStatus'),
    else: ref('Message'),
  },

  TaskStatusUpdateEvent: object({ id: NAME, status: ref('TaskStatus') }, { final: BOOLEAN, metadata: STRUCT }),
  TaskArtifactUpdateEvent: object({ id: NAME, artifact: ref('Artifact') }, { metadata: STRUCT }),
  StreamEvent: {
    type: 'object',
    required: ['id'],
    properties: {
      id: NAME,
      status: ref('TaskStatus'),
      artifact: ref('Artifact'),
      final: BOOLEAN,
      metadata: STRUCT,
    },
    exactlyOneOf: ['status', 'artifact'],
  },

  AuthenticationInfo: object({ schemes: STRINGS }, { credentials: STRING }),
  PushNotificationConfig: object({ url: NAME }, { token: STRING, authentication: ref('AuthenticationInfo') }),
  TaskPushNotificationConfig: object({ id: NAME, pushNotificationConfig: ref('PushNotificationConfig') }),
  TaskSendParams: object(
    { id: NAME, message: ref('Message') },
    { sessionId: STRING, pushNotification: ref('PushNotificationConfig'), historyLength: COUNT, metadata: STRUCT },
  ),
  TaskQueryParams: object({ id: NAME }, { historyLength: COUNT, metadata: STRUCT }),
  TaskIdParams: object({ id: NAME }, { metadata: STRUCT }),
  NoParams: { type: ['object', 'null'] },

  AgentCard: object(
    {
      name: NAME,
      url: NAME,
      version: STRING,
      capabilities: ref('AgentCapabilities'),
      skills: listOf(ref('AgentSkill')),
    },
    {
      description: STRING,
      provider: object({ organization: STRING }, { url: STRING }),
      documentationUrl: STRING,
      // What `credentials` holds was never fixed: a string in the schema, an object in the field.
      authentication: object({ schemes: STRINGS }, { credentials: ANY }),
      defaultInputModes: STRINGS,
      defaultOutputModes: STRINGS,
    },
  ),
  AgentCapabilities: object({}, { streaming: BOOLEAN, pushNotifications: BOOLEAN, stateTransitionHistory: BOOLEAN }),
  AgentSkill: object(
    { id: NAME, name: NAME },
    { description: STRING, tags: STRINGS, examples: STRINGS, inputModes: STRINGS, outputModes: STRINGS },
  ),

  // The request id was optional in this generation.
  JsonRpcRequest: object(
    { jsonrpc: { const: '2.0' }, method: NAME },
    { id: { type: ['string', 'integer', 'null'] }, params: STRUCT },
  ),
  JsonRpcResponse: object(
    { jsonrpc: { const: '2.0' } },
    { id: { type: ['string', 'integer', 'null'] }, result: ANY, error: ref('JsonRpcError') },
    { exactlyOneOf: ['result', 'error'] },
  ),
  JsonRpcError: object({ code: INTEGER, message: STRING }, { data: ANY }),
} satisfies Definitions

function partOf(type: string, branch: ReturnType<typeof object>) {
  return {
    if: { type: 'object', required: ['type'], properties: { type: { const: type } } },
    // biome-ignore lint/suspicious/noThenProperty: the keyword of JSON Schema
    then: branch,
  }
}

export type SchemaName = keyof typeof DEFINITIONS
