// The ways around a task's id: contexts, lists, page tokens, references, tenants, streams that outlive their
// credentials, agents beside each other, and a hundred callers at once.

import { randomBytes, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { dialectById } from '../../src/dialects/index.ts'
import type { Operation, OperationTypes } from '../../src/model/operation.ts'
import type { Task } from '../../src/model/task.ts'
import { type A2AServer, createServer } from '../../src/server/server.ts'
import { type Callers, isolationAgent, openCallers } from './isolation-callers.ts'
import { callRaw, type RawAnswer, type WireCall, wireCalls } from './wire-calls.ts'

let callers: Callers
let server: A2AServer
let url: string
let alice: Record<string, string>
let bob: Record<string, string>

beforeAll(async () => {
  callers = await openCallers()
  const [mount] = callers.mounts()
  if (mount === undefined) throw new Error('no mount')
  server = createServer({ agents: [mount, { ...mount, path: '/other', name: 'other', agent: isolationAgent }] })
  url = (await server.listen()).url
  alice = await bearer('alice')
  bob = await bearer('bob')
})
afterAll(async () => {
  await server.close({ graceMs: 0 })
  callers.close()
})

async function bearer(subject: string, tenant = 'acme', secondsToLive?: number): Promise<Record<string, string>> {
  return { Authorization: `Bearer ${await callers.token(subject, tenant, secondsToLive)}` }
}

async function ask<O extends Operation>(
  who: Record<string, string>,
  op: O,
  request: OperationTypes[O]['request'],
  options: { binding?: 'jsonrpc' | 'rest'; mount?: string } = {},
): Promise<RawAnswer> {
  const [call] = wireCalls(dialectById('1.0'), options.binding ?? 'rest', op, request)
  return callRaw(url + (options.mount ?? '/iso'), call as WireCall, { headers: who })
}

const say = (text: string, more: { contextId?: string; referenceTaskIds?: string[] } = {}) => ({
  message: { messageId: 'm', role: 'ROLE_USER' as const, parts: [{ text }], ...more },
})

async function taskOf(who: Record<string, string>, text: string, more = {}): Promise<Task> {
  const { body } = await ask(who, 'sendMessage', say(text, more))
  return (JSON.parse(body) as { task: Task }).task
}

function without({ status, headers, body }: RawAnswer, ...names: string[]): RawAnswer {
  let text = body.replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>')
  for (const name of names) text = text.replaceAll(name, '<name>')
  return { status, headers, body: text.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, '<uuid>') }
}

test('ISO-LIST: the context of another lists like one that never was', async () => {
  const { contextId = '' } = await taskOf(alice, 'end')
  const never = randomUUID()
  for (const binding of ['jsonrpc', 'rest'] as const) {
    const known = await ask(bob, 'listTasks', { contextId }, { binding })
    expect(without(known, contextId)).toEqual(
      without(await ask(bob, 'listTasks', { contextId: never }, { binding }), never),
    )
  }
})

test('ISO-CTX: a message in the context of another begins a context of its own', async () => {
  const { id, contextId = '' } = await taskOf(alice, 'end')
  const never = randomUUID()
  const known = await ask(bob, 'sendMessage', say('x', { contextId }))
  expect(without(known, contextId)).toEqual(
    without(await ask(bob, 'sendMessage', say('x', { contextId: never })), never),
  )
  const listed = JSON.parse((await ask(alice, 'listTasks', { contextId })).body) as { tasks: Task[] }
  expect(listed.tasks.map((task) => task.id)).toEqual([id])
})

test('ISO-REF: a reference to the task of another is answered like one to nothing', async () => {
  const { id } = await taskOf(alice, 'end')
  const never = randomUUID()
  const known = await ask(bob, 'sendMessage', say('x', { referenceTaskIds: [id] }))
  const unknown = await ask(bob, 'sendMessage', say('x', { referenceTaskIds: [never] }))
  expect(without(known, id)).toEqual(without(unknown, never))
})

test('ISO-PAGE: the page token of another is worth as much as random bytes', async () => {
  await taskOf(alice, 'end')
  await taskOf(alice, 'end')
  const first = JSON.parse((await ask(alice, 'listTasks', { pageSize: 1 })).body) as { nextPageToken: string }
  expect(first.nextPageToken).not.toBe('')
  const forged = randomBytes(Buffer.from(first.nextPageToken, 'base64url').length).toString('base64url')
  const known = await ask(bob, 'listTasks', { pageSize: 1, pageToken: first.nextPageToken })
  expect(known.status).toBe(400)
  expect(known).toEqual(await ask(bob, 'listTasks', { pageSize: 1, pageToken: forged }))
})

test('ISO-TENANT: a tenant in the path must be the tenant of the credentials', async () => {
  const { id } = await taskOf(alice, 'end')
  const never = randomUUID()
  expect((await ask(alice, 'getTask', { id, tenant: 'acme' })).status).toBe(200)
  for (const binding of ['jsonrpc', 'rest'] as const) {
    const known = await ask(alice, 'getTask', { id, tenant: 'umbrella' }, { binding })
    expect(known.status).toBe(403)
    const unknown = await ask(alice, 'getTask', { id: never, tenant: 'umbrella' }, { binding })
    expect(without(known, id)).toEqual(without(unknown, never))
  }
})

test('ISO-AGENT: a task of one agent does not exist for the agent beside it', async () => {
  const { id } = await taskOf(alice, 'end')
  const never = randomUUID()
  const known = await ask(alice, 'getTask', { id }, { mount: '/other' })
  expect(known.status).toBe(404)
  expect(without(known, id)).toEqual(without(await ask(alice, 'getTask', { id: never }, { mount: '/other' }), never))
})

test('ISO-EXP: a stream ends with the credentials it was opened with', async () => {
  const { id } = await taskOf(alice, 'input')
  const brief = await bearer('alice', 'acme', 2)
  const { status, body } = await ask(brief, 'subscribeTask', { id })
  expect(status).toBe(200)
  expect(body).toContain(id)
})

test('ISO-SHARED: a hundred callers at once see only what is theirs', async () => {
  const everybody = await Promise.all(Array.from({ length: 100 }, (_, n) => bearer(`caller-${n}`)))
  await Promise.all(
    everybody.map(async (who, n) => {
      const canary = `canary-${n}.`
      const { id } = await taskOf(who, canary)
      const seen = await Promise.all([
        ask(who, 'getTask', { id }),
        ask(who, 'listTasks', { includeArtifacts: true }, { binding: 'jsonrpc' }),
        ask(who, 'sendMessage', say(canary)),
      ])
      for (const { body } of seen) expect(new Set(body.match(/canary-\d+\./g))).toEqual(new Set([canary]))
    }),
  )
})
