import { expect, test } from 'vitest'
import type { JsonValue } from '../model/json.ts'
import type { Exchange } from './exchange.ts'
import { fromHar, toHar } from './har.ts'

const exchange: Exchange = {
  id: 'x1',
  startedAt: '2026-01-01T00:00:00.000Z',
  request: {
    method: 'POST',
    url: 'http://127.0.0.1:1/rpc?a=b',
    headers: [['Content-Type', 'application/json']],
    body: Buffer.from('{"a":1}'),
  },
  response: {
    status: 200,
    headers: [['Content-Type', 'text/event-stream']],
    body: Buffer.from('id: 1\ndata: {"x":1}\n\ndata: y\n\n'),
    frames: [
      { atMs: 3, event: undefined, id: '1', data: '{"x":1}' },
      { atMs: 9, event: undefined, id: undefined, data: 'y' },
    ],
  },
  durationMs: 12,
}
const binary: Exchange = {
  ...exchange,
  id: 'x2',
  response: { status: 200, headers: [], body: Buffer.from([0xff, 0x00]), incomplete: 'cut' },
  failure: 'reset',
}

const copied = (har: object) => JSON.parse(JSON.stringify(har)) as JsonValue

test('a recording survives the way to HAR and back', () => {
  expect(fromHar(copied(toHar([exchange, binary], '1')), 'a.har')).toEqual([exchange, binary])
})

test('streams of other tools get their frames from the body', () => {
  const har = toHar([exchange], '1')
  const text = JSON.stringify(har).replace(/,"_frames":\[.*?\]/, '')
  const [read] = fromHar(JSON.parse(text) as JsonValue, 'a.har')
  expect(read?.response?.frames?.map(({ id, data }) => [id, data])).toEqual([
    ['1', '{"x":1}'],
    [undefined, 'y'],
  ])
})

test('what is no HAR is named', () => {
  expect(() => fromHar({ log: {} }, 'a.har')).toThrow('a.har is not a HAR file: it has no log.entries.')
  expect(() => fromHar({ log: { entries: [{}] } }, 'a.har')).toThrow('entry 1 has no request')
})
