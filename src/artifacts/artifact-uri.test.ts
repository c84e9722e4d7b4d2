import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { findArtifactUris, formatArtifactUri, ownsArtifact, parseArtifactUri } from './artifact-uri.ts'

const KEY = { app: 'app', user: 'ann@example.com', session: 's 1', name: '../a b/ü.csv' }

describe('the URI', () => {
  test('is percent-encoded', () => {
    expect(formatArtifactUri({ ...KEY, version: 2 })).toBe(
      'artifact://app/ann%40example.com/s%201/..%2Fa%20b%2F%C3%BC.csv?version=2',
    )
  })

  test('means the same both ways, for any names', () => {
    const part = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 }).filter((value) => value.isWellFormed())
    const version = fc.oneof(fc.constant('latest' as const), fc.nat())
    fc.assert(
      fc.property(fc.record({ app: part, user: part, session: part, name: part, version }), (reference) => {
        const uri = formatArtifactUri(reference)
        expect(parseArtifactUri(uri)).toEqual(reference)
        expect(findArtifactUris(`see (${uri}), please`)).toEqual([uri])
      }),
    )
  })

  test.each([
    'http://app/u/s/n',
    'artifact://app/u/s',
    'artifact://app/u/s/n/extra',
    'artifact://app//s/n',
    'artifact://app/u/s/n?version=01',
    'artifact://app/u/s/n?version=-1',
    'artifact://app/u/s/n?v=1',
    'artifact://app/u/s/n#x',
    'artifact://app/u/s/n?version=1?version=2',
    'artifact://app/u/s/%ff',
    'artifact://app/u/s/a b',
    'artifact://app/u/s/%2',
  ])('refuses %s', (uri) => {
    expect(() => parseArtifactUri(uri)).toThrow(/is not an artifact URI/)
  })
})

test("another user's URI is refused", () => {
  const caller = { app: 'app', user: 'ann@example.com' }
  expect(ownsArtifact(caller, KEY)).toBe(true)
  expect(ownsArtifact({ ...caller, user: 'bob' }, KEY)).toBe(false)
  expect(ownsArtifact({ ...caller, app: 'other' }, KEY)).toBe(false)
  expect(ownsArtifact({ ...caller, session: 'other' }, KEY)).toBe(false)
  expect(ownsArtifact({ ...caller, session: 'other' }, { ...KEY, name: 'user:n' })).toBe(true)
})
