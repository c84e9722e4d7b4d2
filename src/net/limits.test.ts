import { describe, expect, test } from 'vitest'
import { ParleyError } from '../model/errors.ts'
import { checkLimits, DEFAULT_LIMITS, type Limits, MAX_BODY_BYTES } from './limits.ts'

describe('checkLimits', () => {
  test('gives the defaults', () => {
    expect(checkLimits()).toEqual(DEFAULT_LIMITS)
  })

  test('lets the string limit follow the body limit, unless it is given', () => {
    expect(checkLimits({ bodyBytes: 8_000_000 }).jsonStringLength).toBe(8_000_000)
    expect(checkLimits({ bodyBytes: 8_000_000, jsonStringLength: 10 }).jsonStringLength).toBe(10)
  })

  test('LIM-TIME: a socket that never finishes its request is gone in 12 s by default, with a second to spare', () => {
    // Retried by the peer's operating system when too many connect at once.
    const handshakeMs = 1_000
    const { headersTimeoutMs, connectionsCheckingIntervalMs } = DEFAULT_LIMITS
    expect(handshakeMs + headersTimeoutMs + connectionsCheckingIntervalMs).toBeLessThanOrEqual(11_000)
  })

  test.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY])(
    'refuses %s, so that no limit can be lifted',
    (value) => {
      for (const name of Object.keys(DEFAULT_LIMITS)) {
        expect(() => checkLimits({ [name]: value })).toThrow(ParleyError)
      }
    },
  )

  test('refuses a body larger than memory should hold', () => {
    expect(() => checkLimits({ bodyBytes: MAX_BODY_BYTES + 1 })).toThrow(/at most/)
  })

  test('refuses an unknown name and says which exist', () => {
    const misspelt = { bodyByte: 1 } as Partial<Limits>
    expect(() => checkLimits(misspelt)).toThrow(/no limit called 'bodyByte'.*bodyBytes/)
  })
})
