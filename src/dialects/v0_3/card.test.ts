import { describe, expect, test } from 'vitest'
import type { AgentCard } from '../../model/card.ts'
import { v0_3 } from './dialect.ts'

const card: AgentCard = {
  name: 'A',
  description: 'd',
  version: '1',
  supportedInterfaces: [{ url: 'http://127.0.0.1/a', protocolBinding: 'JSONRPC', protocolVersion: '0.3' }],
  capabilities: {},
  defaultInputModes: ['text/plain'],
  defaultOutputModes: ['text/plain'],
  skills: [],
}

describe('writing', () => {
  test('a card of 1.0 that names no older interface offers 0.3 in the same places', () => {
    const wire = v0_3.card.encode({
      ...card,
      supportedInterfaces: [{ url: 'http://127.0.0.1/a', protocolBinding: 'HTTP+JSON', protocolVersion: '1.0' }],
    }).wire
    expect(wire).toMatchObject({ protocolVersion: '0.3.0', url: 'http://127.0.0.1/a', preferredTransport: 'HTTP+JSON' })
    expect(wire).not.toHaveProperty('supportedInterfaces')
    expect(v0_3.card.issues(wire)).toEqual([])
  })

  test('only older interfaces are named where there are any', () => {
    const newer = { url: 'http://127.0.0.1/b', protocolBinding: 'JSONRPC', protocolVersion: '1.0' }
    const { wire, lost } = v0_3.card.encode({ ...card, supportedInterfaces: [newer, ...card.supportedInterfaces] })
    expect(wire).toMatchObject({ url: 'http://127.0.0.1/a' })
    expect(lost).toMatchObject([{ pointer: '/supportedInterfaces/0' }])
  })

  test('what 0.3 cannot declare is reported', () => {
    const { wire, lost } = v0_3.card.encode({
      ...card,
      signatures: [{ protected: 'p', signature: 's' }],
      securitySchemes: {
        o: {
          oauth2SecurityScheme: {
            flows: { authorizationCode: { authorizationUrl: 'a', tokenUrl: 't', scopes: {}, pkceRequired: true } },
          },
        },
      },
    })
    expect(v0_3.card.issues(wire)).toEqual([])
    expect(lost.map((loss) => loss.pointer)).toEqual([
      '/securitySchemes/o/oauth2SecurityScheme/flows/authorizationCode/pkceRequired',
      '/signatures',
    ])
  })

  test('members nobody knows stay, as the reference agents need', () => {
    const capabilities = { streaming: true, supportsStreaming: true }
    expect(v0_3.card.encode({ ...card, capabilities }).wire).toMatchObject({ capabilities })
  })
})

describe('reading', () => {
  test('a card before 0.2.5 has no version and speaks JSON-RPC', () => {
    const wire = { name: 'A', url: 'http://127.0.0.1/', skills: [{ id: 's', name: 'S' }] }
    expect(v0_3.card.decode(wire)).toMatchObject({
      ok: true,
      value: {
        supportedInterfaces: [{ url: 'http://127.0.0.1/', protocolBinding: 'JSONRPC', protocolVersion: '0.2' }],
        skills: [{ id: 's', tags: [] }],
      },
    })
  })

  test('the main interface repeated among the additional ones is one interface', () => {
    const { wire } = v0_3.card.encode(card)
    const additionalInterfaces = [
      { url: 'http://127.0.0.1/a', transport: 'JSONRPC' },
      { url: 'http://127.0.0.1/g', transport: 'GRPC' },
    ]
    const decoded = v0_3.card.decode({ ...(wire as object), additionalInterfaces })
    expect(decoded.ok && decoded.value.supportedInterfaces.map((entry) => entry.protocolBinding)).toEqual([
      'JSONRPC',
      'GRPC',
    ])
  })
})
