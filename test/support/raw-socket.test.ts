import { once } from 'node:events'
import { createServer, type Server, type Socket } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { sendRaw, statusOf } from './raw-socket.ts'

const servers: Server[] = []
afterEach(() => {
  for (const server of servers.splice(0)) server.close()
})

async function peer(onSocket: (socket: Socket) => void): Promise<{ host: string; port: number }> {
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    socket.on('error', () => {})
    onSocket(socket)
  })
  servers.push(server)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  return { host: '127.0.0.1', port: address !== null && typeof address === 'object' ? address.port : 0 }
}

describe('sendRaw', () => {
  test('sends bytes as they are and collects until the peer closes', async () => {
    const place = await peer((socket) => socket.pipe(socket))
    const bytes = Buffer.from(Array.from({ length: 256 }, (_, index) => index))
    const reply = await sendRaw({ ...place, bytes: [bytes, '\u00ff'], halfClose: true })
    expect(reply.ended).toBe('closed')
    expect(reply.bytes.equals(Buffer.concat([bytes, Buffer.of(0xff)]))).toBe(true)
  })

  test('ends at the deadline when the peer is silent', async () => {
    const place = await peer((socket) => socket.write('a'))
    const reply = await sendRaw({ ...place, bytes: 'x', deadlineMs: 50 })
    expect(reply).toMatchObject({ ended: 'deadline', bytes: Buffer.from('a') })
  })

  test('ends when it has enough', async () => {
    const place = await peer((socket) => socket.write('hello'))
    const reply = await sendRaw({ ...place, bytes: 'x', isEnough: (received) => received.includes('lo') })
    expect(reply.ended).toBe('enough')
  })

  test('never holds more than it was told to', async () => {
    const place = await peer((socket) => {
      const block = Buffer.alloc(65_536)
      const more = () => {
        while (!socket.destroyed && socket.write(block));
      }
      socket.on('drain', more)
      more()
    })
    const reply = await sendRaw({ ...place, bytes: 'x', maxBytes: 1_000 })
    expect(reply.ended).toBe('too-large')
    expect(reply.bytes).toHaveLength(1_000)
  })

  test('reports a reset and an absent peer', async () => {
    const place = await peer((socket) => socket.resetAndDestroy())
    expect((await sendRaw({ ...place, bytes: 'x' })).ended).toBe('reset')
    const [server] = servers.splice(0)
    server?.close()
    expect((await sendRaw({ ...place, bytes: 'x' })).ended).toBe('unreachable')
  })
})

test('statusOf reads the status line only', () => {
  expect(statusOf(Buffer.from('HTTP/1.1 404 Not Found\r\n'))).toBe(404)
  expect(statusOf(Buffer.from('garbage'))).toBeUndefined()
})
