import { describe, expect, test } from 'vitest'
import type { Exchange } from '../trace/exchange.ts'
import { Manners, type Refusal } from './manners.ts'
import { DEFAULT_SETTINGS } from './settings.ts'

const HOME = 'http://127.0.0.1:9'
const ELSEWHERE = 'http://127.0.0.1:10'

function mannersOf(enter: (origin: string) => Promise<Refusal | undefined> = async () => undefined): Manners {
  return new Manners({ ...DEFAULT_SETTINGS, allowsPrivate: true }, { origin: HOME, enter })
}

function answered(status: number, { url = `${HOME}/`, wait }: { url?: string; wait?: string } = {}): Exchange {
  return {
    ...{ id: 'x', startedAt: '', request: { method: 'POST', url, headers: [], body: new Uint8Array() } },
    response: { status, headers: wait === undefined ? [] : [['Retry-After', wait]], body: new Uint8Array() },
  }
}

function overGrpc(code: string): Exchange {
  const { request, response, ...rest } = answered(200)
  if (response === undefined) throw new Error('there is an answer')
  const trailers: [string, string][] = [['grpc-status', code]]
  return {
    ...rest,
    ...{ protocol: 'grpc', request: { ...request, rpc: 'x', message: undefined }, response: { ...response, trailers } },
  }
}

describe('the manners of a run', () => {
  test('the addresses of a name are looked up once', async () => {
    const { reach } = mannersOf()
    const first = await reach(new URL('http://localhost:9/card'))
    expect(first).toBeTypeOf('function')
    expect(await reach(new URL('http://localhost:9/call'))).toBe(first)
  })

  test.each<[string, Exchange, Partial<Refusal>]>([
    ['429', answered(429), { kind: 'throttled', waitMs: undefined, words: 'HTTP 429' }],
    ['429 with a wish', answered(429, { wait: '30' }), { kind: 'throttled', waitMs: 30_000 }],
    ['503 with a wish', answered(503, { wait: '30' }), { kind: 'throttled', waitMs: 30_000 }],
    ['a wish for ever', answered(429, { wait: '9999999999' }), { kind: 'throttled', waitMs: 86_400_000 }],
    ['a wish for nothing', answered(429, { wait: '0' }), { kind: 'throttled', waitMs: 1_000 }],
    ['402', answered(402), { kind: 'payment' }],
    ['gRPC', overGrpc('8'), { kind: 'throttled', words: 'gRPC RESOURCE_EXHAUSTED' }],
    ['another host', answered(429, { url: `${ELSEWHERE}/a` }), { kind: 'throttled', origin: ELSEWHERE }],
  ])('ends after %s, and sends nothing more', async (_, exchange, refusal) => {
    const manners = mannersOf()
    manners.onExchange(exchange)
    expect(manners.refusal).toMatchObject(refusal)
    expect(manners.signal.aborted).toBe(true)
    await expect(manners.reach(new URL(HOME))).rejects.toThrow('The host is to be left alone for now.')
  })

  test.each<[string, Exchange]>([
    ['503 without a wish', answered(503)],
    ['an answer', answered(200)],
    ['a broken gRPC server', overGrpc('14')],
  ])('goes on after %s', (_, exchange) => {
    const manners = mannersOf()
    manners.onExchange(exchange)
    expect(manners.refusal).toBeUndefined()
  })

  test('asks once to speak to another host, and never for its own', async () => {
    const asked: string[] = []
    const manners = mannersOf(async (origin) => {
      asked.push(origin)
      return undefined
    })
    for (const url of [`${HOME}/a`, `${ELSEWHERE}/a`, `${ELSEWHERE}/b`]) await manners.reach(new URL(url))
    expect(asked).toEqual([ELSEWHERE])
  })

  test('ends where another host is occupied', async () => {
    const refusal: Refusal = { kind: 'occupied', origin: ELSEWHERE, waitMs: 5, words: '' }
    const manners = mannersOf(async () => refusal)
    await expect(manners.reach(new URL(ELSEWHERE))).rejects.toThrow('The host is to be left alone for now.')
    expect(manners.refusal).toBe(refusal)
  })
})
