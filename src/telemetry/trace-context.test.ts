import { describe, expect, test } from 'vitest'
import { traceContextIn, traceHeaders, traceIdOf } from './trace-context.ts'

const TRACEPARENT = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'

describe('the trace context of a request', () => {
  test('is passed on as it came', () => {
    const trace = traceContextIn({ traceparent: TRACEPARENT, tracestate: 'a=1,b=2' })
    expect(traceHeaders(trace)).toEqual([
      ['traceparent', TRACEPARENT],
      ['tracestate', 'a=1,b=2'],
    ])
    expect(traceIdOf(trace)).toBe('0af7651916cd43dd8448eb211c80319c')
    expect(traceHeaders(undefined)).toEqual([])
  })

  test('of a later version may be longer', () => {
    expect(traceContextIn({ traceparent: `cc${TRACEPARENT.slice(2)}-what-comes` })).toBeDefined()
  })

  test.each([
    ['none', {}],
    ['the invalid version', { traceparent: `ff${TRACEPARENT.slice(2)}` }],
    ['a trace id of zeros', { traceparent: `00-${'0'.repeat(32)}-b7ad6b7169203331-01` }],
    ['a span id of zeros', { traceparent: `00-0af7651916cd43dd8448eb211c80319c-${'0'.repeat(16)}-01` }],
    ['upper case', { traceparent: TRACEPARENT.toUpperCase() }],
    ['two of them', { traceparent: `${TRACEPARENT}, ${TRACEPARENT}` }],
    ['one that never ends', { traceparent: `01${TRACEPARENT.slice(2)}-${'x'.repeat(1_000)}` }],
  ])('is nothing when there is %s', (_, headers) => {
    expect(traceContextIn(headers)).toBeUndefined()
  })

  test.each([
    ['too long', 'x'.repeat(513)],
    ['not printable', 'a=\u0007'],
  ])('loses a state that is %s', (_, tracestate) => {
    expect(traceContextIn({ traceparent: TRACEPARENT, tracestate })).toEqual({ traceparent: TRACEPARENT })
  })
})
