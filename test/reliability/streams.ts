// Many subscribers, slow subscribers, overload and an orderly end, against a server in a process of its own. Sizes are
// parameters: small with every test run, whole in test/reliability/large. Memory and counts are asserted; times are printed.

import { once } from 'node:events'
import { Agent, request as httpRequest } from 'node:http'
import { connect, type Socket } from 'node:net'
import { describe, expect, test } from 'vitest'
import { EmitterProcess } from './emitter-process.ts'
import type { SseView } from './sse-view.ts'

export interface StreamSizes {
  idle: number
  sharers: number
  stopped: number
  stalled: { readers: number; events: number }
  overload: { clients: number; seconds: number }
}

const MIB = 2 ** 20

export function describeStreams(sizes: StreamSizes): void {
  describe('many subscribers', () => {
    test(`SSE-1: ${sizes.idle} idle subscribers cost at most 40 kB each, and are kept alive`, async () => {
      await using server = await EmitterProcess.start({ streamKeepAliveMs: 1_000 })
      const tasks = await inBatches(sizes.idle, () => server.begin('idle'))
      const before = await server.memory()
      const views = await inBatches(sizes.idle, async (n) => opened(server.subscribe(tasks[n]?.id ?? '')))
      const each = ((await server.memory()) - before) / sizes.idle / 1024
      console.log(`SSE-1: ${each.toFixed(1)} KiB a subscriber, ${sizes.idle} of them`)
      expect(each).toBeLessThan(40)
      expect(await server.gauge('parley_open_streams')).toBe(sizes.idle)
      for (const view of views) while (view.comments === 0) await turn()
      for (const view of views) view.close()
      while ((await server.gauge('parley_open_streams')) > 0) await turn()
    })

    test(`SSE-2: ${sizes.sharers} subscribers of one task get 50 events each`, async () => {
      await using server = await EmitterProcess.start()
      const task = await server.begin('ready')
      const views = await inBatches(sizes.sharers, () => opened(server.subscribe(task.id, { isLean: true })))
      const begun = performance.now()
      void server.send('events 50 500', { taskId: task.id })
      await Promise.all(views.map((view) => view.ended))
      const ms = performance.now() - begun
      console.log(`SSE-2: ${sizes.sharers * 50} frames in ${Math.round(ms)} ms`)
      // Working, fifty chunks, completed.
      for (const view of views) expect(view.seqs).toHaveLength(52)
    })

    test(`CRASH-6: SIGTERM with ${sizes.stopped} streams ends them all and exits 0`, async () => {
      await using server = await EmitterProcess.start()
      const task = await server.begin('idle')
      const views = await inBatches(sizes.stopped, () => opened(server.subscribe(task.id)))
      const begun = performance.now()
      const code = await server.stop()
      const ms = performance.now() - begun
      console.log(`CRASH-6: ${sizes.stopped} streams ended in ${Math.round(ms)} ms`)
      expect(code).toBe(0)
      expect(new Set(await Promise.all(views.map((view) => view.ended)))).toEqual(new Set(['end']))
      for (const view of views) expect(view.frames.at(-1)).toMatch(/^id: \d+\n.*TASK_STATE_FAILED.*server stopped/s)
    })
  })

  const { readers, events } = sizes.stalled
  test(`SLOW-1 and SLOW-2: ${readers} stalled readers of ${events} events of 10 kB cost bounded memory, and others read on`, async () => {
    await using server = await EmitterProcess.start()
    const emit = async (stalled: number) => {
      const task = await server.begin('ready')
      const sockets = await inBatches(stalled, () => stalledReader(server.url, task.id))
      const fast = await inBatches(5, () => opened(server.subscribe(task.id, { isLean: true })))
      const begun = performance.now()
      await (await server.send(`events ${events} 10000`, { taskId: task.id })).arrayBuffer()
      await Promise.all(fast.map((view) => view.ended))
      const ms = performance.now() - begun
      for (const view of fast) expect(view.seqs).toHaveLength(events + 2)
      return { ms, sockets }
    }
    // The first run is for the code to get warm and for memory to reach its level with one such task.
    await emit(0)
    const alone = await emit(0)
    const before = await server.memory()
    const among = await emit(readers)
    // The task itself stays in the memory store: as objects, and as the texts its last readers share.
    const own = 2 * events * 10_000
    const growth = ((await server.memory()) - before - own) / MIB
    console.log(
      `SLOW-1: ${growth.toFixed(0)} MiB for ${readers} stalled readers; SLOW-2: fast readers ${Math.round(alone.ms)} ms alone, ${Math.round(among.ms)} ms among them`,
    )
    expect(growth).toBeLessThan(64)
    for (const socket of among.sockets) socket.destroy()
  })

  const { clients, seconds } = sizes.overload
  test(`LOAD-5: ${clients} clients on 20 places for ${seconds} s are served or told to come back`, async () => {
    await using server = await EmitterProcess.start({ maxConcurrentTasks: 20 })
    const served: number[] = []
    const refused: number[] = []
    const until = performance.now() + seconds * 1_000
    const agent = new Agent({ keepAlive: true, maxSockets: clients })
    const client = async () => {
      while (performance.now() < until) {
        const begun = performance.now()
        const { status, retryAfter } = await post(`${server.url}/message:send`, 'events 50 200', agent)
        const ms = performance.now() - begun
        if (status === 200) served.push(ms)
        else {
          expect([429, 503]).toContain(status)
          expect(retryAfter).toBeGreaterThan(0)
          refused.push(ms)
        }
      }
    }
    await Promise.all(Array.from({ length: clients }, client))
    agent.destroy()
    console.log(`LOAD-5: ${served.length} served ${summary(served)}; ${refused.length} refused ${summary(refused)}`)
    expect(served.length).toBeGreaterThan(20)
    expect(refused.length).toBeGreaterThan(0)
  })
}

async function opened(view: SseView): Promise<SseView> {
  expect(await view.opened).toBe(200)
  return view
}

/** Asks for the stream and never reads a byte of it. */
async function stalledReader(url: string, taskId: string): Promise<Socket> {
  const { port, hostname } = new URL(url)
  const socket = connect({ port: Number(port), host: hostname })
  socket.pause()
  socket.on('error', () => {})
  await once(socket, 'connect')
  socket.write(`GET /tasks/${taskId}:subscribe HTTP/1.1\r\nHost: x\r\nA2A-Version: 1.0\r\n\r\n`)
  return socket
}

/** With as little work on our side as possible: client and server share the machine, and it is the server we measure. */
function post(url: string, text: string, agent: Agent): Promise<{ status: number; retryAfter: number }> {
  const body = JSON.stringify({ message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text }] } })
  const headers = { 'Content-Type': 'application/json', 'A2A-Version': '1.0', 'Content-Length': body.length }
  return new Promise((resolve, reject) => {
    const req = httpRequest(url, { method: 'POST', agent, headers }, (res) => {
      res.resume()
      res.once('end', () => resolve({ status: res.statusCode ?? 0, retryAfter: Number(res.headers['retry-after']) }))
    })
    req.once('error', reject)
    req.end(body)
  })
}

async function inBatches<T>(count: number, make: (n: number) => Promise<T>): Promise<T[]> {
  const all: T[] = []
  while (all.length < count) {
    const batch = Array.from({ length: Math.min(50, count - all.length) }, (_, n) => make(all.length + n))
    all.push(...(await Promise.all(batch)))
  }
  return all
}

function percentile(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * share)] ?? 0
}

function summary(values: readonly number[]): string {
  return `in ${Math.round(percentile(values, 0.5))} ms (p99 ${Math.round(percentile(values, 0.99))})`
}

function turn(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 20))
}
