// ISO-MATRIX: whoever is not the owner of a task gets, for every operation, binding, generation, store and state of the
// task, byte for byte the answer to an id that never existed, and leaves no trace. The number of cells is printed and
// may only grow.

import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer as createHttpServer } from 'node:http'
import type { ClientHttp2Session } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { httpStatusOf } from '../../src/bindings/grpc/status.ts'
import type { BindingId, DialectId } from '../../src/dialects/dialect.ts'
import { dialectById } from '../../src/dialects/index.ts'
import type { Operation, OperationTypes } from '../../src/model/operation.ts'
import type { Scope } from '../../src/model/scope.ts'
import { openStore } from '../../src/server/backend/open.ts'
import { type A2AServer, createServer } from '../../src/server/server.ts'
import type { TaskStore } from '../../src/server/store/task-store.ts'
import { describeWithServer } from '../servers/describe-with-server.ts'
import { ownPostgres, ownRedis } from '../servers/own-database.ts'
import { callGrpc, openSession, type RawOptions, textOf } from './grpc-call.ts'
import { CANARY, type Callers, openCallers } from './isolation-callers.ts'
import { callRaw, type RawAnswer, type WireCall, wireCalls } from './wire-calls.ts'

// Thousands of requests, on a machine that may be busy.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 })

const PLACES: readonly { id: DialectId; binding: BindingId; mount: string }[] = [
  { id: '1.0', binding: 'jsonrpc', mount: '/iso' },
  { id: '1.0', binding: 'rest', mount: '/iso' },
  { id: '0.3', binding: 'jsonrpc', mount: '/iso' },
  { id: '0.3', binding: 'rest', mount: '/iso' },
  { id: '1.0', binding: 'grpc', mount: '/iso' },
  { id: '0.3', binding: 'grpc', mount: '/iso' },
  { id: '0.1', binding: 'jsonrpc', mount: '/iso-legacy' },
]
const STATES = ['live', 'input', 'end'] as const
const STRANGERS = ['other user', 'other tenant', 'anonymous', 'expired token'] as const
/** Cells of one store: it may grow, never shrink. */
const CELLS_PER_STORE = 1_260

type State = (typeof STATES)[number]
type Stranger = (typeof STRANGERS)[number]
type Requests = { [O in Operation]?: (taskId: string) => OperationTypes[O]['request'] }

/** Where a stranger's message may reach the agent (it makes a task of its own), the answer must not depend on time. */
const said = (text: string, taskId: string) => ({
  message: { messageId: 'm', role: 'ROLE_USER' as const, parts: [{ text }], taskId },
})

/** Every operation that can name a task. */
const ABOUT_A_TASK: Requests = {
  sendMessage: (id) => said('hold', id),
  streamMessage: (id) => said('ask', id),
  getTask: (id) => ({ id }),
  cancelTask: (id) => ({ id }),
  subscribeTask: (id) => ({ id }),
  createPushConfig: (taskId) => ({ taskId, id: 'c', url: `${hook.url}/${registrar}` }),
  getPushConfig: (taskId) => ({ taskId, id: 'c' }),
  listPushConfigs: (taskId) => ({ taskId }),
  deletePushConfig: (taskId) => ({ taskId, id: 'c' }),
}

interface Cell {
  place: (typeof PLACES)[number]
  op: Operation
  /** The same request for any task. */
  callFor(taskId: string): WireCall
  headers: Readonly<Record<string, string>>
}

function cells(): Cell[] {
  const found: Cell[] = []
  for (const place of PLACES)
    for (const [op, requestFor] of Object.entries(ABOUT_A_TASK) as [Operation, (id: string) => never][]) {
      const dialect = dialectById(place.id)
      const calls = wireCalls(dialect, place.binding, op, requestFor('some-task'))
      for (const index of calls.keys()) {
        const callFor = (id: string) => wireCalls(dialect, place.binding, op, requestFor(id))[index] as WireCall
        found.push({ place, op, callFor, headers: {} })
        if (op === 'subscribeTask') found.push({ place, op, callFor, headers: { 'Last-Event-ID': '0' } })
      }
    }
  return found
}

/** Several at a time; the first failure is the failure. */
async function eachOf<T>(all: readonly T[], work: (one: T) => Promise<void>): Promise<void> {
  const left = all.values()
  const lane = async () => {
    for (const one of left) await work(one)
  }
  await Promise.all(Array.from({ length: 6 }, lane))
}

/** What may differ between two answers of a fair server: the id that was asked for, fresh ids and moments. */
function withoutNames({ status, headers, body }: RawAnswer, id: string): RawAnswer {
  const text = body
    .replaceAll(id, '<id>')
    .replaceAll(encodeURIComponent(id), '<id>')
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[47][0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g, '<uuid>')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>')
  return { status, headers, body: text }
}

/** Where webhooks of the tests arrive; the path says who registered them. */
const hook = { url: '', paths: new Set<string>() }
let registrar = ''
const receiver = createHttpServer((req, res) => {
  hook.paths.add(req.url ?? '')
  res.end()
})
beforeAll(async () => {
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
  hook.url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`
})
afterAll(() => void receiver.close())

const printed: string[] = []
afterAll(() => console.log(`ISO-MATRIX: ${printed.join('; ')}`))

function describeMatrix(store: string, open: () => Promise<string>): void {
  describe(`ISO-MATRIX on ${store}`, () => {
    let callers: Callers
    let tasks: TaskStore
    let server: A2AServer
    let url: string
    let session: ClientHttp2Session
    let owner: Record<string, string>
    const strangers = new Map<Stranger, Record<string, string>>()
    const OWNER: Scope = { agent: 'isolation', tenant: 'acme', subject: 'iso alice' }

    beforeAll(async () => {
      callers = await openCallers()
      const bearer = async (...who: Parameters<Callers['token']>) => ({
        Authorization: `Bearer ${await callers.token(...who)}`,
      })
      owner = await bearer('alice', 'acme')
      strangers.set('other user', await bearer('bob', 'acme'))
      strangers.set('other tenant', await bearer('alice', 'umbrella'))
      strangers.set('anonymous', {})
      strangers.set('expired token', await bearer('alice', 'acme', -60))
      const spec = await open()
      tasks = await openStore(spec)
      const agents = callers.mounts()
      server = createServer({ agents, store: spec === 'memory' ? tasks : spec, allowPrivateNetworks: true, grpc: true })
      url = (await server.listen()).url
      session = openSession(server.grpc.find(({ path }) => path === '/iso')?.port ?? 0)
    })
    afterAll(async () => {
      session.destroy()
      await server.close({ graceMs: 0 })
      await tasks.close()
      callers.close()
    })

    /** gRPC has a port instead of a path; its status is compared as the HTTP status that says the same. */
    async function ask(place: Cell['place'], call: WireCall, options: RawOptions): Promise<RawAnswer> {
      if (place.binding !== 'grpc') return callRaw(url + place.mount, call, options)
      const answer = await callGrpc(session, call.path, Buffer.from(call.body, 'base64'), {
        ...options,
        headers: { ...call.headers, ...options.headers },
      })
      const { code, message, headers, body } = answer
      // Details repeat the reason and the id in base64.
      const shown = headers.filter((line) => !/^grpc-(message|status-details-bin)/.test(line))
      const [details = ''] = headers.filter((line) => line.startsWith('grpc-status-details-bin'))
      const told = Buffer.from(details.split(': ')[1] ?? '', 'base64')
        .toString('latin1')
        .replaceAll(/[^ -~]/g, '.')
      const text = `${textOf(call.path, body)}${message}${told}`
      return { status: code === undefined ? 0 : httpStatusOf(code), headers: shown, body: text }
    }

    async function ownersTask(state: State): Promise<{ id: string; contextId: string }> {
      const message = { messageId: 'm', role: 'ROLE_USER' as const, parts: [{ text: state }] }
      const request = { message, configuration: { returnImmediately: state === 'live' } }
      const [call] = wireCalls(dialectById('1.0'), 'jsonrpc', 'sendMessage', request)
      const { body } = await callRaw(`${url}/iso`, call as WireCall, { headers: owner })
      const task = (JSON.parse(body) as { result: { task: { id: string; contextId: string } } }).result.task
      // A live task is at rest once its first status is stored: only then can "unchanged" be told.
      while (state === 'live' && (await tasks.get(OWNER, task.id))?.seq === 0) await new Promise(setImmediate)
      const push = { taskId: task.id, id: 'c', url: `${hook.url}/owner` }
      const [registration] = wireCalls(dialectById('1.0'), 'jsonrpc', 'createPushConfig', push)
      await callRaw(`${url}/iso`, registration as WireCall, { headers: owner })
      return task
    }

    /** The owner's stream on a live task, and everything it has said so far. */
    async function watch(taskId: string): Promise<{ heard(): string; stop(): void }> {
      const abort = new AbortController()
      const [call] = wireCalls(dialectById('1.0'), 'rest', 'subscribeTask', { id: taskId })
      const { method = '', path = '', headers } = call ?? {}
      const response = await fetch(`${url}/iso${path}`, {
        method,
        headers: { ...headers, ...owner },
        body: '{}',
        signal: abort.signal,
      })
      let text = ''
      const reader = (response.body as ReadableStream<Uint8Array>).getReader()
      text += Buffer.from((await reader.read()).value ?? []).toString()
      void (async () => {
        for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read())
          text += Buffer.from(chunk.value).toString()
      })().catch(() => {})
      return { heard: () => text, stop: () => abort.abort() }
    }

    describe.each(STATES)('a task that is %s', (state) => {
      test.each(STRANGERS)('%s', async (stranger) => {
        const headers = strangers.get(stranger) ?? {}
        const watched = await ownersTask(state)
        const watcher = state === 'live' ? await watch(watched.id) : undefined
        const heard = watcher?.heard()
        const before = await tasks.get(OWNER, watched.id)
        const actor = `${stranger.replaceAll(' ', '-')}-${state}-${store}`
        registrar = actor
        await eachOf(cells(), async (cell) => {
          const { place, op, callFor } = cell
          // Whoever names ids makes a task by naming one, so each such cell needs an id not yet named.
          const isNaming = place.id === '0.1' && (op === 'sendMessage' || op === 'streamMessage')
          const task = isNaming ? await ownersTask(state) : watched
          const unknown = randomUUID()
          const call = { headers: { ...cell.headers, ...headers } }
          const known = await ask(place, callFor(task.id), call)
          const never = await ask(place, callFor(unknown), call)
          const what = `${place.id} ${place.binding} ${callFor('{}').name} ${JSON.stringify(cell.headers)}`
          expect(withoutNames(known, task.id), what).toEqual(withoutNames(never, unknown))
          expect(known.body, what).not.toContain(CANARY)
          expect(known.body, what).not.toContain(task.contextId)
          if (stranger === 'anonymous' || stranger === 'expired token') expect(known.status, what).toBe(401)
        })
        expect(await tasks.get(OWNER, watched.id)).toEqual(before)
        expect(watcher?.heard()).toBe(heard)
        expect([...hook.paths].filter((path) => path.startsWith(`/${actor}`))).toEqual([])
        watcher?.stop()
      })

      test('the owner', async () => {
        registrar = 'owner'
        await eachOf(cells(), async ({ place, callFor, headers }) => {
          const task = await ownersTask(state)
          const answer = await ask(place, callFor(task.id), { headers: { ...headers, ...owner }, untilText: true })
          const what = `${place.id} ${place.binding} ${callFor('{}').name}`
          expect(answer.body, what).not.toMatch(/-32001|TASK_NOT_FOUND|Task not found/)
          expect(answer.status, what).not.toBe(401)
        })
      })
    })

    test('has not fewer cells than ever', () => {
      const count = cells().length * STATES.length * (STRANGERS.length + 1)
      printed.push(`${store} ${count} cells`)
      expect(count).toBeGreaterThanOrEqual(CELLS_PER_STORE)
    })
  })
}

describeMatrix('memory', async () => 'memory')

describe('with a file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'parley-iso-'))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  describeMatrix('sqlite', async () => `sqlite:${join(folder, 'tasks.db')}`)
})

describeWithServer('PostgreSQL', 'with PostgreSQL', () => {
  describeMatrix('postgres', ownPostgres)
})

describeWithServer('Redis', 'with Redis', () => {
  describeMatrix('redis', ownRedis)
})
