import { describe, expect, test } from 'vitest'
import { recognise } from './recognise.ts'

const COMMON = { name: 'A', description: 'a', version: '1', capabilities: {}, skills: [] }

describe('recognise', () => {
  test('reads a 1.0 card by its supportedInterfaces, in card order', () => {
    const { readings, interfaces } = recognise({
      ...COMMON,
      supportedInterfaces: [
        { url: 'https://a.example/rest', protocolBinding: 'HTTP+JSON', protocolVersion: '1.0', tenant: 'blue' },
        { url: 'https://a.example/rpc', protocolBinding: 'JSONRPC', protocolVersion: '0.3' },
      ],
    })
    expect(readings.map((reading) => reading.dialect)).toEqual(['1.0'])
    expect(interfaces.map(({ url, tenant }) => [url, tenant])).toEqual([
      ['https://a.example/rest', 'blue'],
      ['https://a.example/rpc', undefined],
    ])
  })

  test('reads a 0.3 card and names its preferred endpoint once', () => {
    const { readings, interfaces } = recognise({
      ...COMMON,
      protocolVersion: '0.3.0',
      url: 'https://a.example/rpc',
      preferredTransport: 'JSONRPC',
      additionalInterfaces: [
        { url: 'https://a.example/rpc', transport: 'JSONRPC' },
        { url: 'https://a.example/rest', transport: 'HTTP+JSON' },
      ],
    })
    expect(readings.map((reading) => reading.dialect)).toEqual(['0.3'])
    expect(interfaces.map(({ pointer }) => pointer)).toEqual(['/url', '/additionalInterfaces/1'])
  })

  test('reads a card before 0.2.5, which has no protocolVersion, by what came with message/send', () => {
    const { readings } = recognise({ ...COMMON, url: 'https://a.example', security: [] })
    expect(readings).toMatchObject([{ dialect: '0.3', isCertain: true }])
  })

  test('keeps both readings of a card that looks alike in two generations', () => {
    const { readings, interfaces } = recognise({ ...COMMON, url: 'https://a.example', defaultInputModes: ['text'] })
    expect(readings).toMatchObject([
      { dialect: '0.3', isCertain: false },
      { dialect: '0.1', isCertain: false },
    ])
    expect(interfaces).toMatchObject([{ protocolVersion: undefined, shapedLike: '0.3' }])
  })

  test('reads a tasks/send card by its authentication member, even when it lists default modes', () => {
    const { readings, interfaces } = recognise({
      ...COMMON,
      url: 'https://a.example',
      authentication: { schemes: ['bearer'] },
      defaultInputModes: ['text'],
    })
    expect(readings.map((reading) => reading.dialect)).toEqual(['0.1'])
    expect(interfaces[0]).toMatchObject({ protocolVersion: undefined, shapedLike: '0.1' })
  })

  test('reads a blended card both ways, the newer first', () => {
    const { readings, interfaces } = recognise({
      ...COMMON,
      protocolVersion: '0.3.0',
      url: 'https://a.example/old',
      preferredTransport: 'JSONRPC',
      supportedInterfaces: [{ url: 'https://a.example/new', protocolBinding: 'JSONRPC', protocolVersion: '1.0' }],
    })
    expect(readings.map((reading) => reading.dialect)).toEqual(['1.0', '0.3'])
    expect(interfaces.map(({ url }) => url)).toEqual(['https://a.example/new', 'https://a.example/old'])
  })

  test.each([null, 'card', [], {}, { name: 'A' }, { error: 'not found' }])('finds no agent card in %j', (json) => {
    expect(recognise(json).readings).toEqual([])
  })
})
