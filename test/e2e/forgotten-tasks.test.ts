// Tasks that the memory store has forgotten to make room: for everybody who knew them they never were.

import { afterEach, expect, test } from 'vitest'
import { PUSH_CARD } from '../../src/agents/cards.ts'
import { specAgent } from '../../src/agents/spec.ts'
import type { JsonObject } from '../../src/model/json.ts'
import { openMemoryPushStore } from '../../src/server/backend/memory/push.ts'
import { openMemoryStore } from '../../src/server/backend/memory/tasks.ts'
import { openMemoryBus } from '../../src/server/bus/local-bus.ts'
import { systemClock } from '../../src/server/engine/clock.ts'
import { Push } from '../../src/server/push/push.ts'
import { type A2AServer, createServer } from '../../src/server/server.ts'
import { ALICE, sampleTask, statusEvent } from '../../src/testing/samples.ts'

let server: A2AServer | undefined
afterEach(() => server?.close({ graceMs: 0 }))

const { extendedAgentCard: _none, ...capabilities } = PUSH_CARD.capabilities
const HEADERS = { 'A2A-Version': '1.0', 'Content-Type': 'application/json' }

async function start(maxTasksKept: number) {
  const card = { ...PUSH_CARD, capabilities }
  server = createServer({ agents: [{ card, agent: specAgent }], maxTasksKept, allowPrivateWebhooks: true })
  const { url } = await server.listen()
  const rest = async (path: string, body?: JsonObject) => {
    const response = await fetch(url + path, {
      headers: HEADERS,
      ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
    })
    return { status: response.status, body: (await response.json()) as JsonObject }
  }
  const send = async (text: string): Promise<string> => {
    const message = { messageId: 'm', role: 'ROLE_USER', parts: [{ text }] }
    const { body } = await rest('/message:send', { message })
    return (body as { task: { id: string } }).task.id
  }
  return { url, rest, send }
}

test('are not found by any operation, and not listed', async () => {
  const { rest, send } = await start(2)
  const id = await send('task-lifecycle')
  const webhook = { url: 'http://127.0.0.1:9/hook', id: 'hook' }
  expect((await rest(`/tasks/${id}/pushNotificationConfigs`, webhook)).status).toBe(200)
  const others = [await send('task-lifecycle'), await send('task-lifecycle')]
  const unknown = await rest('/tasks/never-was')
  expect(unknown.status).toBe(404)
  for (const path of [
    `/tasks/${id}`,
    `/tasks/${id}/pushNotificationConfigs`,
    `/tasks/${id}/pushNotificationConfigs/hook`,
  ])
    expect((await rest(path)).status).toBe(404)
  expect((await rest(`/tasks/${id}:cancel`, {})).status).toBe(404)
  const { body } = await rest('/tasks')
  expect((body as { tasks: { id: string }[] }).tasks.map((task) => task.id).toSorted()).toEqual(others.toSorted())
  expect(body.totalSize).toBe(2)
})

test('end the streams of those who follow them', async () => {
  const { url, send } = await start(1)
  const id = await send('multi-turn hello')
  const stream = await fetch(`${url}/tasks/${id}:subscribe`, { method: 'POST', headers: HEADERS })
  expect(stream.status).toBe(200)
  await send('task-lifecycle')
  expect(await stream.text()).toContain(`"id":"${id}"`)
})

test('take their webhooks along', async () => {
  const tasks = openMemoryStore({ maxTasks: 1 })
  const clock = systemClock()
  const rows = openMemoryPushStore(tasks, () => clock.now())
  const push = await Push.open({
    ...{ tasks, bus: openMemoryBus(), clock, backend: undefined, log: () => {} },
    ...{ options: { store: rows }, guard: { allowPrivateNetworks: true } },
  })
  const task = { scope: ALICE, taskId: 'a' }
  const record = await tasks.create(ALICE, sampleTask('a'))
  if (record === 'exists') throw new Error('expected a new task')
  await push.service('1.0.1').register(ALICE, record, { url: 'http://127.0.0.1:9/hook', id: 'hook' }, '1.0')
  expect(await rows.list(task)).toHaveLength(1)
  await tasks.append(ALICE, 'a', 0, [statusEvent('a', 'TASK_STATE_COMPLETED')])
  await tasks.create(ALICE, sampleTask('b'))
  expect(await rows.list(task)).toEqual([])
  expect(await rows.isLive(task)).toBe(false)
  await push.close(0)
})
