import { describe, expect, test } from 'vitest'
import type { JsonValue } from '../../model/json.ts'
import { sameMeaning } from './proto-json.ts'

type Pair = [what: string, one: JsonValue, other: JsonValue]

describe('ProtoJSON', () => {
  test.each<Pair>([
    [
      'default members and absent ones',
      { artifactId: 'a', name: '', extensions: [], parts: [{ text: 'x', filename: '', mediaType: '' }] },
      { artifactId: 'a', parts: [{ text: 'x' }] },
    ],
    ['null and absent', { id: 't', contextId: null, history: null }, { id: 't' }],
    ['false and absent', { append: false, lastChunk: true }, { lastChunk: true }],
    ['an unspecified enum and none', { state: 'TASK_STATE_UNSPECIFIED' }, {}],
    ['enums by name and by number', { state: 3, role: 2 }, { state: 'TASK_STATE_COMPLETED', role: 'ROLE_AGENT' }],
    ['counts as numbers and as text', { pageSize: '5', totalSize: 0 }, { pageSize: 5 }],
    ['instants', { timestamp: '2026-01-01T01:00:00+01:00' }, { timestamp: '2026-01-01T00:00:00.000Z' }],
    ['finer instants', { timestamp: '2026-01-01T00:00:00.123456Z' }, { timestamp: '2026-01-01T00:00:00.123Z' }],
    ['base64 of both alphabets', { parts: [{ raw: '-_8=' }] }, { parts: [{ raw: '+/8' }] }],
    ['both spellings of a name', { context_id: 'c' }, { contextId: 'c' }],
    ['numbers in data', { parts: [{ data: { n: 3.0 } }] }, { parts: [{ data: { n: 3 } }] }],
    ['an empty map of metadata and none', { id: 't', metadata: {} }, { id: 't' }],
  ])('takes %s as equal', (_, one, other) => {
    expect(sameMeaning(one, other)).toBe(true)
  })

  test.each<Pair>([
    ['an empty text and no content', { parts: [{ text: '' }] }, { parts: [{}] }],
    ['another text', { parts: [{ text: 'a' }] }, { parts: [{ text: 'b' }] }],
    ['a text that looks like an instant', { text: '2026-01-01T00:00:00Z' }, { text: '2026-01-01T00:00:00.000Z' }],
    ['null inside of data', { parts: [{ data: { a: null } }] }, { parts: [{ data: {} }] }],
    ['false inside of metadata', { metadata: { a: false } }, { metadata: {} }],
    ['the order of a list', ['a', 'b'], ['b', 'a']],
    ['other bytes', { raw: 'AAAA' }, { raw: 'AAAB' }],
    ['another instant', { timestamp: '2026-01-01T00:00:00Z' }, { timestamp: '2026-01-01T00:00:01Z' }],
  ])('tells %s apart', (_, one, other) => {
    expect(sameMeaning(one, other)).toBe(false)
  })
})
