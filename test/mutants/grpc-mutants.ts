// Correct agents with one thing wrong that only gRPC can get wrong, or that it gets wrong in its own way.

import type { JsonObject, JsonValue } from '../../src/model/json.ts'
import type { BaseName } from './bases.ts'
import { editJson, editStatus, type GrpcMutation, type GrpcReply } from './grpc-proxy.ts'

export interface GrpcMutant {
  name: string
  story: string
  mutation: GrpcMutation
  /** Checks that must fail it. */
  noticedBy: readonly string[]
  /** What it is made of. */
  base: BaseName
  /** Run beside them, because the check only looks at what others provoke. */
  beside?: readonly string[]
}

function mutant(
  name: string,
  story: string,
  noticedBy: readonly string[],
  mutation: GrpcMutation,
  base: BaseName = 'push',
): GrpcMutant {
  return { name, story, noticedBy, mutation, base, beside: ['send-result', 'send-task-ids'] }
}

const reply = (edit: (reply: GrpcReply) => void): GrpcMutation => ({ reply: edit })
const onError = (edit: (reply: GrpcReply, trailers: Record<string, string>) => void): GrpcMutation =>
  reply((each) => {
    if (each.trailers !== undefined && each.trailers['grpc-status'] !== '0') edit(each, each.trailers)
  })
const infoOf = (edit: (info: JsonObject) => void): GrpcMutation =>
  onError((each) => editStatus(each, ({ details }) => edit((details as JsonObject[])[0] ?? {})))
const onStream = (edit: (reply: GrpcReply) => void): GrpcMutation =>
  reply((each) => {
    if (each.rpc === 'SendStreamingMessage' && each.messages.length > 0) edit(each)
  })
const onTask = (edit: (task: JsonObject) => void): GrpcMutation =>
  reply((each) => {
    if (each.rpc === 'SendMessage')
      editJson(each, (sent) => {
        edit((sent.task ?? {}) as JsonObject)
        return sent
      })
  })
const status = (code: string, from: string): GrpcMutation =>
  onError((_, trailers) => {
    if (trailers['grpc-status'] === from) trailers['grpc-status'] = code
  })
const unimplemented = (rpc: string): GrpcMutant =>
  mutant(
    `no-${rpc}`,
    `${rpc} is not registered.`,
    ['grpc-methods'],
    reply((each) => {
      if (each.rpc !== rpc) return
      each.messages = []
      each.trailers = { 'grpc-status': '12', 'grpc-message': 'unknown method' }
    }),
  )
const withoutInfo: (trailers: Record<string, string>) => void = (trailers) => {
  delete trailers['grpc-status-details-bin']
}

export const grpcMutants: readonly GrpcMutant[] = [
  ...['ListTasks', 'CancelTask', 'SubscribeToTask', 'CreateTaskPushNotificationConfig', 'GetExtendedAgentCard'].map(
    unimplemented,
  ),
  ...['GetTaskPushNotificationConfig', 'ListTaskPushNotificationConfigs', 'DeleteTaskPushNotificationConfig'].map(
    unimplemented,
  ),
  mutant(
    'no-error-info',
    'Errors have no details.',
    ['grpc-error-info'],
    onError((_, trailers) => withoutInfo(trailers)),
  ),
  mutant(
    'empty-details',
    'The status has no details inside.',
    ['grpc-error-info'],
    onError((each) =>
      editStatus(each, (json) => {
        json.details = []
      }),
    ),
  ),
  mutant(
    'details-not-proto',
    'The details are JSON.',
    ['grpc-error-info'],
    onError((_, trailers) => {
      trailers['grpc-status-details-bin'] = Buffer.from('{"reason":"TASK_NOT_FOUND"}').toString('base64')
    }),
  ),
  mutant(
    'wrong-domain',
    'ErrorInfo has the domain of Google.',
    ['grpc-error-info'],
    infoOf((info) => {
      info.domain = 'googleapis.com'
    }),
  ),
  mutant(
    'no-domain',
    'ErrorInfo has no domain.',
    ['grpc-error-info'],
    infoOf((info) => {
      delete info.domain
    }),
  ),
  mutant(
    'reason-with-suffix',
    'The reason ends in ERROR.',
    ['grpc-error-info'],
    infoOf((info) => {
      info.reason = 'TASK_NOT_FOUND_ERROR'
    }),
  ),
  mutant(
    'reason-in-camel-case',
    'The reason is TaskNotFoundError.',
    ['grpc-error-info'],
    infoOf((info) => {
      info.reason = 'TaskNotFoundError'
    }),
  ),
  mutant(
    'no-reason',
    'ErrorInfo has no reason.',
    ['grpc-error-info'],
    infoOf((info) => {
      delete info.reason
    }),
  ),
  mutant(
    'wrong-reason',
    'Every error is TASK_NOT_CANCELABLE.',
    ['get-task-unknown'],
    infoOf((info) => {
      info.reason = 'TASK_NOT_CANCELABLE'
    }),
  ),
  mutant('not-found-is-unknown', 'An unknown task is UNKNOWN.', ['error-task-not-found'], status('2', '5')),
  mutant('not-found-is-internal', 'An unknown task is INTERNAL.', ['error-task-not-found'], status('13', '5')),
  mutant('not-found-is-invalid', 'An unknown task is INVALID_ARGUMENT.', ['error-task-not-found'], status('3', '5')),
  mutant(
    'precondition-is-aborted',
    'Preconditions are ABORTED.',
    ['error-version', 'error-task-not-cancelable'],
    status('10', '9'),
  ),
  mutant(
    'precondition-is-unavailable',
    'Preconditions are UNAVAILABLE.',
    ['error-unsupported-operation'],
    status('14', '9'),
  ),
  mutant('invalid-is-internal', 'A content type is refused with INTERNAL.', ['error-content-type'], status('13', '3')),
  mutant(
    'status-is-a-word',
    'grpc-status says NOT_FOUND.',
    ['grpc-one-answer'],
    onError((_, trailers) => {
      trailers['grpc-status'] = 'NOT_FOUND'
    }),
  ),
  mutant(
    'no-status',
    'Trailers have no grpc-status.',
    ['grpc-one-answer'],
    reply((each) => {
      if (each.trailers !== undefined) delete each.trailers['grpc-status']
    }),
  ),
  mutant(
    'no-trailers',
    'Answers end without trailers.',
    ['grpc-one-answer'],
    reply((each) => {
      if (each.messages.length > 0) each.trailers = undefined
    }),
  ),
  mutant('version-ignored', 'The version is not looked at.', ['grpc-version-metadata'], {
    metadata: (headers) => {
      delete headers['a2a-version']
    },
  }),
  mutant('version-always-fine', 'Every version is 1.0.', ['grpc-version-metadata'], {
    metadata: (headers) => {
      headers['a2a-version'] = '1.0'
    },
  }),
  mutant('version-by-upper-case', 'Only A2A-Version in upper case would be read.', ['version-unsupported'], {
    metadata: (headers) => {
      headers['x-ignored'] = headers['a2a-version'] ?? ''
      delete headers['a2a-version']
    },
  }),
  mutant(
    'two-messages',
    'A unary call has two answers.',
    ['grpc-one-answer'],
    reply((each) => {
      if (each.rpc === 'ListTasks' && each.messages[0] !== undefined) each.messages.push(each.messages[0])
    }),
  ),
  mutant(
    'no-message',
    'A unary call has no answer and succeeds.',
    ['grpc-one-answer'],
    reply((each) => {
      if (each.rpc === 'ListTasks') each.messages = []
    }),
  ),
  mutant(
    'message-beside-error',
    'An error comes with an empty message.',
    ['grpc-one-answer'],
    onError((each) => {
      each.messages = [Buffer.alloc(0)]
    }),
  ),
  mutant(
    'id-is-a-number',
    'The task is a varint.',
    ['grpc-messages'],
    reply((each) => {
      if (each.rpc === 'SendMessage' && each.messages[0] !== undefined)
        each.messages = [Buffer.concat([each.messages[0], Buffer.from([0x08, 7])])]
    }),
  ),
  mutant(
    'history-is-a-number',
    'The message is a varint.',
    ['grpc-messages'],
    reply((each) => {
      if (each.rpc === 'SendMessage' && each.messages[0] !== undefined)
        each.messages = [Buffer.concat([each.messages[0], Buffer.from([0x10, 1])])]
    }),
  ),
  mutant(
    'cut-field',
    'A message ends in the middle of a field.',
    ['send-result'],
    reply((each) => {
      if (each.rpc === 'SendMessage' && each.messages[0] !== undefined)
        each.messages = [Buffer.concat([each.messages[0], Buffer.from([0x0a, 9])])]
    }),
  ),
  mutant(
    'not-utf8',
    'A string is Latin-1.',
    ['grpc-messages'],
    reply((each) => {
      if (each.rpc === 'ListTasks' && each.messages[0] !== undefined)
        each.messages = [Buffer.concat([each.messages[0], Buffer.from([0x12, 1, 0xe9])])]
    }),
  ),
  mutant(
    'unknown-state',
    'A state has a number without a name.',
    ['json-enums'],
    onTask((task) => {
      task.status = { ...(task.status as JsonObject), state: 99 }
    }),
  ),
  mutant(
    'state-unspecified',
    'A task has no state.',
    ['schema-task'],
    onTask((task) => {
      task.status = {}
    }),
  ),
  mutant(
    'no-task-status',
    'A task has no status.',
    ['send-result'],
    onTask((task) => {
      delete task.status
    }),
  ),
  mutant(
    'no-task-id',
    'A task has no id.',
    ['send-result'],
    onTask((task) => {
      delete task.id
    }),
  ),
  mutant(
    'part-without-content',
    'A part says nothing.',
    ['part-one-content'],
    onTask((task) => {
      const [first] = (task.artifacts ?? []) as JsonObject[]
      if (first !== undefined) first.parts = [{}] as JsonValue[]
    }),
  ),
  mutant(
    'stream-ends-cancelled',
    'Streams end with CANCELLED.',
    ['grpc-stream-end'],
    onStream((each) => {
      each.trailers = { 'grpc-status': '1' }
    }),
  ),
  mutant(
    'stream-ends-unknown',
    'Streams end with UNKNOWN.',
    ['grpc-stream-end'],
    onStream((each) => {
      each.trailers = { 'grpc-status': '2', 'grpc-message': 'stream closed' }
    }),
  ),
  mutant(
    'stream-without-trailers',
    'Streams end without trailers.',
    ['grpc-stream-end'],
    onStream((each) => {
      each.trailers = undefined
    }),
  ),
  mutant(
    'stream-reset',
    'Streams are reset after their events.',
    ['grpc-stream-end'],
    onStream((each) => {
      each.cut = 'reset'
    }),
  ),
  mutant(
    'stream-never-closed',
    'Streams stay open.',
    ['grpc-stream-end'],
    onStream((each) => {
      each.cut = 'hang'
    }),
  ),
  mutant(
    'stream-empty',
    'Streams have no events.',
    ['grpc-stream-end'],
    onStream((each) => {
      each.messages = []
    }),
  ),
  mutant(
    'push-config-without-id',
    'A configuration comes back without its id.',
    ['grpc-push-messages'],
    reply((each) => {
      if (each.rpc === 'CreateTaskPushNotificationConfig') editJson(each, (config) => ({ ...config, id: '' }))
    }),
  ),
  mutant(
    'push-config-in-a-request',
    'A configuration is created by a request that only the text of the specification has.',
    ['grpc-push-messages'],
    reply((each) => {
      if (each.rpc === 'CreateTaskPushNotificationConfig')
        editJson(each, ({ id = '', taskId = '' }) => ({ id: taskId, taskId: id }))
    }),
  ),
  mutant(
    'push-deletion-answers-config',
    'A deletion answers with what was deleted.',
    ['grpc-push-messages'],
    reply((each) => {
      if (each.rpc === 'DeleteTaskPushNotificationConfig' && each.messages.length > 0)
        each.messages = [Buffer.from([0x12, 1, 0x61])]
    }),
  ),
  mutant(
    'push-not-supported-is-unknown',
    'Push notifications that are not offered are UNKNOWN.',
    ['error-push-not-supported'],
    status('2', '9'),
    'quiet',
  ),
  mutant(
    'extension-required-is-invalid',
    'A missing extension is INVALID_ARGUMENT.',
    ['error-extension-required'],
    status('3', '9'),
    'extension',
  ),
  mutant(
    'invalid-response-is-unknown',
    'An agent that answers nothing is UNKNOWN.',
    ['error-invalid-agent-response'],
    status('2', '13'),
  ),
  mutant(
    'extended-card-not-configured-is-unknown',
    'A declared extended card that does not exist is UNKNOWN.',
    ['extended-card-served'],
    reply((each) => {
      if (each.rpc !== 'GetExtendedAgentCard') return
      each.messages = []
      each.trailers = { 'grpc-status': '2', 'grpc-message': 'no card' }
    }),
    'spec',
  ),
  mutant(
    'unauthenticated-is-unknown',
    'Missing credentials are UNKNOWN.',
    ['auth-status'],
    status('2', '16'),
    'secured',
  ),
  mutant(
    'unauthenticated-streams',
    'Streams need no credentials.',
    ['auth-missing'],
    {
      metadata: (headers, rpc) => {
        if (rpc === 'SendStreamingMessage') headers.authorization ??= 'Bearer mutants-first-user'
      },
    },
    'secured',
  ),
  mutant(
    'second-user-is-the-first',
    'All users are the first one.',
    ['isolation-read', 'isolation-list', 'isolation-cancel'],
    {
      metadata: (headers) => {
        if (headers.authorization === 'Bearer mutants-second-user') headers.authorization = 'Bearer mutants-first-user'
      },
    },
    'secured',
  ),
]
