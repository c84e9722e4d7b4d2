import { describe, expect, test } from 'vitest'
import type { AgentCard } from '../model/card.ts'
import { Credentials } from './credentials.ts'

const HOME = 'https://agent.example'

function cardWithKey(name: string, location = 'header'): AgentCard {
  return {
    name: 'A',
    description: '',
    version: '1',
    supportedInterfaces: [],
    capabilities: {},
    defaultInputModes: [],
    defaultOutputModes: [],
    skills: [],
    securitySchemes: { key: { apiKeySecurityScheme: { name, location } } },
  }
}

describe('Credentials', () => {
  test('go to the origin they were given for', () => {
    const credentials = new Credentials({ bearer: 't', headers: [['X-Team', 'blue']] }, HOME)
    expect(credentials.headersFor(`${HOME}/rpc`)).toEqual([
      ['X-Team', 'blue'],
      ['Authorization', 'Bearer t'],
    ])
  })

  test.each(['https://other.example/rpc', 'http://agent.example/rpc', 'https://agent.example:8443/rpc'])(
    'do not follow a card to %s, and the refusal does not repeat them',
    (url) => {
      const credentials = new Credentials({ bearer: 'hunter2' }, HOME)
      expect(() => credentials.headersFor(url)).toThrow(/^(?!.*hunter2).*not where your credentials belong/)
    },
  )

  test('go where the user says, too', () => {
    const credentials = new Credentials({ bearer: 't', allowOrigins: ['https://other.example/any/path'] }, HOME)
    expect(credentials.headersFor('https://other.example/rpc')).toEqual([['Authorization', 'Bearer t']])
  })

  test('go nowhere when the card is a file, unless the user says so', () => {
    expect(() => new Credentials({ bearer: 't' }, undefined).headersFor(`${HOME}/rpc`)).toThrow('credentials')
  })

  test('nothing to keep means nothing to refuse', () => {
    expect(new Credentials({}, HOME).headersFor('https://other.example')).toEqual([])
  })

  test('an API key goes into the header the card names', () => {
    const credentials = new Credentials({ apiKey: 'k' }, HOME)
    expect(credentials.headersFor(HOME, cardWithKey('X-Agent-Key'))).toEqual([['X-Agent-Key', 'k']])
  })

  test('an API key waits for the card', () => {
    expect(new Credentials({ apiKey: 'k' }, HOME).headersFor(HOME)).toEqual([])
  })

  test.each(['Host', 'Cookie', 'Content-Length', 'transfer-encoding', 'X-Forwarded-For', 'Accept', 'X\r\nHost'])(
    'a card cannot put the API key into %j',
    (name) => {
      const credentials = new Credentials({ apiKey: 'k' }, HOME)
      expect(() => credentials.headersFor(HOME, cardWithKey(name))).toThrow('not a header for keys')
    },
  )

  test.each(['query', 'cookie'])('an API key is not put into the %s', (place) => {
    const credentials = new Credentials({ apiKey: 'k' }, HOME)
    expect(() => credentials.headersFor(HOME, cardWithKey('key', place))).toThrow(place)
  })

  test.each(['Host', 'Content-Length', 'bad name'])('refuses to send the header %j for the user', (name) => {
    expect(() => new Credentials({ headers: [[name, 'x']] }, HOME)).toThrow('cannot be sent')
  })
})
