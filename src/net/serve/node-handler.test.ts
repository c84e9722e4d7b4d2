// Answers over node:http, byte for byte as they arrive.

import { connect } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { createListener, type Listener } from './http-listener.ts'
import { nodeHandler } from './node-handler.ts'
import type { Feed, NoReply, Piece, Reply } from './reply.ts'

let listener: Listener | undefined
afterEach(() => listener?.close({ graceMs: 0 }))

/** What arrives until the connection closes. */
async function answerTo(reply: Reply | NoReply, method = 'GET'): Promise<{ head: string; body: string }> {
  listener = createListener(nodeHandler(() => reply))
  const { port } = await listener.listen({ port: 0 })
  const socket = connect({ port, host: '127.0.0.1' })
  let text = ''
  socket.on('data', (chunk) => (text += chunk.toString()))
  socket.on('error', () => {})
  socket.write(`${method} / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)
  await new Promise((resolve) => void socket.once('close', resolve))
  const end = text.indexOf('\r\n\r\n')
  return { head: text.slice(0, end), body: text.slice(end + 4) }
}

function feedOf(pieces: readonly Piece[], ending?: Error): Feed<Piece> {
  let at = 0
  return {
    next() {
      const piece = pieces[at++]
      if (piece === undefined && ending !== undefined) throw ending
      return piece
    },
    close() {},
  }
}

describe('a whole answer', () => {
  test.each([
    ['text', 'grün'],
    ['bytes', Buffer.from('grün')],
  ])('of %s is counted', async (_, body) => {
    const { head, body: got } = await answerTo({ status: 200, headers: ['X-One', '1'], body })
    expect(head).toContain('X-One: 1\r\nContent-Length: 5')
    expect(got).toBe('grün')
  })

  test('to a HEAD has its length and no body', async () => {
    const { head, body } = await answerTo({ status: 200, headers: [], body: 'four' }, 'HEAD')
    expect([head.includes('Content-Length: 4'), body]).toEqual([true, ''])
  })

  test.each([204, 304])('%i has no length', async (status) => {
    expect((await answerTo({ status, headers: [] })).head).not.toContain('Content-Length')
  })

  test('with a header that cannot be sent is an internal error', async () => {
    expect((await answerTo({ status: 200, headers: ['X-Bad', 'a\nb'], body: '' })).head).toMatch(/^HTTP\/1\.1 500 /)
  })
})

describe('a feed', () => {
  test('text that is ready together is one chunk, bytes are their own', async () => {
    const feed = feedOf(['a', 'b', Buffer.from('c'), Buffer.from('d'), 'e'])
    const { body } = await answerTo({ status: 200, headers: [], body: { kind: 'events', feed } })
    expect(body).toBe('2\r\nab\r\n1\r\nc\r\n1\r\nd\r\n1\r\ne\r\n0\r\n\r\n')
  })

  test('may end with trailers', async () => {
    const trailers = () => ['grpc-status', '0']
    const body = { kind: 'messages' as const, feed: feedOf([Buffer.from('m')]), trailers }
    const answer = await answerTo({ status: 200, headers: ['Trailer', 'grpc-status'], body })
    expect(answer.body).toBe('1\r\nm\r\n0\r\ngrpc-status: 0\r\n\r\n')
  })

  test('that throws loses the connection after what was sent', async () => {
    const feed = feedOf(['a'], new Error('gone'))
    const { body } = await answerTo({ status: 200, headers: [], body: { kind: 'events', feed } })
    expect(body).toBe('1\r\na\r\n')
  })

  test('to a HEAD is closed unread', async () => {
    let closed = 0
    const feed: Feed<Piece> = { next: () => 'x', close: () => closed++ }
    const { body } = await answerTo({ status: 200, headers: [], body: { kind: 'events', feed } }, 'HEAD')
    expect([body, closed]).toEqual(['', 1])
  })

  test('that has nothing to say yet sends its head', async () => {
    const feed: Feed<Piece> = { next: () => new Promise(() => {}), close() {} }
    listener = createListener(nodeHandler(() => ({ status: 200, headers: [], body: { kind: 'events', feed } })))
    const { url } = await listener.listen({ port: 0 })
    const response = await fetch(url)
    expect(response.status).toBe(200)
    await response.body?.cancel()
  })
})

describe('no answer', () => {
  test.each(['reset', 'close'] as const)('%s ends the connection without a byte', async (ending) => {
    expect(await answerTo({ ending })).toEqual({ head: '', body: '' })
  })
})
