// Each A2A error has its number and reason on each binding (1.0 §5.4).

import { NEWEST_REVISION } from '../../dialects/dialect.ts'
import { DIALECTS } from '../../dialects/index.ts'
import type { A2AErrorKind } from '../../model/errors.ts'
import type { Answer } from '../probe/answer.ts'
import { numbersOf } from '../probe/error-table.ts'
import type { Probe } from '../probe/probe.ts'
import type { RawStream } from '../probe/raw-stream.ts'
import { area, check, type Phase, type PlacedCheck } from './check.ts'
import { requiredExtensions } from './extensions.ts'
import { cancelOfFinished, messageToFinished } from './refusals.ts'

interface Mapping {
  kind: A2AErrorKind
  row: string
  /** The check whose business this error is; here only its number is. */
  owner?: string
  phase: Phase
  provoke(t: Probe): Promise<Answer | RawStream>
}

const MAPPINGS: readonly Mapping[] = [
  {
    kind: 'TaskNotFound',
    row: 'task-not-found',
    owner: 'get-task-unknown',
    phase: 2,
    provoke: (t) => t.call('getTask', { id: t.unusedId() }),
  },
  {
    kind: 'VersionNotSupported',
    row: 'version',
    owner: 'version-unsupported',
    phase: 2,
    provoke: (t) => t.call('getTask', { id: t.unusedId() }, { headers: { 'A2A-Version': '99.0' } }),
  },
  {
    kind: 'TaskNotCancelable',
    row: 'task-not-cancelable',
    owner: 'cancel-finished',
    phase: 3,
    provoke: cancelOfFinished,
  },
  {
    kind: 'UnsupportedOperation',
    row: 'unsupported-operation',
    owner: 'send-to-finished',
    phase: 3,
    provoke: messageToFinished,
  },
  {
    kind: 'ContentTypeNotSupported',
    row: 'content-type',
    // Some refuse the part before they know its type, as they refuse any bad request.
    owner: 'rest-validation',
    phase: 3,
    provoke: (t) => t.send('task', { parts: [{ raw: 'AAAA', mediaType: 'application/x-parley-unsupported' }] }),
  },
  {
    kind: 'PushNotificationNotSupported',
    row: 'push-not-supported',
    owner: 'push-undeclared-create',
    phase: 3,
    provoke: async (t) =>
      t.call('createPushConfig', { taskId: (await t.finishedTask()).id, url: 'https://parley.invalid/hook' }),
  },
  {
    kind: 'ExtensionSupportRequired',
    row: 'extension-required',
    owner: 'extension-required',
    phase: 3,
    provoke: async (t) => {
      requiredExtensions(t)
      return t.send('task', { headers: { 'A2A-Extensions': undefined } })
    },
  },
  {
    kind: 'InvalidAgentResponse',
    row: 'invalid-agent-response',
    phase: 3,
    provoke: (t) => t.send('invalid-response'),
  },
]

/** "JSON-RPC -32001, HTTP 404 or gRPC NOT_FOUND, with reason TASK_NOT_FOUND (1.0 §5.4)". */
function numbersText(kind: A2AErrorKind): string {
  const [{ id: newest }] = DIALECTS
  const { code, http, grpc, reason } = numbersOf(newest, kind)
  const status = `HTTP ${http?.[NEWEST_REVISION]} or gRPC ${grpc?.[NEWEST_REVISION]}`
  return `JSON-RPC ${code}, ${status}, with reason ${reason} (${newest} §5.4)`
}

export const errorMappingChecks: PlacedCheck[] = area({ name: 'error-mapping', category: 'error-handling', phase: 3 }, [
  ...MAPPINGS.map(({ kind, row, owner, phase, provoke }) =>
    check(
      `error-${row}`,
      `MUST return the error code of ${kind}Error`,
      {
        proves: [`err-map-${row}-jsonrpc`, `err-map-${row}-http-json`, `err-map-${row}-grpc`],
        fix: `Return ${numbersText(kind)}.`,
        phase,
        tells: true,
        ...(owner === undefined ? {} : { yieldsTo: [owner] }),
      },
      async (t) => {
        const x = await provoke(t)
        t.expectAnswered(x)
        if (x.error === undefined) t.notMeasured('the agent does not refuse this; another check reports this')
        t.expectErrorNumber(x, kind)
        t.expectError(x, kind)
      },
    ),
  ),
])
