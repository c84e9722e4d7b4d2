// What holds for gRPC alone (1.0 §10): the service with all its rpcs, messages of the published proto, one answer and one
// good end per call, and errors as google.rpc.Status with an ErrorInfo.

import { outcomeOf } from '../../bindings/grpc/probe.ts'
import { GRPC, statusName } from '../../bindings/grpc/status.ts'
import { OPERATIONS, type Operation, type OperationRequest } from '../../model/operation.ts'
import type { Exchange } from '../../trace/exchange.ts'
import type { Answer } from '../probe/answer.ts'
import { quote } from '../probe/assertions.ts'
import type { Probe } from '../probe/probe.ts'
import { textAt } from '../probe/raw.ts'
import { area, check, type PlacedCheck } from './check.ts'

const DOMAIN = 'a2a-protocol.org'

export const grpcChecks: PlacedCheck[] = area(
  { name: 'grpc', category: 'error-handling', phase: 3, bindings: ['grpc'] },
  [
    check(
      'grpc-methods',
      'MUST serve every rpc of A2AService',
      {
        proves: ['grpc-service', 'grpc-all-methods'],
        fix: 'Register all rpcs of the service; for operations the agent does not offer return the error of the missing capability.',
      },
      async (t) => {
        for (const op of OPERATIONS.filter((each) => t.surface.dialect.grpc?.rpcs[each] !== undefined)) {
          const x = await harmless(t, op)
          t.expectAnswered(x)
          const isUnknown = x.error?.statusName === statusName(GRPC.unimplemented) && x.error.reason === undefined
          t.expect(!isUnknown, `${t.surface.dialect.grpc?.rpcs[op]} is not served`, {
            expected: 'a result, or an error of A2A',
            actual: 'UNIMPLEMENTED',
            at: x,
          })
        }
      },
    ),
    check(
      'grpc-messages',
      'MUST send messages of the published proto',
      { proves: ['grpc-proto3'], fix: 'Generate the messages from specification/a2a.proto of the declared version.' },
      async (t) => {
        for (const x of [await t.send('task'), await harmless(t, 'listTasks')]) {
          t.expectAnswered(x)
          if (x.exchange.protocol !== 'grpc' || x.error !== undefined) continue
          const { frames = [], unknownFields = [] } = x.exchange.response ?? {}
          const broken = frames.find(({ data }) => !data.startsWith('{'))
          t.expect(broken === undefined, `the answer to ${x.about} cannot be read: ${broken?.data}`, { at: x })
          const wrong = unknownFields.find((field) => field.includes('wire type'))
          t.expect(wrong === undefined, `the answer to ${x.about} has a field of another type: ${wrong}`, {
            expected: 'the types of the published proto',
            actual: wrong ?? '',
            at: x,
          })
          if (unknownFields.length > 0) t.note(`fields the proto does not have: ${unknownFields.join(', ')}`)
        }
      },
    ),
    check(
      'grpc-one-answer',
      'MUST answer a unary call with one message and its status in the trailers',
      {
        proves: ['grpc-service'],
        fix: 'Send exactly one message and then trailers with grpc-status 0, or no message and the status of the error.',
      },
      async (t) => {
        const good = await harmless(t, 'listTasks')
        t.expectAnswered(good)
        expectEnd(t, good.exchange)
        const sent = messagesOf(good.exchange)
        t.expect(good.error !== undefined || sent === 1, `ListTasks was answered with ${sent} messages`, { at: good })
        const bad = await t.call('getTask', { id: t.unusedId() })
        t.expectAnswered(bad)
        expectEnd(t, bad.exchange)
        const beside = messagesOf(bad.exchange)
        t.expect(bad.error === undefined || beside === 0, 'the response has both a message and an error status', {
          at: bad,
        })
      },
    ),
    check(
      'grpc-stream-end',
      'MUST end a finished stream with status OK',
      {
        proves: ['grpc-stream-server-streaming', 'grpc-stream-ends-ok'],
        fix: 'Complete the server stream after the last event, so that its trailers say grpc-status 0.',
      },
      async (t) => {
        if (!t.declares('streaming')) t.notApplicable('the card does not declare streaming')
        const s = await t.openStream('task')
        await s.rest()
        t.expectAnswered(s)
        t.expect(s.events.length > 0, 'the stream had no events', { expected: 'StreamResponse messages', at: s })
        t.expect(s.end === 'server', `the stream did not end by itself (${s.end})`, { at: s })
        expectEnd(t, s.exchange)
        t.expect(s.error === undefined, `the stream ended with ${s.error?.statusName ?? 'an error'}`, {
          expected: 'grpc-status 0',
          actual: s.error?.statusName ?? '',
          at: s,
        })
      },
    ),
    check(
      'grpc-error-info',
      'MUST explain A2A errors with a google.rpc.ErrorInfo',
      {
        proves: ['grpc-error-info', 'grpc-error-info-reason', 'grpc-error-info-domain'],
        fix: 'Put google.rpc.Status with an ErrorInfo (reason, domain a2a-protocol.org) into grpc-status-details-bin.',
        why: 'Six errors share FAILED_PRECONDITION; without the reason clients cannot tell them apart.',
        phase: 2,
      },
      async (t) => {
        const x = await t.call('getTask', { id: t.unusedId() })
        t.expectRefused(x)
        const info = x.error?.details.find((each) => (textAt(each, '@type') ?? '').endsWith('google.rpc.ErrorInfo'))
        t.expect(info !== undefined, 'the status has no ErrorInfo', {
          expected: 'google.rpc.ErrorInfo in grpc-status-details-bin',
          actual: quote(x.error?.details ?? []),
          pointer: '/error/details',
          at: x,
        })
        const reason = textAt(info, 'reason') ?? ''
        const isName = /^[A-Z][A-Z0-9_]*[A-Z0-9]$/.test(reason) && !reason.endsWith('_ERROR')
        t.expect(isName, `the reason is ${quote(reason)}`, { expected: 'TASK_NOT_FOUND', actual: quote(reason), at: x })
        t.expectEqual(info?.domain, DOMAIN, 'the domain of ErrorInfo', { pointer: '/error/details', at: x })
      },
    ),
    check(
      'grpc-version-metadata',
      'MUST read the version from the metadata of the call',
      {
        proves: ['version-grpc-metadata', 'svc-params-metadata-grpc', 'grpc-metadata-lowercase'],
        fix: 'Compare the metadata a2a-version with the versions the interface offers before anything else.',
        phase: 2,
      },
      async (t) => {
        const x = await t.call('getTask', { id: t.unusedId() }, { headers: { 'a2a-version': '99.0' } })
        t.expectError(x, 'VersionNotSupported')
      },
    ),
    check(
      'grpc-push-messages',
      'MUST create push configurations from TaskPushNotificationConfig and answer deletions with Empty',
      {
        proves: ['grpc-create-input', 'grpc-delete-empty'],
        fix: 'Use the messages of the proto: the configuration itself to create, google.protobuf.Empty for a deletion.',
      },
      async (t) => {
        if (!t.declares('pushNotifications')) t.notApplicable('the card does not declare push notifications')
        const { id: taskId } = await t.finishedTask()
        const hook = await t.webhook()
        const made = await t.call('createPushConfig', { taskId, url: hook.url })
        if (made.error !== undefined)
          t.notMeasured('the agent does not accept the configuration; another check reports this')
        const id = textAt(made.result, 'id') ?? ''
        t.expect(id !== '', 'the configuration came back without an id', { expected: 'an id', at: made })
        t.expectEqual(textAt(made.result, 'taskId'), taskId, 'taskId of the configuration', { at: made })
        t.expectEqual(textAt(made.result, 'url'), hook.url, 'url of the configuration', { at: made })
        const gone = await t.call('deletePushConfig', { taskId, id })
        t.expectSuccess(gone)
        t.expectEqual(gone.result, {}, 'the answer to the deletion', { at: gone })
        const fields = gone.exchange.protocol === 'grpc' ? (gone.exchange.response?.unknownFields ?? []) : []
        t.expect(fields.length === 0, `the answer to the deletion has the field ${fields[0]}`, {
          expected: 'google.protobuf.Empty',
          actual: fields.join(', '),
          at: gone,
        })
      },
    ),
  ],
)

function harmless(t: Probe, op: Operation): Promise<Answer> {
  const requests: { [O in Operation]?: OperationRequest<O> } = {
    getTask: { id: t.unusedId() },
    cancelTask: { id: t.unusedId() },
    subscribeTask: { id: t.unusedId() },
    listTasks: { pageSize: 1 },
    createPushConfig: { taskId: t.unusedId(), url: 'https://parley.invalid/hook' },
    getPushConfig: { taskId: t.unusedId(), id: t.unusedId() },
    listPushConfigs: { taskId: t.unusedId() },
    deletePushConfig: { taskId: t.unusedId(), id: t.unusedId() },
    getExtendedCard: {},
  }
  // A message to a task that does not exist starts no turn of the agent.
  const message = t.message('hello', { taskId: t.unusedId() })
  return t.call(op, (requests[op] ?? { message }) as OperationRequest<Operation>)
}

function messagesOf(exchange: Exchange): number {
  return exchange.response?.frames?.length ?? 0
}

/** The call was ended by the agent, in the way gRPC ends calls. */
function expectEnd(t: Probe, exchange: Exchange): void {
  if (exchange.protocol !== 'grpc') return
  const outcome = outcomeOf(exchange)
  t.expect(
    outcome !== undefined && outcome.fault === undefined,
    `the call ended with an error: ${outcome?.fault ?? 'cut'}`,
    {
      expected: 'trailers with grpc-status',
      actual: outcome?.fault ?? 'no trailers',
      at: exchange,
    },
  )
}
