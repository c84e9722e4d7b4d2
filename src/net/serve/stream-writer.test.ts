import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { connect } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { createListener, type Listener } from './http-listener.ts'
import { StreamWriter } from './stream-writer.ts'

let listener: Listener | undefined

afterEach(() => listener?.close({ graceMs: 0 }))

/** What `write` says to a response, as it arrives on a raw socket; `read` false for a peer that takes nothing. */
async function stream(write: (writer: StreamWriter, res: ServerResponse) => void | Promise<void>, reads = true) {
  const written = Promise.withResolvers<void>()
  listener = createListener(async (_req, res) => {
    res.writeHead(200)
    // Who reads must not be cut by a machine that is busy.
    await write(new StreamWriter(res, reads ? 10_000 : 50), res)
    written.resolve()
  })
  const { port } = await listener.listen({ port: 0 })
  const socket = connect({ port, host: '127.0.0.1' })
  socket.write('GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n')
  let text = ''
  if (reads) socket.on('data', (chunk) => (text += chunk.toString()))
  else socket.pause()
  if (reads) await once(socket, 'close')
  await written.promise
  socket.destroy()
  return text.slice(text.indexOf('\r\n\r\n') + 4)
}

test('what is said in one turn of the event loop is one chunk', async () => {
  const body = await stream((writer) => {
    for (const text of ['one,', 'two,', 'three']) writer.write(text)
    writer.end()
  })
  expect(body).toBe('d\r\none,two,three\r\n0\r\n\r\n')
})

test('what is said in a later turn is a chunk of its own, in order', async () => {
  const body = await stream(async (writer) => {
    writer.write('one')
    await new Promise((resolve) => setImmediate(resolve))
    writer.write('two')
    writer.end()
  })
  expect(body).toBe('3\r\none\r\n3\r\ntwo\r\n0\r\n\r\n')
})

test('more than fits is waited for, and nothing is lost', async () => {
  const line = `${'x'.repeat(999)}\n`
  let waits = 0
  const body = await stream(async (writer) => {
    for (let n = 0; n < 10_000; n++) {
      writer.write(line)
      if (!writer.isFull) continue
      waits++
      await writer.drained()
    }
    writer.end()
  })
  expect(waits).toBeGreaterThan(100)
  expect(body.split('x\n')).toHaveLength(10_001)
})

test('a reader that takes nothing is disconnected', async () => {
  let wasDestroyed = false
  const say = async (writer: StreamWriter, res: ServerResponse) => {
    while (!res.destroyed) {
      writer.write('x'.repeat(100_000))
      if (writer.isFull) await writer.drained()
    }
    wasDestroyed = true
  }
  await stream(say, false)
  expect(wasDestroyed).toBe(true)
})

test('a reader that does not take the end is disconnected', async () => {
  let isWhole = true
  const say = async (writer: StreamWriter, res: ServerResponse) => {
    writer.write('x'.repeat(32 * 1024 * 1024))
    writer.end()
    await once(res, 'close')
    isWhole = res.writableFinished
  }
  await stream(say, false)
  expect(isWhole).toBe(false)
})
