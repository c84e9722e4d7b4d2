import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readSse, type SseEvent, SseTooLarge } from './sse-reader.ts'

async function readAll(chunks: Iterable<Uint8Array>, maxEventLength?: number): Promise<SseEvent[]> {
  async function* bytes() {
    yield* chunks
  }
  const events: SseEvent[] = []
  const options = maxEventLength === undefined ? {} : { maxEventLength }
  for await (const event of readSse(bytes(), options)) events.push(event)
  return events
}

const event = (data: string, more: Partial<SseEvent> = {}) => ({ event: undefined, id: undefined, data, ...more })

describe('readSse', () => {
  test.each([
    ['LF', 'data: a\n\ndata: b\n\n'],
    ['CR', 'data: a\r\rdata: b\r\r'],
    ['CRLF', 'data: a\r\n\r\ndata: b\r\n\r\n'],
    ['a byte order mark', '\ufeffdata: a\n\ndata: b\n\n'],
    ['comments and retry', ': hello\nretry: 5\ndata: a\n\n:\n\ndata:b\n\n'],
  ])('reads %s, whatever the chunks', async (_, text) => {
    const bytes = Buffer.from(text)
    expect(await readAll([bytes])).toEqual([event('a'), event('b')])
    expect(await readAll([...bytes].map((byte) => Buffer.of(byte)))).toEqual([event('a'), event('b')])
  })

  test('joins data lines, and keeps event and id', async () => {
    expect(await readAll([Buffer.from('event: e\nid: 1\ndata: a\ndata: b\n\n')])).toEqual([
      event('a\nb', { event: 'e', id: '1' }),
    ])
  })

  test('puts split characters together', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'grapheme', minLength: 1 }), fc.nat(40), async (data, cut) => {
        fc.pre(!/[\r\n]/.test(data))
        const bytes = Buffer.from(`data: ${data}\n\n`)
        const at = Math.min(cut, bytes.length)
        expect(await readAll([bytes.subarray(0, at), bytes.subarray(at)])).toEqual([event(data)])
      }),
    )
  })

  test('does not deliver an event the stream cut off', async () => {
    expect(await readAll([Buffer.from('data: a\n\ndata: b\n')])).toEqual([event('a')])
  })

  test.each([
    ['one endless line', Buffer.from('data: xxxxxxxxxx')],
    ['endless data lines', Buffer.from('data: xxx\n')],
  ])('stops at the limit: %s', async (_, chunk) => {
    function* endless() {
      for (;;) yield chunk
    }
    await expect(readAll(endless(), 1_000)).rejects.toThrow(SseTooLarge)
  })

  test('stops at an event that is too large although it came in one piece', async () => {
    await expect(readAll([Buffer.from(`data: ${'x'.repeat(1_001)}\n\n`)], 1_000)).rejects.toThrow(SseTooLarge)
  })
})
