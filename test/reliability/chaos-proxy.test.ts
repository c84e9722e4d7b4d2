// The instrument is tested before what it measures: each toxic does what it says to a plain TCP echo.

import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { ChaosProxy } from './chaos-proxy.ts'

let echo: Server
let proxy: ChaosProxy

beforeEach(async () => {
  echo = createServer((socket) => socket.on('error', () => {}).pipe(socket)).listen(0, '127.0.0.1')
  await once(echo, 'listening')
  proxy = await ChaosProxy.start((echo.address() as AddressInfo).port)
})

afterEach(async () => {
  await proxy.close()
  echo.close()
})

function dial(): Socket {
  return connect(proxy.port, '127.0.0.1')
}

/** What comes back until the connection ends, and how it ended. */
function transcript(socket: Socket): Promise<{ text: string; error: string | undefined }> {
  const { promise, resolve } = Promise.withResolvers<{ text: string; error: string | undefined }>()
  let text = ''
  let error: string | undefined
  socket.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk
  })
  socket.on('error', (problem: NodeJS.ErrnoException) => {
    error = problem.code
  })
  socket.on('close', () => resolve({ text, error }))
  return promise
}

/** What comes back within so many milliseconds, or silence. */
function within(ms: number, seen: Promise<unknown>): Promise<unknown> {
  return Promise.race([seen, new Promise((resolve) => setTimeout(resolve, ms, 'silence'))])
}

test('healthy: bytes pass both ways', async () => {
  const socket = dial()
  socket.end('hello')
  expect(await transcript(socket)).toEqual({ text: 'hello', error: undefined })
})

test('latency delays, bandwidth paces', async () => {
  await proxy.set({ kind: 'latency', ms: 40 })
  const late = dial()
  late.end('x')
  expect(await within(75, transcript(late))).toBe('silence')
  await proxy.set({ kind: 'bandwidth', bytesPerSecond: 10_000 })
  const slow = dial()
  slow.end('x'.repeat(500))
  expect(await within(95, transcript(slow))).toBe('silence')
})

test('down cuts and refuses, and the port comes back', async () => {
  const open = dial()
  await once(open, 'connect')
  const ended = transcript(open)
  await proxy.set({ kind: 'down' })
  await ended
  expect((await transcript(dial())).error).toBe('ECONNREFUSED')
  await proxy.set()
  const again = dial()
  again.end('back')
  expect((await transcript(again)).text).toBe('back')
})

test('timeout is a black hole until it is removed', async () => {
  await proxy.set({ kind: 'timeout' })
  const socket = dial()
  const seen = transcript(socket)
  socket.end('kept')
  expect(await within(50, seen)).toBe('silence')
  await proxy.set()
  expect((await seen).text).toBe('kept')
})

test('reset_peer resets, limit_data cuts, slow_close lingers, slicer loses nothing', async () => {
  await proxy.set({ kind: 'reset_peer', afterMs: 5 })
  expect((await transcript(dial())).error).toBe('ECONNRESET')
  await proxy.set({ kind: 'limit_data', bytes: 3 })
  const limited = dial()
  limited.write('abcdef')
  expect((await transcript(limited)).text).not.toContain('d')
  await proxy.set({ kind: 'slow_close', ms: 40 })
  const lingering = dial()
  lingering.end('bye')
  expect(await within(75, transcript(lingering))).toBe('silence')
  await proxy.set({ kind: 'slicer', bytes: 1 })
  const sliced = dial()
  sliced.end('one byte at a time')
  expect((await transcript(sliced)).text).toBe('one byte at a time')
})
