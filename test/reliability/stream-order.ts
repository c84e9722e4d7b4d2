// SSE-3 to SSE-7 and SSE-9: what a subscriber sees is a contiguous run of what was stored, from wherever it joins or
// resumes, whatever the texts contain. Every history is judged by the checker. Sizes are parameters.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, describe, expect, test } from 'vitest'
import type { Scope } from '../../src/model/scope.ts'
import type { Task } from '../../src/model/task.ts'
import { openStore } from '../../src/server/backend/open.ts'
import type { Agent } from '../../src/server/engine/agent.ts'
import { type A2AServer, createServer, type ServerOptions } from '../../src/server/server.ts'
import type { TaskStore } from '../../src/server/store/task-store.ts'
import { type ObservedTask, type View, violations } from './checker.ts'
import { EMITTER_CARD, emitterAgent } from './emitter-agent.ts'
import { SseView } from './sse-view.ts'

export interface OrderSizes {
  tasks: number
  eventsEach: number
  longStream: number
  disconnects: number
}

const SCOPE: Scope = { agent: '/', tenant: '', subject: 'anonymous' }

export function describeStreamOrder(sizes: OrderSizes): void {
  const seed = Number(process.env.PARLEY_SEED ?? Math.trunc(Math.random() * 2 ** 31))
  const random = seededRandom(seed)
  const folder = mkdtempSync(join(tmpdir(), 'parley-streams-'))
  const open: { server: A2AServer; store: TaskStore }[] = []
  afterEach(async () => {
    for (const { server, store } of open.splice(0)) {
      await server.close({ graceMs: 0 })
      await store.close()
    }
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  async function serve(options: Partial<ServerOptions> & { agent?: Agent; spec?: string } = {}) {
    const { agent = emitterAgent, spec = 'memory', ...rest } = options
    const store = await openStore(spec)
    const server = createServer({ agents: [{ card: EMITTER_CARD, agent }], store, ...rest })
    open.push({ server, store })
    return { url: (await server.listen()).url, server, store }
  }

  test(`SSE-3: ${sizes.tasks} tasks of ${sizes.eventsEach} events, three subscribers each, joining any time`, async () => {
    console.log(`SSE-3: PARLEY_SEED=${seed}`)
    const { url, store } = await serve()
    const views: View[] = []
    const tasks = await Promise.all(
      Array.from({ length: sizes.tasks }, async () => {
        const first = streamMessage(url, `events ${sizes.eventsEach} 20`)
        await first.until(1)
        const id = taskIdOf(first)
        views.push({ taskId: id, seqs: first.seqs })
        const joining = Array.from({ length: 2 }, async () => {
          await first.until(1 + Math.floor(random() * sizes.eventsEach * 0.8))
          const view = new SseView(`${url}/tasks/${id}:subscribe`, id)
          // A task that has ended meanwhile has nothing to follow (1.0 §3.1.6).
          if ((await view.opened) === 200) views.push(view)
          return view.ended
        })
        await Promise.all([first.ended, ...joining])
        return id
      }),
    )
    const observed = await Promise.all(tasks.map((id) => observe(store, id)))
    expect(violations({ acknowledged: [], observed, views })).toEqual([])
    const last = new Map(observed.map(({ snapshot, seq }) => [snapshot.id, seq]))
    for (const { taskId, seqs } of views) expect(seqs.at(-1)).toBe(last.get(taskId))
  })

  test(`SSE-4: one stream of ${sizes.longStream} events does not stall`, async () => {
    const { url } = await serve()
    const view = streamMessage(url, `events ${sizes.longStream} 20`)
    await view.ended
    expect(view.seqs).toEqual(Array.from({ length: sizes.longStream + 2 }, (_, n) => n + 1))
  })

  test(`SSE-5: ${sizes.disconnects} disconnections, and a restart of the server, lose and repeat nothing`, async () => {
    const spec = `sqlite:${join(folder, 'tasks.db')}`
    const { url, server, store } = await serve({ spec })
    const perConnection = 7
    const events = sizes.disconnects * perConnection
    const first = streamMessage(url, `events ${events} 20`)
    await first.until(1)
    const id = taskIdOf(first)
    const seen: number[] = []
    const take = (view: SseView, count: number) => {
      view.close()
      seen.push(...view.seqs.slice(0, count))
    }
    const count = () => 1 + Math.floor(random() * perConnection * 2)
    const resume = (base: string) =>
      new SseView(`${base}/tasks/${id}:subscribe`, id, { headers: { 'Last-Event-ID': String(seen.at(-1) ?? 0) } })
    take(first, 1)
    for (let n = 1; n < sizes.disconnects / 2; n++) {
      const wanted = count()
      const view = resume(url)
      await view.until(wanted)
      take(view, wanted)
    }
    while ((await store.get(SCOPE, id))?.task.status.state !== 'TASK_STATE_COMPLETED') await turn()
    await server.close({ graceMs: 0 })
    const { url: again } = await serve({ spec })
    while (seen.length < events + 2) {
      const wanted = count()
      const view = resume(again)
      await view.until(wanted)
      take(view, wanted)
    }
    expect(seen).toEqual(Array.from({ length: events + 2 }, (_, n) => n + 1))
  })

  describe('SSE-6: a client that disappears', () => {
    test('without a farewell is forgotten, and the task goes on', async () => {
      const { url, store } = await serve({ streamKeepAliveMs: 200 })
      const view = streamMessage(url, 'idle')
      await view.until(1)
      view.close()
      while ((await gauge(url, 'parley_open_streams')) > 0) await turn()
      expect((await store.get(SCOPE, taskIdOf(view)))?.task.status.state).toBe('TASK_STATE_WORKING')
    })

    test('before the agent said anything leaves no stream behind', async () => {
      const { promise: spoken, resolve: speak } = Promise.withResolvers<void>()
      const { url } = await serve({
        limits: { streams: 1 },
        agent: async (message, ctx) => {
          await spoken
          return emitterAgent(message, ctx) as Promise<void>
        },
      })
      const gone = streamMessage(url, 'idle')
      while ((await gauge(url, 'parley_running_tasks\\{agent="/"\\}')) === 0) await turn()
      gone.close()
      await gone.ended
      speak()
      // There is room for one stream only: it is free again, or this never opens.
      for (;;) {
        const next = streamMessage(url, 'events 1 10')
        if ((await next.opened) === 200) break
        await turn()
      }
    })
  })

  describe('SSE-7: texts that look like frames', () => {
    const nasty = [
      'a\nb',
      'a\rb',
      'a\r\nb',
      'x\n\ndata: {"evil":1}\n\n',
      'id: 9\nevent: z',
      'a\u2028b\u2029c',
      '\u0000',
      '🦜',
    ]

    test.each(nasty)('%j comes through in every field, and opens none of its own', async (text) => {
      const agent: Agent = async (_, ctx) => {
        await ctx.status('TASK_STATE_WORKING', text, { metadata: { [text]: text } })
        await ctx.artifact({ artifactId: text, name: text, description: text, parts: [{ text, filename: text }] })
        await ctx.complete(text)
      }
      const { url } = await serve({ agent })
      for (const [path, body] of [
        ['/message:stream', JSON.stringify({ message: saying(text) })],
        [
          '/',
          JSON.stringify({
            jsonrpc: '2.0',
            id: text,
            method: 'SendStreamingMessage',
            params: { message: saying(text) },
          }),
        ],
      ] as const) {
        const view = new SseView(url + path, '', { body })
        await view.ended
        const lines = view.frames.flatMap((frame) => frame.split(/\r\n|\r|\n/))
        for (const line of lines) expect(line).toMatch(/^(id: \d+$|data: \{)/)
        const values = lines.filter((line) => line.startsWith('data: ')).map((line) => JSON.parse(line.slice(6)))
        const strings = JSON.stringify(values)
        expect(strings.split(JSON.stringify(text).slice(1, -1)).length).toBeGreaterThan(8)
        if (path === '/') for (const value of values) expect(value.id).toBe(text)
      }
    })
  })

  test('SSE-9: nobody in between may buffer, and an event is on its way at once', async () => {
    const said: number[] = []
    const agent: Agent = async (_, ctx) => {
      for (let n = 0; n < 20; n++) {
        await new Promise((resolve) => setTimeout(resolve, 5))
        said.push(performance.now())
        await ctx.status('TASK_STATE_WORKING')
      }
    }
    const { url } = await serve({ agent })
    const heard: number[] = []
    const view = streamMessage(url, 'go', () => heard.push(performance.now()))
    await view.ended
    const response = await fetch(`${url}/message:stream`, post({ message: saying('x') }))
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect(response.headers.get('x-accel-buffering')).toBe('no')
    await response.body?.cancel()
    // The first frame is the task itself; the last is its completion.
    const delays = said.map((at, n) => (heard[n + 1] ?? Number.POSITIVE_INFINITY) - at).toSorted((a, b) => a - b)
    console.log(`SSE-9: ${(delays[10] ?? 0).toFixed(1)} ms from the agent to the client (median of 20)`)
    expect(delays[10]).toBeLessThan(50)
  })

  describe('the number of streams is bounded', () => {
    test('for one authenticated caller, who may have another when one is closed', async () => {
      const authenticate: (subject: string) => ServerOptions['agents'] = (subject) => [
        {
          card: EMITTER_CARD,
          agent: emitterAgent,
          authenticate: async (req) => ({ subject: req.headers.from ?? subject }),
        },
      ]
      const { url } = await serve({ agents: authenticate('nobody'), limits: { streamsPerCaller: 3 } })
      const alice = { headers: { From: 'alice' } }
      const open = Array.from({ length: 3 }, () => streamMessage(url, 'idle', undefined, alice))
      for (const view of open) expect(await view.opened).toBe(200)
      const refused = await fetch(`${url}/message:stream`, post({ message: saying('idle') }, alice.headers))
      expect({ status: refused.status, retry: refused.headers.get('retry-after') }).toEqual({ status: 429, retry: '5' })
      expect(await streamMessage(url, 'idle', undefined, { headers: { From: 'bob' } }).opened).toBe(200)
      open[0]?.close()
      while ((await gauge(url, 'parley_open_streams')) > 3) await turn()
      expect(await streamMessage(url, 'idle', undefined, alice).opened).toBe(200)
    })

    test('in all', async () => {
      const { url } = await serve({ limits: { streams: 2 } })
      const open = [streamMessage(url, 'idle'), streamMessage(url, 'idle')]
      for (const view of open) expect(await view.opened).toBe(200)
      expect(await streamMessage(url, 'idle').opened).toBe(429)
    })
  })
}

const saying = (text: string) => ({ messageId: 'm', role: 'ROLE_USER', parts: [{ text }] })

function post(body: object, headers: Readonly<Record<string, string>> = {}): RequestInit {
  return {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'A2A-Version': '1.0', ...headers },
    body: JSON.stringify(body),
  }
}

function streamMessage(
  url: string,
  text: string,
  onFrame?: () => void,
  more: { headers?: Record<string, string> } = {},
) {
  const body = JSON.stringify({ message: saying(text) })
  return new SseView(`${url}/message:stream`, '', { body, ...more, ...(onFrame === undefined ? {} : { onFrame }) })
}

function taskIdOf(view: SseView): string {
  return /"task":\{"id":"([^"]+)"/.exec(view.frames[0] ?? '')?.[1] ?? ''
}

async function observe(store: TaskStore, id: string): Promise<ObservedTask> {
  const record = await store.get(SCOPE, id)
  if (record === undefined) throw new Error(`${id} is lost`)
  const { artifacts: _, history, ...rest } = record.task
  const initial: Task = { ...rest, status: { state: 'TASK_STATE_SUBMITTED' }, history: history?.slice(0, 1) ?? [] }
  const events = (await store.readEvents(SCOPE, id, 0, Number.MAX_SAFE_INTEGER)) ?? []
  return { initial, snapshot: record.task, seq: record.seq, events }
}

async function gauge(url: string, name: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text()
  return Number(new RegExp(`^${name} (.+)$`, 'm').exec(text)?.[1])
}

function turn(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 10))
}

/** Mulberry32. */
function seededRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
