// LIM-TIME at full size and with the limits users get: two thousand sockets that never finish their request.

import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { EmitterProcess } from '../emitter-process.ts'

test('2,000 slow-loris sockets neither stay nor slow a healthy client', async () => {
  await using server = await EmitterProcess.start()
  const { port } = new URL(server.url)
  const begun = performance.now()
  const gone = Array.from({ length: 2_000 }, () => {
    const socket = connect(Number(port), '127.0.0.1')
    socket.on('error', () => {})
    socket.write('POST / HTTP/1.1\r\nHost: x\r\nX-Slow: ')
    const drip = setInterval(() => socket.write('x'), 1_000)
    socket.resume()
    return new Promise<void>((resolve) => {
      socket.once('close', () => {
        clearInterval(drip)
        resolve()
      })
    })
  })
  let areGone = false
  const all = Promise.all(gone).then(() => {
    areGone = true
  })
  const times: number[] = []
  while (!areGone) {
    const asked = performance.now()
    expect((await server.send('events 1 10')).status).toBe(200)
    times.push(performance.now() - asked)
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  await all
  const seconds = (performance.now() - begun) / 1_000
  const p99 = times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.99)] ?? 0
  console.log(
    `LIM-TIME: ${times.length} healthy requests, p99 ${p99.toFixed(0)} ms; all sockets gone after ${seconds.toFixed(1)} s`,
  )
  expect(p99).toBeLessThan(200)
  expect(seconds).toBeLessThan(12)
})
