import { describe, expect, test } from 'vitest'
import { decodeResponses, findDirectives, readTurns } from './directives.ts'

const encode = (value: unknown, encoding: BufferEncoding = 'base64'): string =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString(encoding)

const WORKING = { kind: 'status-update', final: false, status: { state: 'working' } }

describe('finding directives', () => {
  test('anywhere in the text', () => {
    expect(findDirectives('Please.\n[test_case_id=a.b-c_1] and\n[responses_json=W10=] now')).toEqual({
      ok: true,
      directives: { testId: 'a.b-c_1', responses: 'W10=' },
    })
    expect(findDirectives('nothing here')).toEqual({
      ok: true,
      directives: { testId: undefined, responses: undefined },
    })
  })

  test.each([
    ['[test_case_id=a][test_case_id=b]', 'several test cases: a, b'],
    ['[test_case_id=a b]', 'may only contain'],
    ['[responses_json=W10=]', 'needs a [test_case_id=…]'],
    ['[test_case_id=a][responses_json=W10=', 'not closed'],
    ['[test_case_id=a][responses_json=x][responses_json=y]', 'more than once'],
  ])('refuses %s', (text, why) => {
    expect(findDirectives(text)).toMatchObject({ ok: false, message: expect.stringContaining(why) })
  })
})

describe('decoding responses', () => {
  test.each(['base64', 'base64url'] as const)('reads %s, with whitespace in it', (encoding) => {
    const text = encode(
      [[{ ...WORKING, status: { state: 'working', message: { parts: [{ kind: 'text', text: '¿?ÿþ~~' }] } } }]],
      encoding,
    )
    const decoded = decodeResponses(text.replace(/.{7}/g, '$&\n  '))
    expect(decoded).toMatchObject({ ok: true, turns: [[{ is: 'event' }]] })
  })

  test('equal scripts have equal fingerprints, however they are encoded', () => {
    const one = decodeResponses(encode([[WORKING]]))
    const other = decodeResponses(encode(JSON.stringify([[WORKING]], null, 2), 'base64url'))
    expect(one.ok && other.ok && one.fingerprint === other.fingerprint).toBe(true)
  })

  test.each([
    ['%%%', 'is not base64'],
    ['A', 'is not base64'],
    ['', 'is empty'],
    [Buffer.from([0xff, 0xfe]).toString('base64'), 'does not decode to UTF-8'],
    [encode('[[}'), 'does not decode to JSON'],
    [encode({}), 'must be a JSON array with at least one turn'],
    [encode([]), 'must be a JSON array with at least one turn'],
    [encode([[], {}]), 'turn 1: must be an array of events'],
  ])('%s: %s', (encoded, why) => {
    expect(decodeResponses(encoded)).toMatchObject({ ok: false, message: expect.stringContaining(why) })
  })
})

describe('a wrong event is named by turn, event and field', () => {
  const artifact = (part: object) => ({ kind: 'artifact-update', artifact: { parts: [part] } })
  test.each([
    [{ kind: 'status' }, 'event 1: kind must be one of status-update, artifact-update, task, message, not "status"'],
    [{ status: {} }, 'event 1: needs a kind'],
    [{ kind: 'status-update' }, 'event 1: status is missing'],
    [{ kind: 'status-update', status: { state: 'workin' } }, 'event 1: status.state must be one of submitted, working'],
    [
      { kind: 'status-update', status: { state: 'working', message: { parts: [] } } },
      'event 1: status.message.parts must be a list with at least one part',
    ],
    [{ kind: 'task', status: { state: 'working' }, statsu: 1 }, "event 1: statsu is unknown; did you mean 'status'?"],
    [artifact({ kind: 'file', file: { bytes: '*' } }), 'event 1: artifact.parts[0].file.bytes is not base64'],
    [artifact({ kind: 'file', file: {} }), "event 1: artifact.parts[0].file needs exactly one of 'bytes' and 'uri'"],
    [artifact({ kind: 'video' }), 'event 1: artifact.parts[0].kind must be one of text, file, data'],
    [
      artifact({ text: 'a', raw: 'YQ==' }),
      "event 1: artifact.parts[0] needs a 'kind', or exactly one of text, raw, url, data",
    ],
    [{ statusUpdate: { status: { state: 'TASK_STATE_DONE' } } }, 'event 1: statusUpdate.status.state must be one of'],
    [null, 'event 1: must be an object'],
    // An event that could never be sent is an error, not one that is dropped.
    [{ kind: 'task', status: { state: 'completed' } }, 'event 2: comes after the end of the task and cannot be sent'],
  ])('%j', (event, message) => {
    const read = readTurns([[], [WORKING, event as never, WORKING]])
    expect(read).toMatchObject({ ok: false, message: expect.stringContaining(`turn 1, ${message}`) })
  })

  test('both shapes of an event mean the same', () => {
    const old = readTurns([
      [
        {
          kind: 'artifact-update',
          artifact: {
            artifactId: 'a',
            parts: [{ kind: 'file', file: { name: 'r.csv', mimeType: 'text/csv', bytes: 'YQ==' } }],
          },
        },
      ],
    ])
    const now = readTurns([
      [
        {
          artifactUpdate: {
            artifact: { artifactId: 'a', parts: [{ raw: 'YQ==', filename: 'r.csv', mediaType: 'text/csv' }] },
          },
        },
      ],
    ])
    const eventOf = (read: typeof old) => {
      const step = read.ok ? read.turns[0]?.[0] : undefined
      return step?.is === 'event' ? step.event.render(undefined as never) : undefined
    }
    expect(eventOf(old)).toEqual(eventOf(now))
  })
})
