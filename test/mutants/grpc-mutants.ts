// Correct agents with one thing wrong that only gRPC can get wrong, or that it gets wrong in its own way: methods, errors,
// metadata, callers.

import { grpcMessageMutants } from './grpc-message-mutants.ts'
import {
  type GrpcMutant,
  grpcMutant,
  infoOf,
  onError,
  reply,
  status,
  unimplemented,
  withoutInfo,
} from './grpc-mutant.ts'
import { editStatus } from './grpc-proxy.ts'

export const grpcMutants: readonly GrpcMutant[] = [
  ...grpcMessageMutants,
  ...['ListTasks', 'CancelTask', 'SubscribeToTask', 'CreateTaskPushNotificationConfig', 'GetExtendedAgentCard'].map(
    unimplemented,
  ),
  ...['GetTaskPushNotificationConfig', 'ListTaskPushNotificationConfigs', 'DeleteTaskPushNotificationConfig'].map(
    unimplemented,
  ),
  grpcMutant(
    'no-error-info',
    'Errors have no details.',
    ['grpc-error-info'],
    onError((_, trailers) => withoutInfo(trailers)),
  ),
  grpcMutant(
    'empty-details',
    'The status has no details inside.',
    ['grpc-error-info'],
    onError((each) =>
      editStatus(each, (json) => {
        json.details = []
      }),
    ),
  ),
  grpcMutant(
    'details-not-proto',
    'The details are JSON.',
    ['grpc-error-info'],
    onError((_, trailers) => {
      trailers['grpc-status-details-bin'] = Buffer.from('{"reason":"TASK_NOT_FOUND"}').toString('base64')
    }),
  ),
  grpcMutant(
    'wrong-domain',
    'ErrorInfo has the domain of Google.',
    ['grpc-error-info'],
    infoOf((info) => {
      info.domain = 'googleapis.com'
    }),
  ),
  grpcMutant(
    'no-domain',
    'ErrorInfo has no domain.',
    ['grpc-error-info'],
    infoOf((info) => {
      delete info.domain
    }),
  ),
  grpcMutant(
    'reason-with-suffix',
    'The reason ends in ERROR.',
    ['grpc-error-info'],
    infoOf((info) => {
      info.reason = 'TASK_NOT_FOUND_ERROR'
    }),
  ),
  grpcMutant(
    'reason-in-camel-case',
    'The reason is TaskNotFoundError.',
    ['grpc-error-info'],
    infoOf((info) => {
      info.reason = 'TaskNotFoundError'
    }),
  ),
  grpcMutant(
    'no-reason',
    'ErrorInfo has no reason.',
    ['grpc-error-info'],
    infoOf((info) => {
      delete info.reason
    }),
  ),
  grpcMutant(
    'wrong-reason',
    'Every error is TASK_NOT_CANCELABLE.',
    ['get-task-unknown'],
    infoOf((info) => {
      info.reason = 'TASK_NOT_CANCELABLE'
    }),
  ),
  grpcMutant('not-found-is-unknown', 'An unknown task is UNKNOWN.', ['error-task-not-found'], status('2', '5')),
  grpcMutant('not-found-is-internal', 'An unknown task is INTERNAL.', ['error-task-not-found'], status('13', '5')),
  grpcMutant(
    'not-found-is-invalid',
    'An unknown task is INVALID_ARGUMENT.',
    ['error-task-not-found'],
    status('3', '5'),
  ),
  grpcMutant(
    'precondition-is-aborted',
    'Preconditions are ABORTED.',
    ['error-version', 'error-task-not-cancelable'],
    status('10', '9'),
  ),
  grpcMutant(
    'precondition-is-unavailable',
    'Preconditions are UNAVAILABLE.',
    ['error-unsupported-operation'],
    status('14', '9'),
  ),
  grpcMutant(
    'invalid-is-internal',
    'A content type is refused with INTERNAL.',
    ['error-content-type'],
    status('13', '3'),
  ),
  grpcMutant(
    'status-is-a-word',
    'grpc-status says NOT_FOUND.',
    ['grpc-one-answer'],
    onError((_, trailers) => {
      trailers['grpc-status'] = 'NOT_FOUND'
    }),
  ),
  grpcMutant(
    'no-status',
    'Trailers have no grpc-status.',
    ['grpc-one-answer'],
    reply((each) => {
      if (each.trailers !== undefined) delete each.trailers['grpc-status']
    }),
  ),
  grpcMutant(
    'no-trailers',
    'Answers end without trailers.',
    ['grpc-one-answer'],
    reply((each) => {
      if (each.messages.length > 0) each.trailers = undefined
    }),
  ),
  grpcMutant('version-ignored', 'The version is not looked at.', ['grpc-version-metadata'], {
    metadata: (headers) => {
      delete headers['a2a-version']
    },
  }),
  grpcMutant('version-always-fine', 'Every version is 1.0.', ['grpc-version-metadata'], {
    metadata: (headers) => {
      headers['a2a-version'] = '1.0'
    },
  }),
  grpcMutant('version-by-upper-case', 'Only A2A-Version in upper case would be read.', ['version-unsupported'], {
    metadata: (headers) => {
      headers['x-ignored'] = headers['a2a-version'] ?? ''
      delete headers['a2a-version']
    },
  }),
  grpcMutant(
    'push-not-supported-is-unknown',
    'Push notifications that are not offered are UNKNOWN.',
    ['error-push-not-supported'],
    status('2', '9'),
    'quiet',
  ),
  grpcMutant(
    'extension-required-is-invalid',
    'A missing extension is INVALID_ARGUMENT.',
    ['error-extension-required'],
    status('3', '9'),
    'extension',
  ),
  grpcMutant(
    'invalid-response-is-unknown',
    'An agent that answers nothing is UNKNOWN.',
    ['error-invalid-agent-response'],
    status('2', '13'),
  ),
  grpcMutant(
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
  grpcMutant(
    'unauthenticated-is-unknown',
    'Missing credentials are UNKNOWN.',
    ['auth-status'],
    status('2', '16'),
    'secured',
  ),
  grpcMutant(
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
  grpcMutant(
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
