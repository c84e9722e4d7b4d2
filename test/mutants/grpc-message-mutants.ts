// Correct agents with one thing wrong in the messages, streams or configurations that gRPC carries.

import type { JsonObject, JsonValue } from '../../src/model/json.ts'
import { type GrpcMutant, grpcMutant, onError, onStream, onTask, reply } from './grpc-mutant.ts'
import { editJson } from './grpc-proxy.ts'

export const grpcMessageMutants: readonly GrpcMutant[] = [
  grpcMutant(
    'two-messages',
    'A unary call has two answers.',
    ['grpc-one-answer'],
    reply((each) => {
      if (each.rpc === 'ListTasks' && each.messages[0] !== undefined) each.messages.push(each.messages[0])
    }),
  ),
  grpcMutant(
    'no-message',
    'A unary call has no answer and succeeds.',
    ['grpc-one-answer'],
    reply((each) => {
      if (each.rpc === 'ListTasks') each.messages = []
    }),
  ),
  grpcMutant(
    'message-beside-error',
    'An error comes with an empty message.',
    ['grpc-one-answer'],
    onError((each) => {
      each.messages = [Buffer.alloc(0)]
    }),
  ),
  grpcMutant(
    'id-is-a-number',
    'The task is a varint.',
    ['grpc-messages'],
    reply((each) => {
      if (each.rpc === 'SendMessage' && each.messages[0] !== undefined)
        each.messages = [Buffer.concat([each.messages[0], Buffer.from([0x08, 7])])]
    }),
  ),
  grpcMutant(
    'history-is-a-number',
    'The message is a varint.',
    ['grpc-messages'],
    reply((each) => {
      if (each.rpc === 'SendMessage' && each.messages[0] !== undefined)
        each.messages = [Buffer.concat([each.messages[0], Buffer.from([0x10, 1])])]
    }),
  ),
  grpcMutant(
    'cut-field',
    'A message ends in the middle of a field.',
    ['send-result'],
    reply((each) => {
      if (each.rpc === 'SendMessage' && each.messages[0] !== undefined)
        each.messages = [Buffer.concat([each.messages[0], Buffer.from([0x0a, 9])])]
    }),
  ),
  grpcMutant(
    'not-utf8',
    'A string is Latin-1.',
    ['grpc-messages'],
    reply((each) => {
      if (each.rpc === 'ListTasks' && each.messages[0] !== undefined)
        each.messages = [Buffer.concat([each.messages[0], Buffer.from([0x12, 1, 0xe9])])]
    }),
  ),
  grpcMutant(
    'unknown-state',
    'A state has a number without a name.',
    ['json-enums'],
    onTask((task) => {
      task.status = { ...(task.status as JsonObject), state: 99 }
    }),
  ),
  grpcMutant(
    'state-unspecified',
    'A task has no state.',
    ['schema-task'],
    onTask((task) => {
      task.status = {}
    }),
  ),
  grpcMutant(
    'no-task-status',
    'A task has no status.',
    ['send-result'],
    onTask((task) => {
      delete task.status
    }),
  ),
  grpcMutant(
    'no-task-id',
    'A task has no id.',
    ['send-result'],
    onTask((task) => {
      delete task.id
    }),
  ),
  grpcMutant(
    'part-without-content',
    'A part says nothing.',
    ['part-one-content'],
    onTask((task) => {
      const [first] = (task.artifacts ?? []) as JsonObject[]
      if (first !== undefined) first.parts = [{}] as JsonValue[]
    }),
  ),
  grpcMutant(
    'stream-ends-cancelled',
    'Streams end with CANCELLED.',
    ['grpc-stream-end'],
    onStream((each) => {
      each.trailers = { 'grpc-status': '1' }
    }),
  ),
  grpcMutant(
    'stream-ends-unknown',
    'Streams end with UNKNOWN.',
    ['grpc-stream-end'],
    onStream((each) => {
      each.trailers = { 'grpc-status': '2', 'grpc-message': 'stream closed' }
    }),
  ),
  grpcMutant(
    'stream-without-trailers',
    'Streams end without trailers.',
    ['grpc-stream-end'],
    onStream((each) => {
      each.trailers = undefined
    }),
  ),
  grpcMutant(
    'stream-reset',
    'Streams are reset after their events.',
    ['grpc-stream-end'],
    onStream((each) => {
      each.cut = 'reset'
    }),
  ),
  grpcMutant(
    'stream-never-closed',
    'Streams stay open.',
    ['grpc-stream-end'],
    onStream((each) => {
      each.cut = 'hang'
    }),
  ),
  grpcMutant(
    'stream-empty',
    'Streams have no events.',
    ['grpc-stream-end'],
    onStream((each) => {
      each.messages = []
    }),
  ),
  grpcMutant(
    'push-config-without-id',
    'A configuration comes back without its id.',
    ['grpc-push-messages'],
    reply((each) => {
      if (each.rpc === 'CreateTaskPushNotificationConfig') editJson(each, (config) => ({ ...config, id: '' }))
    }),
  ),
  grpcMutant(
    'push-config-in-a-request',
    'A configuration is created by a request that only the text of the specification has.',
    ['grpc-push-messages'],
    reply((each) => {
      if (each.rpc === 'CreateTaskPushNotificationConfig')
        editJson(each, ({ id = '', taskId = '' }) => ({ id: taskId, taskId: id }))
    }),
  ),
  grpcMutant(
    'push-deletion-answers-config',
    'A deletion answers with what was deleted.',
    ['grpc-push-messages'],
    reply((each) => {
      if (each.rpc === 'DeleteTaskPushNotificationConfig' && each.messages.length > 0)
        each.messages = [Buffer.from([0x12, 1, 0x61])]
    }),
  ),
]
