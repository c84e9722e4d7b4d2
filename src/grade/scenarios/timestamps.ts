// How a client reads the instants in an answer (1.0 §5.6.1).

import { ALL_1, HTTP_1, type Scenario } from '../scenario.ts'
import { alwaysWire } from './always-wire.ts'
import { greet } from './intents.ts'

export const timestamps: readonly Scenario[] = [
  {
    id: 'result-timestamps',
    area: 'results',
    about: 'The timestamp of the status has nine digits of fraction; one in the metadata has an offset.',
    on: ALL_1,
    intent: greet,
    world: alwaysWire({
      ...{ id: 'task-1', contextId: 'context-1' },
      status: { state: 'TASK_STATE_COMPLETED', timestamp: '2026-01-01T02:03:04.123456789Z' },
      metadata: { other: '2026-01-01T02:03:04+02:00' },
    }),
    claims: [
      {
        id: 'client-reads-timestamps',
        title: 'MUST read timestamps with up to nine digits of fraction',
        proves: ['client-timestamp-parse'],
        cites: ['a2a-js #641'],
        fix: 'Read timestamps by RFC 3339 with 0 to 9 fraction digits (1.0 §5.6.1).',
        judge(e) {
          e.need(e.sent.length > 0, 'the client sent no message')
          e.expectSuccess()
        },
      },
    ],
  },
  {
    id: 'result-timestamp-offset',
    area: 'results',
    about: 'The timestamp of the status has an offset instead of Z, as ProtoJSON lets a reader expect.',
    on: HTTP_1,
    intent: greet,
    world: alwaysWire({
      ...{ id: 'task-1', contextId: 'context-1' },
      status: { state: 'TASK_STATE_COMPLETED', timestamp: '2026-01-01T02:03:04.500+02:00' },
    }),
    claims: [
      {
        id: 'client-reads-offsets',
        title: 'SHOULD read timestamps with an offset',
        proves: ['client-timestamp-parse'],
        cites: ['a2a-js #641'],
        fix: 'Read timestamps by RFC 3339 with any offset; agents have to write Z (1.0 §5.6.1), but ProtoJSON readers accept both.',
        judge(e) {
          e.need(e.sent.length > 0, 'the client sent no message')
          e.expectSuccess()
        },
      },
    ],
  },
]
