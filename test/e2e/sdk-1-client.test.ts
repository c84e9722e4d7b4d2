// The client of the official JavaScript SDK 1.3 against our reference agents, over both bindings: a peer we did not
// write must find nothing to complain about. Where it departs from the specification, a test says so and pins it.

import { type Part, Role, type SendMessageRequest, type StreamResponse, type Task, TaskState } from '@a2a-js/sdk'
import {
  type Client,
  ClientFactory,
  createAuthenticatingFetchWithRetry,
  DefaultAgentCardResolver,
  JsonRpcTransportFactory,
  RestTransportFactory,
} from '@a2a-js/sdk/client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { A2AServer } from '../../src/server/index.ts'
import { startReferenceAgents } from '../peers/reference-server.ts'

let server: A2AServer
let base: string

beforeAll(async () => {
  ;({ server, base } = await startReferenceAgents())
})

afterAll(() => server.close({ graceMs: 0 }))

describe.each([
  ['JSONRPC', (options?: { fetchImpl: typeof fetch }) => new JsonRpcTransportFactory(options)],
  ['HTTP+JSON', (options?: { fetchImpl: typeof fetch }) => new RestTransportFactory(options)],
])('over %s', (binding, transport) => {
  async function connect(path: string): Promise<Client> {
    const client = await new ClientFactory({ transports: [transport()] }).createFromUrl(
      `${base}${path}/.well-known/agent-card.json`,
      '',
    )
    expect(client.transport.protocolName).toBe(binding)
    return client
  }

  test('echo answers with a message', async () => {
    const echo = await connect('/echo')
    expect(await echo.sendMessage(say('hello'))).toMatchObject({ role: Role.ROLE_AGENT, parts: [text('Echo: hello')] })
  })

  test('a task runs to completion and can be read again', async () => {
    const spec = await connect('/spec')
    const task = taskIn(await spec.sendMessage(say('task-lifecycle one')))
    expect(task.status?.state).toBe(TaskState.TASK_STATE_COMPLETED)
    expect(task.artifacts).toMatchObject([
      { name: 'result', parts: [text('[task-lifecycle] Processed: task-lifecycle one')] },
    ])
    expect(await spec.getTask({ id: task.id, tenant: '', historyLength: undefined })).toEqual(task)
  })

  test('a failure is a state, not an error', async () => {
    const task = taskIn(await (await connect('/spec')).sendMessage(say('task-failure')))
    expect(task.status?.state).toBe(TaskState.TASK_STATE_FAILED)
  })

  test('a stream begins with the task and ends with its last state', async () => {
    const seen = await collect((await connect('/spec')).sendMessageStream(say('chunks 3')))
    const updates = ['statusUpdate', 'artifactUpdate', 'artifactUpdate', 'artifactUpdate', 'statusUpdate']
    expect(seen.map(({ payload }) => payload?.$case)).toEqual(['task', ...updates])
    expect(stateOf(seen.at(-1))).toBe(TaskState.TASK_STATE_COMPLETED)
  })

  test('every kind of part arrives', async () => {
    const { artifacts } = taskIn(await (await connect('/spec')).sendMessage(say('data-types')))
    expect(artifacts.flatMap(({ parts }) => parts.map(({ content }) => content?.$case))).toEqual([
      ...['text', 'data', 'raw', 'text', 'data'],
    ])
    const file = artifacts.flatMap(({ parts }) => parts).find(({ content }) => content?.$case === 'raw')
    expect(file).toMatchObject({ filename: 'test.svg', mediaType: 'image/svg+xml' })
  })

  test('a conversation goes on until it is done', async () => {
    const spec = await connect('/spec')
    const asked = taskIn(await spec.sendMessage(say('multi-turn start')))
    expect(asked.status?.state).toBe(TaskState.TASK_STATE_INPUT_REQUIRED)
    const again = taskIn(await spec.sendMessage(say('more', asked)))
    expect(again).toMatchObject({ id: asked.id, status: { state: TaskState.TASK_STATE_INPUT_REQUIRED } })
    const done = taskIn(await spec.sendMessage(say('done', asked)))
    expect(done).toMatchObject({ id: asked.id, status: { state: TaskState.TASK_STATE_COMPLETED } })
  })

  test('a subscriber gets the task, then the cancellation', async () => {
    const spec = await connect('/spec')
    const { id } = taskIn(await spec.sendMessage(say('task-cancel', undefined, { returnImmediately: true })))
    const events = spec.resubscribeTask({ id, tenant: '' })
    expect((await events.next()).value?.payload).toMatchObject({ $case: 'task', value: { id } })
    const canceled = await spec.cancelTask({ id, tenant: '', metadata: { why: 'test' } })
    expect(canceled.status?.state).toBe(TaskState.TASK_STATE_CANCELED)
    // SDK: over HTTP+JSON it sends no body with CancelTask, so the metadata never arrives (a2a.proto says body: "*").
    expect(canceled.metadata).toEqual(binding === 'JSONRPC' ? { why: 'test' } : undefined)
    expect(stateOf((await collect(events)).at(-1))).toBe(TaskState.TASK_STATE_CANCELED)
  })

  test('tasks of a context are listed page by page, newest first', async () => {
    const spec = await connect('/spec')
    const first = taskIn(await spec.sendMessage(say('task-lifecycle 1')))
    const { contextId } = first
    const second = taskIn(await spec.sendMessage(say('task-lifecycle 2', { contextId })))
    const query = { ...{ tenant: '', contextId, status: TaskState.TASK_STATE_UNSPECIFIED }, pageSize: 1, pageToken: '' }
    const page = await spec.listTasks({ ...query, statusTimestampAfter: undefined })
    expect(page).toMatchObject({ tasks: [{ id: second.id, artifacts: [] }], pageSize: 1, totalSize: 2 })
    const next = await spec.listTasks({ ...query, pageToken: page.nextPageToken, statusTimestampAfter: undefined })
    expect(next).toMatchObject({ tasks: [{ id: first.id }], nextPageToken: '' })
  })

  test('errors keep their kind', async () => {
    const spec = await connect('/spec')
    const unknown = { id: 'no-such-task', tenant: '', metadata: undefined, historyLength: undefined }
    await expect(spec.getTask(unknown)).rejects.toMatchObject({ name: 'TaskNotFoundError' })
    await expect(spec.cancelTask(unknown)).rejects.toMatchObject({ name: 'TaskNotFoundError' })
    const { id } = taskIn(await spec.sendMessage(say('task-lifecycle')))
    await expect(spec.cancelTask({ ...unknown, id })).rejects.toMatchObject({ name: 'TaskNotCancelableError' })
    // SDK: an error that comes as an event, as its Accept asks, is the cause of the one it throws.
    const ended = { name: 'UnsupportedOperationError' }
    await expect(collect(spec.resubscribeTask({ id, tenant: '' }))).rejects.toMatchObject(
      binding === 'JSONRPC' ? { cause: ended } : ended,
    )
    // SDK: its client refuses by the card alone, so the transport is asked.
    await expect(
      spec.transport.getTaskPushNotificationConfig({ taskId: id, id: 'one', tenant: '' }),
    ).rejects.toMatchObject({
      name: 'PushNotificationNotSupportedError',
    })
  })

  test('the extended card is for those who show a token', async () => {
    const spec = await connect('/spec')
    const serviceParameters = { Authorization: 'Bearer parley-test-token' }
    expect((await spec.getAgentCard({ serviceParameters })).name).toBe('Parley Spec Agent (Extended)')
    await expect((await connect('/spec')).getAgentCard()).rejects.toThrow()
  })

  test.each(['/spec', '/push'])('the card of %s says how to get the extended one', async (path) => {
    const card = await new DefaultAgentCardResolver().resolve(base, `${path}/.well-known/agent-card.json`)
    // The schemes a client may use are those of the public card (1.0 §13.3).
    expect(Object.values(card.securitySchemes).map(({ scheme }) => scheme)).toMatchObject([
      { $case: 'httpAuthSecurityScheme', value: { scheme: 'Bearer' } },
    ])
    const headers = async () => ({ Authorization: 'Bearer parley-test-token' })
    const fetchImpl = createAuthenticatingFetchWithRetry(fetch, {
      headers,
      shouldRetryWithHeaders: async () => undefined,
    })
    const client = await new ClientFactory({ transports: [transport({ fetchImpl })] }).createFromAgentCard(card)
    expect((await client.getAgentCard()).skills.map(({ id }) => id)).toContain('admin-status')
  })
})

function text(value: string) {
  return { content: { $case: 'text', value } }
}

function say(
  words: string,
  continues?: Partial<Pick<Task, 'id' | 'contextId'>>,
  configuration?: { returnImmediately: boolean },
): SendMessageRequest {
  const part: Part = { content: { $case: 'text', value: words }, metadata: undefined, filename: '', mediaType: '' }
  return {
    tenant: '',
    message: {
      ...{ messageId: crypto.randomUUID(), role: Role.ROLE_USER, parts: [part] },
      ...{ taskId: continues?.id ?? '', contextId: continues?.contextId ?? '' },
      ...{ extensions: [], metadata: undefined, referenceTaskIds: [] },
    },
    configuration: configuration && {
      ...{ acceptedOutputModes: [], taskPushNotificationConfig: undefined, historyLength: undefined },
      ...configuration,
    },
    metadata: undefined,
  }
}

function taskIn(result: object): Task {
  if (!('status' in result)) throw new Error('the answer is not a task')
  return result as Task
}

function stateOf(event: StreamResponse | undefined): TaskState | undefined {
  return event?.payload?.$case === 'statusUpdate' ? event.payload.value.status?.state : undefined
}

async function collect(stream: AsyncIterable<StreamResponse>): Promise<StreamResponse[]> {
  const events: StreamResponse[] = []
  for await (const event of stream) events.push(event)
  return events
}
