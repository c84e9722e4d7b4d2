// Answers over Fetch: streams that are pulled, kept alive, given up, and what a request tells of itself.

import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { type FetchHandlerOptions, fetchHandler } from './fetch-handler.ts'
import { HttpFault } from './http-fault.ts'
import { readBody } from './read-body.ts'
import type { Feed, Piece, Reply } from './reply.ts'
import type { ServerRequest } from './request.ts'

const URL_HERE = 'http://localhost:1/a?b=c'

/** A feed of these pieces, which then waits for ever or ends. */
function feedOf(pieces: readonly Piece[], ending: 'end' | 'wait' | Error = 'end') {
  const state = { pulled: 0, closed: 0 }
  const feed: Feed<Piece> = {
    next: () => {
      const piece = pieces[state.pulled++]
      if (piece !== undefined) return piece
      if (ending instanceof Error) throw ending
      return ending === 'end' ? undefined : new Promise(() => {})
    },
    close: () => state.closed++,
  }
  return { feed, state }
}

function answerWith(reply: Reply, options?: FetchHandlerOptions, request = new Request(URL_HERE)): Promise<Response> {
  return fetchHandler(() => reply, options)(request)
}

function events(feed: Feed<Piece>): Reply {
  return { status: 200, headers: ['Content-Type', 'text/event-stream'], body: { kind: 'events', feed } }
}

describe('a whole answer', () => {
  test('keeps status, headers in order, and is counted', async () => {
    const response = await answerWith({ status: 418, headers: ['X-One', '1', 'X-One', '2'], body: 'grün' })
    expect([response.status, response.headers.get('x-one'), response.headers.get('content-length')]).toEqual([
      418,
      '1, 2',
      '5',
    ])
    expect(await response.text()).toBe('grün')
  })

  test('to a HEAD has its length and no body', async () => {
    const response = await answerWith(
      { status: 200, headers: [], body: 'four' },
      {},
      new Request(URL_HERE, { method: 'HEAD' }),
    )
    expect([response.headers.get('content-length'), response.body]).toEqual(['4', null])
  })

  test('what the handler throws is told to the operator, not to the client', async () => {
    const seen: unknown[] = []
    const bug = new Error('secret detail')
    const broken = fetchHandler(() => Promise.reject(bug), { onError: (error) => seen.push(error) })
    const response = await broken(new Request(URL_HERE))
    expect([response.status, await response.text()]).toEqual([500, expect.not.stringContaining('secret')])
    expect(seen).toEqual([bug])
  })
})

describe('a feed', () => {
  test('is pulled as it is read, and closed at its end', async () => {
    const { feed, state } = feedOf(['data: 1\n\n', Buffer.from('data: 2\n\n')])
    const response = await answerWith(events(feed))
    expect(state.pulled).toBe(0)
    expect(await response.text()).toBe('data: 1\n\ndata: 2\n\n')
    expect(state).toEqual({ pulled: 3, closed: 1 })
  })

  test('is closed when its reader leaves', async () => {
    const { feed, state } = feedOf(['data: 1\n\n'], 'wait')
    const reader = (await answerWith(events(feed))).body?.getReader()
    await reader?.read()
    await reader?.cancel()
    expect(state.closed).toBe(1)
  })

  test('is closed when the request is aborted', async () => {
    const { feed, state } = feedOf([], 'wait')
    const leaving = new AbortController()
    await answerWith(events(feed), {}, new Request(URL_HERE, { signal: leaving.signal }))
    leaving.abort()
    expect(state.closed).toBe(1)
  })

  test('that breaks off is an error to its reader, after what came before', async () => {
    const { feed, state } = feedOf(['data: 1\n\n'], new Error('gone'))
    const reader = (await answerWith(events(feed))).body?.getReader()
    expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe('data: 1\n\n')
    await expect(reader?.read()).rejects.toThrow()
    expect(state.closed).toBe(1)
  })

  test('to a HEAD is not begun', async () => {
    const { feed, state } = feedOf(['x'])
    const response = await answerWith(events(feed), {}, new Request(URL_HERE, { method: 'HEAD' }))
    expect([response.body, state]).toEqual([null, { pulled: 0, closed: 1 }])
  })

  describe('in time', () => {
    beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'setTimeout', 'clearTimeout'] }))
    afterEach(() => void vi.useRealTimers())

    test('gets comments while it is silent, and collects none for who does not read', async () => {
      const { feed } = feedOf(['data: 1\n\n'], 'wait')
      const reader = (await answerWith(events(feed), { keepAliveMs: 1_000 })).body?.getReader()
      await reader?.read()
      const silent = reader?.read()
      vi.advanceTimersByTime(1_000)
      expect(Buffer.from((await silent)?.value ?? []).toString()).toBe(':\n\n')
      vi.advanceTimersByTime(5_000)
      expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe(':\n\n')
      const next = reader?.read()
      vi.advanceTimersByTime(1_000)
      expect(Buffer.from((await next)?.value ?? []).toString()).toBe(':\n\n')
      await reader?.cancel()
    })

    test('that nobody reads is given up', async () => {
      const { feed, state } = feedOf(['data: 1\n\n', 'data: 2\n\n'], 'wait')
      const reader = (await answerWith(events(feed), { stallTimeoutMs: 1_000 })).body?.getReader()
      await reader?.read()
      await nextTurn()
      vi.advanceTimersByTime(1_000)
      expect(state.closed).toBe(1)
      await expect(reader?.read()).rejects.toThrow('This stream was not read')
    })
  })
})

describe('a request', () => {
  async function received(request: Request, peer?: { address: string }): Promise<ServerRequest> {
    const got = Promise.withResolvers<ServerRequest>()
    await fetchHandler((each) => {
      got.resolve(each)
      return { status: 204, headers: [] }
    })(request, { peer })
    return got.promise
  }

  test('tells path, query, headers and who calls, as far as its host says so', async () => {
    const request = await received(new Request(URL_HERE, { headers: { 'X-One': '1' } }), { address: '192.0.2.1' })
    expect(request).toMatchObject({ method: 'GET', path: '/a', query: 'b=c', url: '/a?b=c' })
    expect([request.headers['x-one'], request.rawHeaders]).toEqual(['1', ['x-one', '1']])
    expect(request.peer.address).toBe('192.0.2.1')
    expect((await received(new Request(URL_HERE))).peer.address).toBeUndefined()
  })

  test.each([
    ['http://localhost:1/', 'http://localhost:1'],
    ['http://127.0.0.1:8/', 'http://127.0.0.1:8'],
    ['http://[::1]:8/', 'http://[::1]:8'],
    ['https://agents.example.com/', undefined],
    ['http://127.evil.example/', undefined],
    ['http://10.0.0.1/', undefined],
  ])('to %s arrived at %s', async (url, origin) => {
    expect((await received(new Request(url))).origin).toBe(origin)
  })

  async function bodyOf(body: string | ReadableStream, maxBytes: number): Promise<string | number> {
    const request = new Request(URL_HERE, { method: 'POST', body, ...{ duplex: 'half' } })
    const response = await fetchHandler(async (each) => {
      try {
        return { status: 200, headers: [], body: await readBody(each, maxBytes) }
      } catch (error) {
        return { status: error instanceof HttpFault ? error.status : 500, headers: [] }
      }
    })(request)
    return response.status === 200 ? response.text() : response.status
  }

  test('has a body that is read within the limit', async () => {
    expect(await bodyOf('hello', 5)).toBe('hello')
    expect(await bodyOf('hello', 4)).toBe(413)
    let cancelled = false
    const endless = new ReadableStream({
      pull: (controller) => controller.enqueue(Buffer.alloc(1_000)),
      cancel: () => {
        cancelled = true
      },
    })
    expect(await bodyOf(endless, 10_000)).toBe(413)
    expect(cancelled).toBe(true)
  })
})
