import { describe, expect, test } from 'vitest'
import type { Exchange } from '../../trace/exchange.ts'
import { limitOf, Patience } from './rate-limit.ts'

const NOW = Date.parse('2026-01-01T00:00:00Z')

function answered(status: number, headers: readonly [string, string][] = [], body = '', sent = 10): Exchange {
  const bytes = (text: string) => new TextEncoder().encode(text)
  return {
    ...{ id: 'x', startedAt: '' },
    request: { method: 'POST', url: 'http://127.0.0.1:9/', headers: [], body: new Uint8Array(sent) },
    response: { status, headers, body: bytes(body) },
  }
}

function overGrpc(code: string, metadata: readonly [string, string][] = [], sent = 10): Exchange {
  const { request, response, ...rest } = answered(200, [], '', sent)
  const trailers: [string, string][] = [['grpc-status', code], ...metadata]
  if (response === undefined) throw new Error('there is an answer')
  return {
    ...rest,
    ...{ protocol: 'grpc', request: { ...request, rpc: 'x', message: undefined }, response: { ...response, trailers } },
  }
}

const RETRY_INFO = '{"error":{"details":[{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"2.5s"}]}}'

describe('turned away', () => {
  test.each<[string, Exchange, string, number | undefined]>([
    ['seconds', answered(429, [['Retry-After', '30']]), 'HTTP 429, Retry-After: 30', 30_000],
    ['nothing said', answered(429), 'HTTP 429', 1_000],
    [
      'a date',
      answered(503, [['retry-after', 'Thu, 01 Jan 2026 00:00:05 GMT']]),
      'HTTP 503, Retry-After: Thu, 01 Jan 2026 00:00:05 GMT',
      5_000,
    ],
    ['a detail', answered(503, [], RETRY_INFO), 'HTTP 503, Retry-After: 2.5', 2_500],
    ['an error of JSON-RPC', answered(200, [['Retry-After', '1']], '{"error":{}}'), 'an error, Retry-After: 1', 1_000],
    ['gRPC', overGrpc('8'), 'gRPC RESOURCE_EXHAUSTED', 1_000],
    ['gRPC that is away', overGrpc('14', [['retry-after', '0']]), 'gRPC UNAVAILABLE, Retry-After: 0', 0],
    ['payment', answered(402, [['Retry-After', '1']]), 'HTTP 402', undefined],
  ])('%s', (_, exchange, words, waitMs) => {
    expect(limitOf(exchange, NOW)).toMatchObject({ words, waitMs })
  })

  test.each<[string, Exchange]>([
    ['an agent that is broken', answered(503)],
    ['an internal error', answered(500, [['Retry-After', '1']], '{"error":{}}')],
    ['a result', answered(200, [['Retry-After', '1']], '{"result":{}}')],
    ['gRPC that is broken', overGrpc('14')],
    ['gRPC and a request of another size', overGrpc('8', [], 100_000)],
  ])('not by %s', (_, exchange) => {
    expect(limitOf(exchange, NOW)).toBeUndefined()
  })
})

test('who is told to wait for long does not, and nobody waits for ever', () => {
  const patience = new Patience(() => {})
  const limit = (waitMs: number | undefined) => ({ reason: '', words: '', waitMs, isAdvised: true })
  expect(patience.mayRepeat('a', limit(60_000), 0)).toBe(false)
  expect(patience.mayRepeat('a', limit(undefined), 0)).toBe(false)
  expect(patience.mayRepeat('a', limit(0), 5)).toBe(false)
  let origins = 0
  while (patience.mayRepeat(`origin ${origins}`, limit(9_000), 0)) origins++
  expect(origins).toBe(13)
})
