// What a card declares and nobody can use is a failure that names it, and never drops out in silence.

import { afterEach, describe, expect, test } from 'vitest'
import { certify, resultsOf } from '../../src/judge/index.ts'
import type { ListeningPeer } from '../peers/listen.ts'
import { startTinyAgent } from './tiny-agent.ts'

let agent: ListeningPeer

afterEach(() => agent.close())

interface Entry {
  url: string
  protocolBinding: string
  protocolVersion: string
}

async function accuracyWith(change: (own: Entry) => unknown[]) {
  agent = await startTinyAgent({
    card: (card) => {
      const [own] = card.supportedInterfaces as [Entry]
      return { ...card, supportedInterfaces: change(own) }
    },
  })
  const report = await certify(agent.url, { only: ['card-interfaces-accurate', 'get-task-unknown'], timeoutMs: 5_000 })
  const results = resultsOf(report)
  return {
    accurate: results.find(({ test }) => test === 'card-interfaces-accurate'),
    judged: results.filter(({ test }) => test === 'get-task-unknown').map(({ verdict }) => verdict),
  }
}

describe('an interface nobody can use', () => {
  test.each([
    ['a misspelled version', { protocolVersion: 'v1.0' }, '"v1.0" is not a protocol version'],
    ['a version of one number', { protocolVersion: '1' }, '"1" is not a protocol version'],
    ['a path that is not served', { path: 'nowhere' }, 'it answers HTTP 404'],
  ])('for %s fails beside one that works', async (_, difference, reason) => {
    const { path = '', ...members } = difference as Partial<Entry> & { path?: string }
    const other = (own: Entry) => ({
      ...own,
      ...members,
      url: `${own.url}${path}`,
      protocolBinding: 'HTTP+JSON',
      ...members,
    })
    const { accurate, judged } = await accuracyWith((own) => [own, other(own)])
    expect(accurate?.verdict).toBe('fail')
    expect(accurate?.message).toContain(reason)
    expect(accurate?.pointer).toBe('/supportedInterfaces/1')
    expect(judged).toEqual(['pass'])
  })

  test('for a misspelled binding is told by the check of binding names', async () => {
    const { accurate, judged } = await accuracyWith((own) => [own, { ...own, protocolBinding: 'JSON-RPC' }])
    expect(accurate?.verdict).toBe('not-measured')
    expect(accurate?.blockedBy).toBe('card-binding-token@1.0')
    expect(judged).toEqual(['pass'])
  })

  test('because nothing speaks gRPC there fails', async () => {
    const { accurate } = await accuracyWith((own) => [own, { ...own, url: '127.0.0.1:1', protocolBinding: 'GRPC' }])
    expect(accurate?.verdict).toBe('fail')
    expect(accurate?.pointer).toBe('/supportedInterfaces/1')
  })

  test('of a kind that was judged already fails as well', async () => {
    const { accurate } = await accuracyWith((own) => [own, { ...own, url: own.url.replace('http:', 'https:') }])
    expect(accurate?.verdict).toBe('fail')
    expect(accurate?.pointer).toBe('/supportedInterfaces/1')
  })

  test('because it refuses the version the card declares fails', async () => {
    agent = await startTinyAgent({
      card: (card) => {
        const [own] = card.supportedInterfaces as [Entry]
        return { ...card, supportedInterfaces: [own, { ...own, protocolVersion: '1.7' }] }
      },
      intercept: (request, response) => {
        if (request.headers['a2a-version'] !== '1.7') return false
        response.writeHead(200, { 'Content-Type': 'application/json' })
        response.end('{"jsonrpc":"2.0","id":1,"error":{"code":-32009,"message":"1.0 only"}}')
        return true
      },
    })
    const [accurate] = resultsOf(await certify(agent.url, { only: ['card-interfaces-accurate'], timeoutMs: 5_000 }))
    expect(accurate?.verdict).toBe('fail')
    expect(accurate?.message).toContain('does not support this version')
  })
})

describe('an interface that is merely not judged', () => {
  test.each([
    ['a custom binding', { url: 'amqp://example.com/queue', protocolBinding: 'https://example.com/bindings/queue/v1' }],
    ['a second one of the same kind', {}],
    ['a version that is newer than the judge', { protocolVersion: '1.7' }],
  ])('because it is %s fails nobody', async (_, difference) => {
    const { accurate, judged } = await accuracyWith((own) => [own, { ...own, ...difference }])
    expect(accurate?.verdict).toBe('pass')
    expect(judged).toEqual(['pass'])
  })
})
