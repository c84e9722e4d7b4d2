import { describe, expect, test } from 'vitest'
import type { Operation } from '../../model/operation.ts'
import type { NetErrorCode } from '../../net/net-error.ts'
import { Calls } from './calls.ts'
import { type Death, Pulse, type Sign } from './pulse.ts'

const AGENT = 'http://127.0.0.1:1'

/** A run in which time stands still unless moved, and the agent answers the question with the signs given. */
function watch(...signs: Sign[]) {
  const deaths: Death[] = []
  const patience: number[] = []
  let now = 0
  const pulse = new Pulse({
    ask(origin, patienceMs) {
      if (origin !== AGENT) return undefined
      patience.push(patienceMs)
      return Promise.resolve(signs.shift() ?? 'alive')
    },
    onDeath: (death) => deaths.push(death),
    pause: () => Promise.resolve(),
    now: () => now,
    timeoutMs: 60_000,
  })
  const calls = new Calls([pulse], () => now)
  const begin = (label: string, { op, isPlain = true, url = AGENT, timeoutMs = 60_000 }: Sent = {}) =>
    calls.begin({ method: 'POST', url, headers: [], body: undefined, label, isPlain, ...(op && { op }) }, timeoutMs)
  const end = (call: ReturnType<typeof begin>, outcome: number | NetErrorCode) => {
    const { method, url, headers } = call.request
    const exchange = { id: call.label, startedAt: '', request: { method, url, headers, body: new Uint8Array() } }
    if (typeof outcome === 'string') return calls.end(call, exchange, outcome)
    return calls.end(
      call,
      { ...exchange, response: { status: outcome, headers: [], body: new Uint8Array() } },
      undefined,
    )
  }
  return {
    deaths,
    patience,
    begin,
    end,
    pass(ms: number) {
      now += ms
    },
  }
}

interface Sent {
  op?: Operation
  isPlain?: boolean
  url?: string
  timeoutMs?: number
}

describe('an agent lives', () => {
  test('that answers the question after a lost connection', async () => {
    const { deaths, begin, end, patience } = watch('alive')
    await end(begin('one'), 'reset')
    expect(patience).toHaveLength(1)
    expect(deaths).toEqual([])
  })

  test('that works at one thing for a long time, but answered somebody not long ago', async () => {
    const { deaths, begin, end, pass } = watch('silent')
    const [late, busy] = [begin('late'), begin('busy')]
    pass(40_000)
    await end(busy, 200)
    pass(20_000)
    await end(late, 'timeout')
    expect(deaths).toEqual([])
  })

  test('that is busy for longer than the question waits, but answers somebody meanwhile', async () => {
    const { deaths, begin, end, pass } = watch('silent')
    const [late, busy] = [begin('late', { timeoutMs: 2_000 }), begin('busy')]
    pass(2_000)
    const noticed = end(late, 'timeout')
    pass(30_000)
    await end(busy, 200)
    await noticed
    expect(deaths).toEqual([])
  })

  test('that a gateway calls unavailable for a moment', async () => {
    const { deaths, begin, end } = watch('lost', 'alive')
    await end(begin('one'), 503)
    expect(deaths).toEqual([])
  })

  test('when it is somebody else who cannot be reached', async () => {
    const { deaths, begin, end } = watch('refused')
    await end(begin('webhook', { url: 'http://127.0.0.1:2' }), 'unreachable')
    expect(deaths).toEqual([])
  })

  test('when we ended the call ourselves', async () => {
    const { deaths, begin, end, patience } = watch('silent')
    await end(begin('one'), 'aborted')
    expect([deaths, patience]).toEqual([[], []])
  })
})

test('the question waits as long as the longest call may take, so that a busy agent is not given up', async () => {
  const { begin, end, patience } = watch('alive', 'alive')
  await end(begin('short', { timeoutMs: 2_000 }), 'timeout')
  await end(begin('long'), 'timeout')
  expect(patience).toEqual([73_000, 15_000])
})

describe('the request after which it happened', () => {
  test('is the first that lost its connection when nobody listens any more', async () => {
    const { deaths, begin, end, pass } = watch('refused', 'refused')
    await end(begin('before'), 200)
    const calls = ['first', 'second', 'third'].map((label) => {
      pass(1)
      return begin(label)
    })
    await end(calls[2] ?? begin(''), 'unreachable')
    expect(deaths).toMatchObject([
      { how: 'gone', origin: AGENT, call: { label: 'first' }, others: [{ label: 'second' }] },
    ])
  })

  test('is the last one answered when no connection was lost', async () => {
    const { deaths, begin, end } = watch('refused', 'refused')
    await end(begin('before'), 200)
    await end(begin('deadly'), 200)
    await end(begin('after'), 'unreachable')
    expect(deaths).toMatchObject([{ how: 'gone', call: { label: 'deadly' }, others: [] }])
  })

  test('is the first that was sent about when the last answer came, when nobody answers any more', async () => {
    const { deaths, begin, end, pass } = watch('silent')
    const slow = begin('slow since long')
    pass(5_000)
    await end(begin('answered'), 200)
    const deadly = begin('deadly')
    pass(60_000)
    await end(begin('later'), 'timeout')
    expect([slow.label, deadly.label]).toHaveLength(2)
    expect(deaths).toMatchObject([
      { how: 'silent', call: { label: 'deadly' }, others: [{ label: 'later' }, { label: 'slow since long' }] },
    ])
  })

  test('is told once', async () => {
    const { deaths, begin, end } = watch('silent', 'silent', 'silent')
    await Promise.all([begin('a'), begin('b'), begin('c')].map((call) => end(call, 'timeout')))
    expect(deaths).toHaveLength(1)
  })
})

test('an agent that comes back after a moment was gone: it does not know its tasks any more', async () => {
  const { deaths, begin, end } = watch('refused', 'alive')
  await end(begin('deadly'), 'reset')
  expect(deaths).toMatchObject([{ how: 'back' }])
})

describe('an operation that is not answered three times in a row', () => {
  const send: Sent = { op: 'sendMessage' }

  async function unanswered(run: ReturnType<typeof watch>, times: number, sent: Sent): Promise<void> {
    for (let at = 0; at < times; at++) {
      const call = run.begin('SendMessage', sent)
      run.pass(60_000)
      await run.end(call, 'timeout')
    }
  }

  test('is stuck when it was answered before', async () => {
    const run = watch('alive', 'alive')
    await run.end(run.begin('SendMessage', send), 200)
    await unanswered(run, 3, send)
    expect(run.deaths).toMatchObject([{ how: 'stuck', call: { label: 'SendMessage' } }])
  })

  test('is not, when the calls waited together: an agent with one turn at a time lets the last ones run out', async () => {
    const run = watch('alive', 'alive', 'alive')
    await run.end(run.begin('SendMessage', send), 200)
    const calls = Array.from({ length: 7 }, () => run.begin('SendMessage', send))
    run.pass(60_000)
    for (const call of calls) await run.end(call, 'timeout')
    expect(run.deaths).toEqual([])
    expect(() => run.begin('SendMessage', send)).not.toThrow()
  })

  test('is not tried again when it never was', async () => {
    const run = watch('alive', 'alive', 'alive')
    await unanswered(run, 3, send)
    expect(run.deaths).toEqual([])
    expect(() => run.begin('SendMessage', send)).toThrow('SendMessage was not answered 3 times in a row')
    expect(() => run.begin('GetTask', { op: 'getTask' })).not.toThrow()
  })

  test('is not, when the requests were broken on purpose', async () => {
    const run = watch('alive', 'alive', 'alive')
    await run.end(run.begin('SendMessage', send), 200)
    await unanswered(run, 3, { ...send, isPlain: false })
    expect(run.deaths).toEqual([])
    expect(() => run.begin('SendMessage', send)).not.toThrow()
  })
})
