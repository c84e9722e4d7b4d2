import { describe, expect, test } from 'vitest'
import type { JsonObject, JsonValue } from '../../model/json.ts'
import type { Exchange } from '../../trace/exchange.ts'
import { Ledger } from './ledger.ts'
import type { ObservationKind } from './observation.ts'
import { Sequence } from './sequence.ts'

const START = Date.parse('2026-01-01T00:00:00.000Z')

function exchangeAt(ms: number, body = ''): Exchange {
  const request = { method: 'POST', url: 'http://127.0.0.1/', headers: [], body: new TextEncoder().encode(body) }
  return { id: 'x', startedAt: new Date(START + ms).toISOString(), request }
}

function task(state: string, members: JsonObject = {}): JsonObject {
  const status = { state: `TASK_STATE_${state}`, timestamp: '2026-01-01T00:00:00.500Z' }
  return { id: 't', contextId: 'c', status, artifacts: [{ artifactId: 'a', parts: [{ text: 'x' }] }], ...members }
}

/** Shows values one after the other, each asked for when the one before was seen; tells what contradicts. */
function contradictions(
  ...seen: readonly (readonly [ObservationKind, JsonValue, { atMs?: number; body?: string }?])[]
) {
  const sequence = new Sequence()
  const ledger = new Ledger(sequence)
  return seen.flatMap(([kind, value, { atMs = 0, body = '' } = {}]) => {
    const begun = sequence.next()
    const place = { generation: '1.0', binding: 'jsonrpc', pointer: '', exchange: exchangeAt(atMs, body) } as const
    return ledger.look({ kind, value, begun, ...place }, START + atMs + 1).contradictions.map(({ kind }) => kind)
  })
}

describe('the ledger of tasks', () => {
  test('knows nothing against a task that goes its way', () => {
    const list = { tasks: [{ ...task('COMPLETED'), artifacts: undefined }] } as unknown as JsonValue
    const found = contradictions(
      ['sendResult', { task: task('WORKING', { artifacts: [] }) }],
      ['task', task('COMPLETED')],
      ['taskList', list],
      ['task', task('COMPLETED')],
    )
    expect(found).toEqual([])
  })

  test('notices a finished task that goes on', () => {
    expect(contradictions(['task', task('CANCELED')], ['task', task('COMPLETED')])).toContain('state')
  })

  test('leaves answers alone that were on their way together', () => {
    const sequence = new Sequence()
    const ledger = new Ledger(sequence)
    const begun = sequence.next()
    const common = {
      kind: 'task',
      generation: '1.0',
      binding: 'jsonrpc',
      pointer: '',
      exchange: exchangeAt(0),
      begun,
    } as const
    ledger.look({ ...common, value: task('COMPLETED') })
    expect(ledger.look({ ...common, value: task('WORKING') }).contradictions).toEqual([])
  })

  test('notices another content of a finished task', () => {
    expect(contradictions(['task', task('COMPLETED')], ['task', task('COMPLETED', { artifacts: [] })])).toEqual([
      'frozen',
    ])
  })

  test('takes empty members for absent ones', () => {
    const found = contradictions(['task', task('COMPLETED', { metadata: {} })], ['task', task('COMPLETED')])
    expect(found).toEqual([])
  })

  test('notices a view that shows less than a read', () => {
    const asking = { body: '{"params":{"includeArtifacts": true}}' }
    const list = { tasks: [task('COMPLETED', { artifacts: [] })] }
    expect(contradictions(['task', task('COMPLETED')], ['taskList', list, asking])).toEqual(['members'])
    expect(contradictions(['task', task('COMPLETED')], ['taskList', list])).toEqual([])
  })

  test('notices another context, in events too', () => {
    const update = { statusUpdate: { taskId: 't', contextId: 'other', status: { state: 'TASK_STATE_WORKING' } } }
    expect(contradictions(['task', task('WORKING')], ['event', update])).toEqual(['context'])
  })

  test('notices timestamps that go back', () => {
    const earlier = { status: { state: 'TASK_STATE_COMPLETED', timestamp: '2025-01-01T00:00:00.000Z' } }
    expect(contradictions(['task', task('WORKING')], ['task', task('COMPLETED', earlier)])).toEqual(['time'])
  })

  test('notices timestamps that stand still, once the old state was seen to last', () => {
    const still: [ObservationKind, JsonValue][] = [['task', task('WORKING')]]
    expect(contradictions(...still, ['task', task('COMPLETED'), { atMs: 500 }])).toEqual([])
    const lasting = ['task', task('WORKING'), { atMs: 300 }] as const
    expect(contradictions(...still, lasting, ['task', task('COMPLETED'), { atMs: 500 }])).toEqual(['time'])
  })

  test('leaves notifications alone that come late', () => {
    const sequence = new Sequence()
    const ledger = new Ledger(sequence)
    const place = { generation: '1.0', binding: 'jsonrpc', pointer: '', exchange: exchangeAt(0) } as const
    ledger.look({ kind: 'task', value: task('COMPLETED'), begun: sequence.next(), ...place })
    const late = { statusUpdate: { taskId: 't', contextId: 'c', status: { state: 'TASK_STATE_WORKING' } } }
    expect(ledger.look({ kind: 'notification', value: late, ...place }).contradictions).toEqual([])
  })
})

describe('a task on its way', () => {
  test('keeps what it brought', () => {
    const more = { artifacts: [{ artifactId: 'b', parts: [{ text: 'y' }] }] }
    expect(contradictions(['task', task('INPUT_REQUIRED')], ['task', task('COMPLETED', more)])).toEqual(['artifacts'])
  })

  test('does not fall back to being submitted', () => {
    expect(contradictions(['task', task('WORKING')], ['task', task('SUBMITTED')])).toEqual(['order'])
  })

  test('may be submitted again after it was answered', () => {
    expect(contradictions(['task', task('INPUT_REQUIRED')], ['task', task('SUBMITTED')])).toEqual([])
  })
})
