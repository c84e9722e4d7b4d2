import { describe, expect, test } from 'vitest'
import { A2AError } from '../model/errors.ts'
import { type MountGenerations, type RequestFacts, selectDialect } from './select.ts'

const lenient: MountGenerations = { dialects: ['1.0', '0.3'], unversionedAs: '1.0' }
const strict: MountGenerations = { dialects: ['1.0'], unversionedAs: undefined }
const strictBoth: MountGenerations = { dialects: ['1.0', '0.3'], unversionedAs: undefined }
const native03: MountGenerations = { dialects: ['0.3'], unversionedAs: undefined }
const legacy: MountGenerations = { dialects: ['0.1'], unversionedAs: undefined }
const everything: MountGenerations = { dialects: ['1.0', '0.3', '0.1'], unversionedAs: '1.0' }

const request: RequestFacts = { version: undefined, method: undefined, hasV1Prefix: false }

function spoken(facts: Partial<RequestFacts>, mount: MountGenerations): string {
  const selected = selectDialect({ ...request, ...facts }, mount)
  return selected instanceof A2AError ? selected.kind : selected.id
}

describe('a request that names its version', () => {
  test.each([
    ['1.0', lenient, '1.0'],
    ['0.3', lenient, '0.3'],
    // A patch number must not matter (1.0 §3.6).
    ['1.0.1', strict, '1.0'],
    ['0.3.0', lenient, '0.3'],
    ['1.9', lenient, 'VersionNotSupported'],
    ['99.0', lenient, 'VersionNotSupported'],
    ['1', lenient, 'VersionNotSupported'],
    ['banana', lenient, 'VersionNotSupported'],
    ['1.0, 0.3', lenient, 'VersionNotSupported'],
    ['0.3', strict, 'VersionNotSupported'],
    ['1.0', native03, 'VersionNotSupported'],
  ] as const)('%s', (version, mount, expected) => {
    expect(spoken({ version, method: 'SendMessage' }, mount)).toBe(expected)
    expect(spoken({ version }, mount)).toBe(expected)
    expect(spoken({ version, hasV1Prefix: true }, mount)).toBe(expected)
  })
})

describe('a JSON-RPC request without a version', () => {
  test.each([
    ['message/send', lenient, '0.3'],
    ['tasks/get', lenient, '0.3'],
    ['SendMessage', lenient, '1.0'],
    ['SendMessage', strict, 'VersionNotSupported'],
    ['SendMessage', strictBoth, '0.3'],
    ['message/send', strict, 'VersionNotSupported'],
    ['message/send', native03, '0.3'],
    ['tasks/send', legacy, '0.1'],
    ['tasks/get', legacy, '0.1'],
    ['nonsense', legacy, '0.1'],
    ['tasks/send', everything, '0.1'],
    ['tasks/get', everything, '0.3'],
    ['message/send', everything, '0.3'],
    ['GetTask', everything, '1.0'],
  ] as const)('%s', (method, mount, expected) => {
    expect(spoken({ method }, mount)).toBe(expected)
  })
})

describe('a REST request without a version', () => {
  test.each([
    [false, lenient, '1.0'],
    [true, lenient, '0.3'],
    [false, strict, 'VersionNotSupported'],
    [false, strictBoth, '0.3'],
    [true, strictBoth, '0.3'],
    [true, { dialects: ['1.0'], unversionedAs: '1.0' }, '1.0'],
  ] as const)('with /v1: %s', (hasV1Prefix, mount, expected) => {
    expect(spoken({ hasV1Prefix }, mount)).toBe(expected)
  })
})

test('an explicitly empty version is 0.3 even where an absent one is forgiven', () => {
  expect(spoken({ version: '', method: 'SendMessage' }, lenient)).toBe('0.3')
  expect(spoken({ version: '', method: 'SendMessage' }, strict)).toBe('VersionNotSupported')
})

test('a refusal says what is spoken here', () => {
  const refused = selectDialect({ ...request, version: '2.0' }, lenient)
  expect(refused).toMatchObject({ options: { metadata: { supportedVersions: '1.0, 0.3' } } })
})
