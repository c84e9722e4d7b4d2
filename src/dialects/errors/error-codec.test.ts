import { describe, expect, test } from 'vitest'
import { A2AError, type A2AErrorKind } from '../../model/errors.ts'
import { DIALECTS } from '../index.ts'
import { errors, ROWS_1_0_1 } from '../v1_0/errors.ts'
import { errorCodec } from './error-codec.ts'
import { errorRow, GRPC_CODES, type GrpcStatus } from './error-table.ts'

const INFO = 'type.googleapis.com/google.rpc.ErrorInfo'

describe('gRPC', () => {
  const nameOf = (code: number) => Object.entries(GRPC_CODES).find(([, number]) => number === code)?.[0]

  test.each<[A2AErrorKind, GrpcStatus, GrpcStatus]>([
    ['TaskNotFound', 'NOT_FOUND', 'NOT_FOUND'],
    ['TaskNotCancelable', 'FAILED_PRECONDITION', 'FAILED_PRECONDITION'],
    ['ExtendedAgentCardNotConfigured', 'FAILED_PRECONDITION', 'FAILED_PRECONDITION'],
    ['ExtensionSupportRequired', 'FAILED_PRECONDITION', 'FAILED_PRECONDITION'],
    ['PushNotificationNotSupported', 'UNIMPLEMENTED', 'FAILED_PRECONDITION'],
    ['UnsupportedOperation', 'UNIMPLEMENTED', 'FAILED_PRECONDITION'],
    ['VersionNotSupported', 'UNIMPLEMENTED', 'FAILED_PRECONDITION'],
    ['ContentTypeNotSupported', 'INVALID_ARGUMENT', 'INVALID_ARGUMENT'],
    ['InvalidParams', 'INVALID_ARGUMENT', 'INVALID_ARGUMENT'],
    ['InvalidAgentResponse', 'INTERNAL', 'INTERNAL'],
    ['InternalError', 'INTERNAL', 'INTERNAL'],
    ['Unauthenticated', 'UNAUTHENTICATED', 'UNAUTHENTICATED'],
    ['PermissionDenied', 'PERMISSION_DENIED', 'PERMISSION_DENIED'],
    ['Unavailable', 'UNAVAILABLE', 'UNAVAILABLE'],
    ['ResourceExhausted', 'RESOURCE_EXHAUSTED', 'RESOURCE_EXHAUSTED'],
  ])('%s is %s in 1.0.0 and %s in 1.0.1', (kind, before, after) => {
    const said = (revision: '1.0.0' | '1.0.1') => nameOf(errors(revision).encodeGrpc(new A2AError(kind, '')).code)
    expect([said('1.0.0'), said('1.0.1')]).toEqual([before, after])
  })

  test('the reason tells apart what shares a status, in every generation', () => {
    for (const dialect of DIALECTS) {
      const codec = dialect.errors()
      for (const kind of ['TaskNotCancelable', 'VersionNotSupported', 'InvalidAgentResponse'] as const) {
        const { code, message, details } = codec.encodeGrpc(new A2AError(kind, 'said', { metadata: { a: 'b' } }))
        const read = codec.decode({ grpcCode: code, message, data: [...details] })
        expect(read).toMatchObject({ kind, message: 'said', options: { metadata: { a: 'b' } } })
      }
    }
  })

  test('without details the status is all there is', () => {
    expect(errors().decode({ grpcCode: GRPC_CODES.NOT_FOUND, message: '' }).kind).toBe('TaskNotFound')
    expect(errors().decode({ grpcCode: GRPC_CODES.UNAUTHENTICATED, message: '' }).kind).toBe('Unauthenticated')
    expect(errors().decode({ grpcCode: GRPC_CODES.UNKNOWN, message: '' }).kind).toBe('InternalError')
  })

  test('facts that name no type stay behind', () => {
    const error = new A2AError('TaskNotFound', '', { details: [{ anything: 1 }] })
    expect(errors().encodeGrpc(error).details).toEqual([expect.objectContaining({ '@type': INFO })])
  })
})

describe('an error that a generation declares', () => {
  const codec = errorCodec({
    form: 'google-rpc',
    rows: ROWS_1_0_1,
    byHttpStatus: new Set(),
    declared: { StaleTask: { ...errorRow(-32050, 412, 'ABORTED', 'STALE_TASK'), nearest: 'UnsupportedOperation' } },
  })
  const sent = new A2AError('UnsupportedOperation', 'changed', { declaredAs: 'StaleTask' })

  test('has its own name and numbers on every binding', () => {
    expect(sent.label).toBe('StaleTask')
    expect(codec.encodeJsonRpc(sent)).toMatchObject({ code: -32050, data: [{ reason: 'STALE_TASK' }] })
    expect(codec.encodeRest(sent)).toMatchObject({ status: 412, body: { error: { status: 'ABORTED' } } })
    expect(codec.encodeGrpc(sent)).toMatchObject({ code: GRPC_CODES.ABORTED, details: [{ reason: 'STALE_TASK' }] })
  })

  test('is read as its nearest kind, by reason and by number', () => {
    const expected = { kind: 'UnsupportedOperation', options: { declaredAs: 'StaleTask' } }
    expect(codec.decode({ status: 400, message: '', data: [{ '@type': INFO, reason: 'STALE_TASK' }] })).toMatchObject(
      expected,
    )
    expect(codec.decode({ code: -32050, message: '' })).toMatchObject(expected)
  })

  test('is said as its nearest kind by a generation that does not have it', () => {
    expect(errors().encodeJsonRpc(sent)).toMatchObject({ code: -32004, data: [{ reason: 'UNSUPPORTED_OPERATION' }] })
  })
})
