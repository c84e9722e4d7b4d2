import { describe, expect, test } from 'vitest'
import { chooseInterface, type InterfacePreference } from './choose-interface.ts'
import type { DeclaredInterface } from './recognise.ts'

function declared(protocolBinding: string, protocolVersion: string | undefined, url = 'https://a.example/x') {
  const place = { url, shapedLike: '1.0', tenant: undefined, pointer: '' } as const
  const entry: DeclaredInterface = { ...place, protocolBinding, protocolVersion }
  return entry
}

function chosen(interfaces: DeclaredInterface[], preference?: InterfacePreference) {
  return chooseInterface(interfaces, preference).candidates.map(
    ({ dialect, binding, isDeclared }) => `${binding} ${dialect.id}${isDeclared ? '' : '?'}`,
  )
}

describe('chooseInterface', () => {
  test('takes what is declared in card order, then older dialects, then newer ones', () => {
    expect(chosen([declared('HTTP+JSON', '0.3'), declared('JSONRPC', '1.0')])).toEqual([
      'rest 0.3',
      'jsonrpc 1.0',
      'jsonrpc 0.3?',
      'jsonrpc 0.1?',
      'rest 1.0?',
    ])
  })

  test.each([
    ['1.0', '1.0'],
    ['1.0.1', '1.0'],
    ['1', '1.0'],
    [undefined, '1.0'],
    ['0.3.0', '0.3'],
    ['0.2.5', '0.3'],
    ['0.1.0', '0.1'],
  ])('reads the version %s as dialect %s', (version, dialect) => {
    expect(chosen([declared('JSONRPC', version)])[0]).toBe(`jsonrpc ${dialect}`)
  })

  test('keeps to the transport that was asked for', () => {
    const both = [declared('JSONRPC', '1.0'), declared('HTTP+JSON', '1.0')]
    expect(chosen(both, { transports: ['rest'] })[0]).toBe('rest 1.0')
  })

  test('keeps to the version that was asked for and never leaves it', () => {
    expect(chosen([declared('JSONRPC', '1.0'), declared('JSONRPC', '0.3')], { versions: ['0.3'] })).toEqual([
      'jsonrpc 0.3',
    ])
  })

  test('speaks a version that was asked for even where the card does not declare it', () => {
    expect(chosen([declared('JSONRPC', '1.0')], { versions: ['0.3'] })).toEqual(['jsonrpc 0.3?'])
  })

  test('says why an interface was passed over', () => {
    const { candidates, passedOver } = chooseInterface([
      declared('CARRIER-PIGEON', '1.0'),
      declared('JSONRPC', '1.0', 'relative/path'),
      declared('JSONRPC', '7.0'),
    ])
    expect(passedOver.map(({ because }) => because)).toEqual([
      'Parley does not speak CARRIER-PIGEON',
      'its url is not an absolute http or https URL',
      'Parley does not speak A2A 7.0',
    ])
    expect(candidates.every(({ isDeclared }) => !isDeclared)).toBe(true)
  })
})
