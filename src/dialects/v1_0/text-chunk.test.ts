import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseJson } from '../../net/json.ts'
import { DEFAULT_LIMITS } from '../../net/limits.ts'
import { jsonRpcCodec } from './codec.ts'
import { readTextChunk } from './text-chunk.ts'

/** What is made of the text without the short way; undefined where it is refused. */
function longWay(text: string): unknown {
  const parsed = parseJson(text, DEFAULT_LIMITS)
  if (!parsed.ok) return undefined
  const decoded = jsonRpcCodec.decodeEvent(parsed.value)
  return decoded.ok ? decoded.value : undefined
}

const id = fc.oneof(fc.uuid(), fc.string({ unit: 'binary' }))
const chunk = fc.record(
  {
    taskId: id,
    contextId: id,
    artifact: fc.record({ artifactId: id, parts: fc.tuple(fc.record({ text: fc.string({ unit: 'binary' }) })) }),
    append: fc.boolean(),
    lastChunk: fc.boolean(),
  },
  { requiredKeys: ['taskId', 'contextId', 'artifact'] },
)

describe('a piece of text', () => {
  test('is read as the parser and the schema read it, or left to them', () => {
    fc.assert(
      fc.property(chunk, (artifactUpdate) => {
        const text = JSON.stringify({ artifactUpdate })
        const read = readTextChunk(text)
        if (read !== undefined) expect(read).toEqual(longWay(text))
      }),
      { numRuns: 500 },
    )
  })

  /** One character of it, put in, taken out or exchanged. */
  const damaged = fc
    .tuple(
      chunk,
      fc.nat(400),
      fc.nat(2),
      fc.constantFrom('"', '\\', '{', '}', ',', ':', 'u', ' ', '\n', '0', 'a', '\u0000', '\ud800'),
    )
    .map(([artifactUpdate, at, kind, char]) => {
      const text = JSON.stringify({ artifactUpdate })
      const place = at % text.length
      return text.slice(0, place) + (kind === 0 ? '' : char) + text.slice(kind === 1 ? place : place + 1)
    })

  test('that is damaged is never read where the parser and the schema would refuse it', () => {
    fc.assert(
      fc.property(damaged, (text) => {
        const read = readTextChunk(text)
        if (read !== undefined) expect(read).toEqual(longWay(text))
      }),
      { numRuns: 3_000 },
    )
  })

  test.each([
    ['plain', 'one two', 'one two'],
    ['with escapes', 'a \\"quote\\", a \\\\ and \\n \\u00e9 \\/', 'a "quote", a \\ and \n é /'],
    ['with a half pair', '\\ud83d', '\ud83d'],
    ['beyond ASCII', 'Grüße 😀 \u2028', 'Grüße 😀 \u2028'],
    ['empty', '', ''],
  ])('is read: %s', (_, written, text) => {
    const event = `{"artifactUpdate":{"taskId":"t","contextId":"","artifact":{"artifactId":"a","parts":[{"text":"${written}"}]},"append":false,"lastChunk":true}}`
    const update = { taskId: 't', contextId: '', artifact: { artifactId: 'a', parts: [{ text }] } }
    expect(readTextChunk(event)).toEqual({ artifactUpdate: { ...update, append: false, lastChunk: true } })
  })

  test.each([
    [
      'an empty id',
      '{"artifactUpdate":{"taskId":"","contextId":"c","artifact":{"artifactId":"a","parts":[{"text":""}]}}}',
    ],
    [
      'an id with an escape',
      '{"artifactUpdate":{"taskId":"\\u0074","contextId":"c","artifact":{"artifactId":"a","parts":[{"text":""}]}}}',
    ],
    [
      'a member twice',
      '{"artifactUpdate":{"taskId":"t","contextId":"c","artifact":{"artifactId":"a","parts":[{"text":""}]},"append":true,"append":true}}',
    ],
    [
      'a second value behind it',
      '{"artifactUpdate":{"taskId":"t","contextId":"c","artifact":{"artifactId":"a","parts":[{"text":""}]}}},"result":{}',
    ],
    [
      'a part with bytes',
      '{"artifactUpdate":{"taskId":"t","contextId":"c","artifact":{"artifactId":"a","parts":[{"raw":""}]}}}',
    ],
  ])('is left to the parser and the schema: %s', (_, text) => {
    expect(readTextChunk(text)).toBeUndefined()
  })
})
