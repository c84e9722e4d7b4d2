import { createServer } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { Http2Client } from './http2-client.ts'

const IDLE_MS = 20

test('a session that has just ended is not used again', async () => {
  let sessions = 0
  const server = createServer((_, response) => response.end('yes'))
  server.on('session', () => sessions++)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
  const client = new Http2Client({ idleMs: IDLE_MS })
  const ask = () =>
    new Promise<string>((resolve, reject) => {
      let text = ''
      const onBytes = (chunk: Buffer) => {
        text += chunk.toString()
      }
      const onEnd = (error: Error | undefined) => resolve(error === undefined ? text : error.message)
      client
        .request({ url, headers: [], body: Buffer.from('?') }, { onHead() {}, onBytes, onTrailers() {}, onEnd })
        .catch(reject)
    })
  expect(await ask()).toBe('yes')
  // The time of the session and our own run out together, while nobody could look: ours is served right after.
  const second = new Promise<string>((resolve, reject) => {
    setTimeout(() => void ask().then(resolve, reject), IDLE_MS + 1)
  })
  const blockedUntil = performance.now() + IDLE_MS * 3
  while (performance.now() < blockedUntil);
  expect(await second).toBe('yes')
  expect(sessions).toBe(2)
  client.close()
  await new Promise((resolve) => server.close(resolve))
})
