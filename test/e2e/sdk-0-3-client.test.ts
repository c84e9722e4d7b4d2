// The client of the official JavaScript SDK 0.3.14 against our native 0.3 agent, over both bindings. Where it departs from
// the specification, a test says so and pins it.

import type { Message, MessageSendParams, Task } from 'a2a-js-sdk-0-3'
import { type Client, ClientFactory, JsonRpcTransportFactory, RestTransportFactory } from 'a2a-js-sdk-0-3/client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { A2AServer } from '../../src/server/index.ts'
import { startReferenceAgents } from '../peers/reference-server.ts'

let server: A2AServer
let base: string

beforeAll(async () => {
  ;({ server, base } = await startReferenceAgents())
})

afterAll(() => server.close({ graceMs: 0 }))

type StreamEvent = Awaited<ReturnType<ReturnType<Client['sendMessageStream']>['next']>>['value']

describe.each([
  ['JSONRPC', () => new JsonRpcTransportFactory()],
  ['HTTP+JSON', () => new RestTransportFactory()],
])('over %s', (binding, transport) => {
  async function connect(path = '/spec03'): Promise<Client> {
    const factory = new ClientFactory({ transports: [transport()], preferredTransports: [binding] })
    return factory.createFromUrl(`${base}${path}/.well-known/agent-card.json`, '')
  }

  test('an answer without a task is a message', async () => {
    const answer = await (await connect()).sendMessage(say('message-only hello'))
    expect(answer).toMatchObject({
      ...{ kind: 'message', role: 'agent' },
      parts: [{ kind: 'text', text: '[message-only] You said: message-only hello' }],
    })
  })

  test('a task runs to completion and can be read again', async () => {
    const spec = await connect()
    const task = taskIn(await spec.sendMessage(say('task-lifecycle one')))
    expect(task).toMatchObject({
      status: { state: 'completed' },
      artifacts: [
        { name: 'result', parts: [{ kind: 'text', text: '[task-lifecycle] Processed: task-lifecycle one' }] },
      ],
    })
    expect(await spec.getTask({ id: task.id })).toEqual(task)
  })

  test('a failure is a state, not an error', async () => {
    expect(taskIn(await (await connect()).sendMessage(say('task-failure'))).status.state).toBe('failed')
  })

  test('a stream ends with its last state, marked final', async () => {
    const seen = await collect((await connect()).sendMessageStream(say('chunks 3')))
    const updates = ['status-update', 'artifact-update', 'artifact-update', 'artifact-update', 'status-update']
    expect(seen.map((event) => event?.kind)).toEqual(['task', ...updates])
    expect(seen.at(-1)).toMatchObject({ status: { state: 'completed' }, final: true })
  })

  test('every kind of part arrives', async () => {
    const { artifacts = [] } = taskIn(await (await connect()).sendMessage(say('data-types')))
    const parts = artifacts.flatMap((artifact) => artifact.parts)
    expect(parts.map(({ kind }) => kind)).toEqual(['text', 'data', 'file', 'text', 'data'])
    // HTTP+JSON of 0.3 is ProtoJSON, and its FilePart has no name.
    const name = binding === 'JSONRPC' ? { name: 'test.svg' } : {}
    expect(parts[2]).toMatchObject({ file: { mimeType: 'image/svg+xml', ...name } })
  })

  test('a conversation goes on until it is done', async () => {
    const spec = await connect()
    const asked = taskIn(await spec.sendMessage(say('multi-turn start')))
    expect(asked.status.state).toBe('input-required')
    const again = taskIn(await spec.sendMessage(say('more', asked)))
    expect(again).toMatchObject({ id: asked.id, status: { state: 'input-required' } })
    const done = taskIn(await spec.sendMessage(say('done', asked)))
    expect(done).toMatchObject({ id: asked.id, status: { state: 'completed' } })
  })

  test('a subscriber gets the task, then the cancellation', async () => {
    const spec = await connect()
    const { id } = taskIn(await spec.sendMessage({ ...say('task-cancel'), configuration: { blocking: false } }))
    const events = spec.resubscribeTask({ id })
    expect((await events.next()).value).toMatchObject({ kind: 'task', id })
    expect((await spec.cancelTask({ id })).status.state).toBe('canceled')
    expect((await collect(events)).at(-1)).toMatchObject({ status: { state: 'canceled' }, final: true })
  })

  test('errors keep their kind', async () => {
    const spec = await connect()
    await expect(spec.getTask({ id: 'no-such-task' })).rejects.toMatchObject({ name: 'TaskNotFoundError' })
    await expect(spec.cancelTask({ id: 'no-such-task' })).rejects.toMatchObject({ name: 'TaskNotFoundError' })
    const { id } = taskIn(await spec.sendMessage(say('task-lifecycle')))
    await expect(spec.cancelTask({ id })).rejects.toMatchObject({ name: 'TaskNotCancelableError' })
    // SDK: over JSON-RPC it expects an event stream even where the answer is an error, and loses the error.
    const refusal = binding === 'JSONRPC' ? { name: 'Error' } : { name: 'UnsupportedOperationError' }
    await expect(collect(spec.resubscribeTask({ id }))).rejects.toMatchObject(refusal)
  })
})

function say(text: string, continues?: Pick<Task, 'id' | 'contextId'>): MessageSendParams {
  const ids = continues === undefined ? {} : { taskId: continues.id, contextId: continues.contextId }
  return {
    message: {
      ...{ kind: 'message', messageId: crypto.randomUUID(), role: 'user', parts: [{ kind: 'text', text }] },
      ...ids,
    },
  }
}

function taskIn(result: Message | Task): Task {
  if (result.kind !== 'task') throw new Error('the answer is not a task')
  return result
}

async function collect(stream: AsyncIterable<StreamEvent>): Promise<StreamEvent[]> {
  const events: StreamEvent[] = []
  for await (const event of stream) events.push(event)
  return events
}
