// What test kits rely on: prefixes also on follow-ups, push, the tck agent in 0.3, and a mount at the root of the host.

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { referenceAgents } from '../../src/agents/reference.ts'
import { A2AClient } from '../../src/client/a2a-client.ts'
import type { Task } from '../../src/model/task.ts'
import { type A2AServer, createServer } from '../../src/server/index.ts'
import { runParley } from '../support/parley-process.ts'
import { Webhook } from '../support/webhook.ts'

const forward = () => Promise.reject(new Error('nothing is relayed here'))
const relay = { target: undefined, allowsChosenTargets: false, forward }

let server: A2AServer
let base: string

beforeAll(async () => {
  server = createServer({ agents: referenceAgents({ relay, root: 'tck03' }), allowPrivateWebhooks: true })
  base = (await server.listen()).url
})

afterAll(() => server.close({ graceMs: 0 }))

async function say(client: A2AClient, messageId: string, text: string, taskId?: string): Promise<Task> {
  const message = { messageId, role: 'ROLE_USER' as const, parts: [{ text }], ...(taskId ? { taskId } : {}) }
  const answer = await client.sendMessage({ message })
  if ('message' in answer) throw new Error('expected a task')
  return answer.task
}

describe('prefixes on /tck', () => {
  test('a follow-up does what its own prefix says', async () => {
    using client = await A2AClient.connect(`${base}/tck`)
    const { id, status } = await say(client, 'tck-input-required-1', 'begin')
    expect(status.state).toBe('TASK_STATE_INPUT_REQUIRED')
    const again = await say(client, 'tck-input-required-1', 'again', id)
    expect(again.status.state).toBe('TASK_STATE_INPUT_REQUIRED')
    const done = await say(client, 'tck-complete-task-1', 'done', id)
    expect(done.status.state).toBe('TASK_STATE_COMPLETED')
    const told = done.history?.filter(({ role }) => role === 'ROLE_USER').map(({ parts }) => parts[0])
    expect(told).toEqual([{ text: 'begin' }, { text: 'again' }, { text: 'done' }])
  })

  test('a conversation of many turns has only the words of its caller', async () => {
    using client = await A2AClient.connect(`${base}/tck`)
    const { id } = await say(client, 'm1', 'tck-multi-turn first')
    await say(client, 'm2', 'tck-multi-turn second', id)
    const { status, history } = await say(client, 'm3', 'done', id)
    expect(status.state).toBe('TASK_STATE_COMPLETED')
    expect(history?.slice(0, 3).map(({ messageId }) => messageId)).toEqual(['m1', 'm2', 'm3'])
  })

  test('a follow-up without one goes on with what began the task', async () => {
    using client = await A2AClient.connect(`${base}/tck`)
    const { id } = await say(client, 'm1', 'tck-input-required')
    expect((await say(client, 'm2', 'here you are', id)).status.state).toBe('TASK_STATE_COMPLETED')
  })
})

test.each(['/tck', '/tck03'])('%s declares push notifications and sends them', async (path) => {
  using client = await A2AClient.connect(base + path)
  const webhook = await Webhook.open()
  const { id: taskId } = await say(client, 'tck-input-required-2', 'begin')
  await client.createPushConfig({ taskId, id: 'mine', url: webhook.url })
  await say(client, 'tck-complete-task-2', 'end', taskId)
  await webhook.until((received) => received.some(({ text }) => /completed/i.test(text)))
  await webhook.close()
})

test('errors before a stream are JSON on /tck, the only form its kit reads', async () => {
  const response = await fetch(`${base}/tck`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'A2A-Version': '1.0', Accept: 'text/event-stream' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'SubscribeToTask', params: { id: 'no-such-task' } }),
  })
  expect(await response.json()).toMatchObject({ id: 1, error: { code: -32001 } })
})

describe('the root of the host', () => {
  test('is the agent that was chosen, with its card and its tasks', async () => {
    const card = await (await fetch(`${base}/.well-known/agent-card.json`)).json()
    expect(card).toMatchObject({ name: 'Parley Test Kit Agent (0.3)', protocolVersion: '0.3.0', url: base })
    using atRoot = await A2AClient.connect(base)
    const task = await say(atRoot, 'free', 'any text at all')
    expect(task.status.state).toBe('TASK_STATE_INPUT_REQUIRED')
    using below = await A2AClient.connect(`${base}/tck03`)
    expect((await below.getTask({ id: task.id })).id).toBe(task.id)
  })

  test('an agent that does not exist is refused with the names of those that do', async () => {
    const { code, stderr } = await runParley(['serve', '--port', '0', '--root', 'nope'])
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr:
        'parley: There is no agent nope to put at the root; choose one of echo, spec, spec03, legacy, push, secure, secure-legacy, relay, itk, tck, tck03, signed.\n',
    })
  })
})
