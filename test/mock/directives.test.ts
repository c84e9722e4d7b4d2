// The mock controlled by directives, over real sockets, in every generation and binding, streaming and not.

import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { A2AClient, type BindingId, type DialectId, type Message, ParleyError, textOf } from '../../src/client/index.ts'
import { createMockAgent, type MockAgent } from '../../src/mock/index.ts'
import type { StreamEvent } from '../../src/model/event.ts'
import type { JsonValue } from '../../src/model/json.ts'
import type { Task } from '../../src/model/task.ts'
import { ONE_TURN, TWO_TURNS, withDirectives } from './seed-scripts.ts'

let mock: MockAgent
beforeAll(async () => {
  mock = await createMockAgent().start()
})
afterAll(() => mock.stop())

function said(text: string, more: Partial<Message> = {}): { message: Message } {
  return { message: { messageId: randomUUID(), role: 'ROLE_USER', parts: [{ text }], ...more } }
}

/** A turn may leave its task open; the stream then ends before the task does, which the client tells. */
async function collect(
  stream: AsyncIterable<{ event: StreamEvent }>,
  { mayEndEarly = false } = {},
): Promise<StreamEvent[]> {
  const events: StreamEvent[] = []
  try {
    for await (const { event } of stream) events.push(event)
  } catch (error) {
    if (!mayEndEarly || !(error instanceof ParleyError) || error.code !== 'stream-ended-early') throw error
  }
  return events
}

function isSubmitted(event: StreamEvent): boolean {
  return 'statusUpdate' in event && event.statusUpdate.status.state === 'TASK_STATE_SUBMITTED'
}

/** Sends and waits for the end of the turn. The oldest generation cannot ask to wait, so there a stream does. */
async function send(client: A2AClient, text: string, more: Partial<Message> = {}): Promise<Task> {
  if (client.endpoint.dialect === '0.1') {
    const [first] = await collect(client.streamMessage(said(text, more)), { mayEndEarly: true })
    if (first === undefined || !('statusUpdate' in first)) throw new Error('expected a status')
    return client.getTask({ id: first.statusUpdate.taskId, historyLength: 10 })
  }
  const result = await client.sendMessage({ ...said(text, more), configuration: { returnImmediately: false } })
  if (!('task' in result)) throw new Error('expected a task')
  return result.task
}

const WAYS: [DialectId, BindingId][] = [
  ['1.0', 'jsonrpc'],
  ['1.0', 'rest'],
  ['0.3', 'jsonrpc'],
  ['0.3', 'rest'],
  ['0.1', 'jsonrpc'],
]

describe.each(WAYS)('A2A %s over %s', (version, transport) => {
  let client: A2AClient
  beforeAll(async () => {
    client = await A2AClient.connect(`${mock.url}/v${version}`, {
      transports: [transport],
      versions: [version],
      fallback: false,
    })
  })
  afterAll(() => client.close())

  test('the example of the document plays, not streaming', async () => {
    const task = await send(client, withDirectives(randomUUID(), ONE_TURN))
    expect(task.status.state).toBe('TASK_STATE_COMPLETED')
    expect(textOf(task.status.message)).toBe('Done.')
    expect(task.artifacts).toMatchObject([{ name: 'result.txt' }])
    const part = task.artifacts?.[0]?.parts[0]
    expect(part !== undefined && 'raw' in part && Buffer.from(part.raw, 'base64').toString()).toBe(
      'Proxy test successful!',
    )
  })

  test('the example of the document plays, streaming, and no event is lost', async () => {
    const events = await collect(client.streamMessage(said(withDirectives(randomUUID(), ONE_TURN))))
    // The oldest generation has no Task event; its stream opens with the submitted status instead.
    const updates = events.filter((event) => !('task' in event) && !isSubmitted(event))
    expect(updates.map((event) => Object.keys(event)[0])).toEqual(['statusUpdate', 'artifactUpdate', 'statusUpdate'])
    const last = updates.at(-1)
    expect(last !== undefined && 'statusUpdate' in last && last.statusUpdate.status.state).toBe('TASK_STATE_COMPLETED')
  })

  test('a script of two turns answers the second message of the task with the second', async () => {
    const open = JSON.parse(JSON.stringify(TWO_TURNS).replace('"completed"', '"input-required"')) as JsonValue
    const first = await send(client, withDirectives(randomUUID(), open))
    expect(first.status.state).toBe('TASK_STATE_INPUT_REQUIRED')
    const { id: taskId, contextId } = first
    const second = await send(client, 'and totals', { taskId, ...(contextId === undefined ? {} : { contextId }) })
    expect(second.id).toBe(taskId)
    expect(textOf(second.status.message)).toBe('Follow-up complete.')
  })

  test.each([
    ['no directive at all', 'hello', 'carries no [test_case_id=…]'],
    ['a directive that is not base64', '[test_case_id=x][responses_json=%%%]', 'is not base64'],
    ['an unknown kind', withDirectives('y', [[{ kind: 'nope' }]]), 'turn 0, event 0: kind must be one of'],
  ])('%s fails the task and says so', async (_, text, why) => {
    const task = await send(client, text)
    expect(task.status.state).toBe('TASK_STATE_FAILED')
    expect(textOf(task.status.message)).toContain(why)
  })

  test('every event of a long turn arrives, in order', async () => {
    const chunks = Array.from({ length: 300 }, (_, i) => ({
      kind: 'artifact-update',
      artifact: { artifactId: 'long', parts: [{ kind: 'text', text: `${i};` }] },
      append: i > 0,
      lastChunk: i === 299,
    }))
    const turns = [[...chunks, { kind: 'status-update', status: { state: 'completed' } }]] as JsonValue
    const events = await collect(client.streamMessage(said(withDirectives(randomUUID(), turns))))
    const texts = events.flatMap((event) => ('artifactUpdate' in event ? event.artifactUpdate.artifact.parts : []))
    expect(texts.map((part) => ('text' in part ? part.text : '')).join('')).toBe(
      Array.from({ length: 300 }, (_, i) => `${i};`).join(''),
    )
    const task = await send(client, withDirectives(randomUUID(), turns))
    expect(task.artifacts?.[0]?.parts).toHaveLength(300)
  })

  test('a turn without a terminal state leaves the task open', async () => {
    const task = await send(
      client,
      withDirectives(randomUUID(), [[{ kind: 'status-update', status: { state: 'working' } }]]),
    )
    expect(task.status.state).toBe('TASK_STATE_WORKING')
    expect((await client.cancelTask({ id: task.id })).status.state).toBe('TASK_STATE_CANCELED')
  })
})
