import { describe, expect, test } from 'vitest'
import { readSse } from '../sse-reader.ts'
import { sseFrame } from './sse-frame.ts'

async function roundTrip(frame: string) {
  async function* bytes() {
    yield Buffer.from(frame)
  }
  const events = []
  for await (const event of readSse(bytes())) events.push(event)
  return events
}

describe('sseFrame', () => {
  test('frames a line as it is', () => {
    expect(sseFrame('{"a":1}')).toBe('data: {"a":1}\n\n')
    expect(sseFrame('x', { event: 'update', id: 7 })).toBe('event: update\nid: 7\ndata: x\n\n')
  })

  test.each(['a\nb', 'a\rb', 'a\r\nb', '\n', 'x\n\ndata: y', 'x\nid: 9\nevent: z', 'a\u2028b', 'data: id: 1', ' lead'])(
    'carries %j to the reader as one event',
    async (data) => {
      expect(await roundTrip(sseFrame(data, { id: 'i' }))).toEqual([
        { event: undefined, id: 'i', data: data.replace(/\r\n|\r/g, '\n') },
      ])
    },
  )

  test.each(['a\nb', 'a\rb', 'a\0b'])('refuses %j as event or id', (value) => {
    expect(() => sseFrame('x', { event: value })).toThrow(/event/)
    expect(() => sseFrame('x', { id: value })).toThrow(/id/)
  })
})
