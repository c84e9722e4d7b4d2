import { once } from 'node:events'
import { connect } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { createListener, type Listener } from './http-listener.ts'
import { KeepAlive } from './keep-alive.ts'
import { sseFrame } from './sse-frame.ts'

describe('KeepAlive', () => {
  let listener: Listener | undefined
  afterEach(() => listener?.close({ graceMs: 0 }))

  test('writes comments to an idle stream, and forgets it when it closes', async () => {
    const keepAlive = new KeepAlive({ intervalMs: 30 })
    const closed = Promise.withResolvers<void>()
    listener = createListener((_req, res) => {
      res.flushHeaders()
      keepAlive.add(res)
      res.on('close', () => closed.resolve())
    })
    const { url } = await listener.listen({ port: 0 })
    const response = await fetch(url)
    const reader = response.body?.getReader()
    for (let seen = 0; seen < 3; seen++) {
      const chunk = await reader?.read()
      expect(Buffer.from(chunk?.value ?? []).toString()).toMatch(/^(:\n\n)+$/)
    }
    expect(keepAlive.size).toBe(1)
    await reader?.cancel()
    await closed.promise
    expect(keepAlive.size).toBe(0)
  })

  test('disconnects a peer that stopped reading', async () => {
    const keepAlive = new KeepAlive({ intervalMs: 30 })
    const closed = Promise.withResolvers<void>()
    listener = createListener((_req, res) => {
      res.flushHeaders()
      keepAlive.add(res)
      res.on('close', () => closed.resolve())
      const block = sseFrame('x'.repeat(1024 * 1024))
      for (let count = 0; count < 32; count++) res.write(block)
    })
    const { port } = await listener.listen({ port: 0 })
    const socket = connect(port, '127.0.0.1')
    socket.on('error', () => {})
    await once(socket, 'connect')
    socket.pause()
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
    await closed.promise
    expect(keepAlive.size).toBe(0)
    socket.destroy()
  })

  test('can be taken out by hand, twice without harm', async () => {
    const keepAlive = new KeepAlive({ intervalMs: 30 })
    const sizes: number[] = []
    listener = createListener((_req, res) => {
      const remove = keepAlive.add(res)
      remove()
      remove()
      sizes.push(keepAlive.size)
      res.end()
    })
    const { url } = await listener.listen({ port: 0 })
    await (await fetch(url)).text()
    expect(sizes).toEqual([0])
  })
})
