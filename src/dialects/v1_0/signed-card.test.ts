// The rules of §8.4.1 by its own example and by one card per rule.

import { AgentCard, canonicalizeAgentCard } from '@a2a-js/sdk'
import { describe, expect, test } from 'vitest'
import { signedForm, signedText } from './signed-card.ts'

const MINIMAL = {
  name: 'A',
  description: 'B',
  supportedInterfaces: [{ url: 'https://a.example/', protocolBinding: 'JSONRPC', protocolVersion: '1.0' }],
  version: '1',
  capabilities: {},
  defaultInputModes: ['text/plain'],
  defaultOutputModes: ['text/plain'],
  skills: [{ id: 's', name: 'S', description: 'T', tags: ['t'] }],
}

describe('the text a signature covers', () => {
  test('is that of the example in §8.4.1', () => {
    const capabilities = { streaming: false, pushNotifications: false, extensions: [] }
    expect(signedText({ name: 'Example Agent', description: '', capabilities, skills: [] })).toBe(
      '{"capabilities":{"pushNotifications":false,"streaming":false},"description":"","name":"Example Agent","skills":[]}',
    )
  })

  test('leaves the signatures out', () => {
    expect(signedForm({ name: 'A', signatures: [{ protected: 'x', signature: 'y' }] })).toEqual({ name: 'A' })
  })

  test('keeps empty REQUIRED members at every depth', () => {
    const flows = { clientCredentials: { tokenUrl: 'https://a.example/t', scopes: {}, refreshUrl: '' } }
    const card = { securitySchemes: { o: { oauth2SecurityScheme: { flows } } } }
    expect(signedText(card)).toBe(
      '{"securitySchemes":{"o":{"oauth2SecurityScheme":{"flows":{"clientCredentials":{"scopes":{},"tokenUrl":"https://a.example/t"}}}}}}',
    )
  })

  test('keeps what lies in a Struct as it is', () => {
    const params = { none: null, empty: '', list: [], no: false, number: 1e21 }
    const card = { capabilities: { extensions: [{ uri: 'u', required: false, params }] } }
    expect(signedForm(card)).toEqual({ capabilities: { extensions: [{ uri: 'u', params }] } })
  })

  test('covers unknown members, whatever they are called', () => {
    const card = JSON.parse('{"name":"A","__proto__":{"x":1},"constructor":""}')
    expect(signedText(card)).toBe('{"__proto__":{"x":1},"constructor":"","name":"A"}')
  })

  test('reads null as not set', () => {
    expect(signedForm({ name: 'A', iconUrl: null, provider: null })).toEqual({ name: 'A' })
  })

  test('orders members by UTF-16 code units and escapes no more than it must', () => {
    const params = { '\u{1f600}': 1, '\ufb33': 2, é: 'ü\u2028\u0007' }
    const text = signedText({ capabilities: { extensions: [{ params }] } })
    expect(text).toContain('{"é":"ü\u2028\\u0007","\u{1f600}":1,"\ufb33":2}')
  })
})

test('the reading of the JavaScript SDK is one of the departures', () => {
  const card = {
    ...MINIMAL,
    description: '',
    capabilities: { streaming: false, extensions: [] },
    securityRequirements: [{ schemes: { bearer: { list: [] } } }],
    'x-unknown': true,
  }
  const departed = signedForm(card, { dropsUnknown: true, prunesEmpty: true })
  expect(departed).toEqual(JSON.parse(canonicalizeAgentCard(AgentCard.fromJSON(card))))
})
