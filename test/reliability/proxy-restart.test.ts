// A proxy with a store on disk is killed while tasks are open and started again: callers go on with their tasks, and
// the agent, which lived on, is asked about the right ones.

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { parseArtifactUri } from '../../src/artifacts/artifact-uri.ts'
import { openFileArtifactStore } from '../../src/artifacts/file-store.ts'
import { A2AClient } from '../../src/client/a2a-client.ts'
import { createMockAgent, type MockAgent } from '../../src/mock/index.ts'
import { isJsonObject, type JsonObject } from '../../src/model/json.ts'
import type { Operation } from '../../src/model/operation.ts'
import type { Task } from '../../src/model/task.ts'
import { createServer } from '../../src/server/index.ts'
import { type Serving, startParley } from '../support/parley-process.ts'

const stops: (() => unknown)[] = []
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop()
})

const SCRIPT = `
rules:
  - id: asks
    match: { text: ask }
    turns:
      - - { artifact: { name: draft.bin, base64: AAECAw== } }
        - { input-required: Which one? }
      - [{ complete: Thank you. }]
  - id: waits
    match: { text: wait }
    turns: [[{ status: working, text: One moment. }, { delay: 60s }, { complete: Done. }]]`

const message = (text: string, ids: { taskId?: string; contextId?: string } = {}) => ({
  message: { messageId: crypto.randomUUID(), role: 'ROLE_USER' as const, parts: [{ text }], ...ids },
})

async function startProxy(agent: { url: string }, folder: string): Promise<Serving> {
  const places = ['--store', `sqlite:${join(folder, 'tasks.db')}`, '--artifacts', join(folder, 'files')]
  const proxy = await startParley(['proxy', agent.url, ...places])
  stops.push(() => proxy.stop('SIGKILL'))
  return proxy
}

async function connect({ url }: Serving): Promise<A2AClient> {
  const client = await A2AClient.connect(url)
  stops.push(() => client.close())
  return client
}

async function taskOf(sending: ReturnType<A2AClient['sendMessage']>): Promise<Task> {
  const result = await sending
  if (!('task' in result)) throw new Error('expected a task')
  return result.task
}

/** A task the agent is still at work on. */
async function workingTask(client: A2AClient): Promise<string> {
  for await (const { event } of client.streamMessage(message('wait')))
    if ('statusUpdate' in event) return event.statusUpdate.taskId
  throw new Error('the task did not begin')
}

/** The params of every request of the kind that the agent got. */
function paramsOf(mock: MockAgent, operation: Operation): JsonObject[] {
  return mock
    .requests({ operation })
    .map(({ requestJson: json }) => (isJsonObject(json) && isJsonObject(json.params) ? json.params : {}))
}

test('what a caller began before kill -9 of the proxy can be continued after it', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'parley-proxy-'))
  stops.push(() => rm(folder, { recursive: true, force: true }))
  const mock = await createMockAgent({ scriptText: SCRIPT }).start()
  stops.push(() => mock.stop())

  const first = await startProxy(mock, folder)
  const before = await connect(first)
  const asked = await taskOf(before.sendMessage(message('ask', { contextId: 'my-context' })))
  expect(asked.status.state).toBe('TASK_STATE_INPUT_REQUIRED')
  const theirs = mock.requests({ operation: 'sendMessage' })[0]
  const streamed = await workingTask(before)
  const unwanted = await workingTask(before)
  const [theirStreamed, theirUnwanted] = mock.requests({ operation: 'streamMessage' }).map(({ taskId }) => taskId)
  await first.stop('SIGKILL')

  const after = await connect(await startProxy(mock, folder))
  const known = await after.listTasks({})
  expect(new Set(known.tasks.map(({ id }) => id))).toEqual(new Set([asked.id, streamed, unwanted]))

  const seen = await after.getTask({ id: asked.id })
  expect(paramsOf(mock, 'getTask').at(-1)?.id).toBe(theirs?.taskId)
  expect(seen.artifacts, 'its file is not a second version').toEqual(asked.artifacts)

  const canceled = await after.cancelTask({ id: unwanted })
  expect(canceled).toMatchObject({ id: unwanted, status: { state: 'TASK_STATE_CANCELED' } })
  expect(paramsOf(mock, 'cancelTask').at(-1)?.id).toBe(theirUnwanted)

  const events = after.subscribeTask({ id: streamed })
  expect((await events.next()).value).toMatchObject({ event: { task: { id: streamed } } })
  expect(paramsOf(mock, 'subscribeTask')).toContainEqual({ id: theirStreamed })
  await after.cancelTask({ id: streamed })
  const states: string[] = []
  for await (const { event } of events) if ('statusUpdate' in event) states.push(event.statusUpdate.status.state)
  expect(states).toEqual(['TASK_STATE_CANCELED'])

  const done = await taskOf(after.sendMessage(message('this one', { taskId: asked.id })))
  expect(done).toMatchObject({ id: asked.id, contextId: 'my-context', status: { state: 'TASK_STATE_COMPLETED' } })
  expect(paramsOf(mock, 'sendMessage').at(-1)?.message).toMatchObject({
    taskId: theirs?.taskId,
    contextId: theirs?.contextId,
  })
  await after.sendMessage(message('ask', { contextId: 'my-context' }))
  expect(paramsOf(mock, 'sendMessage').at(-1)?.message).toMatchObject({ contextId: theirs?.contextId })

  const told = JSON.stringify([known, seen, canceled, done])
  for (const id of [theirs?.taskId, theirs?.contextId, theirStreamed, theirUnwanted])
    expect(told).not.toContain(`"${id}"`)
})

test('a file whose pieces come before and after kill -9 of the proxy is whole', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'parley-proxy-'))
  stops.push(() => rm(folder, { recursive: true, force: true }))
  const restarted = Promise.withResolvers<void>()
  const piece = (text: string) => ({
    artifactId: 'a',
    parts: [{ raw: Buffer.from(text).toString('base64'), filename: 'a.bin' }],
  })
  const server = createServer({
    card: {
      name: 'pieces',
      description: 'Sends a file in two pieces.',
      version: '1',
      capabilities: { streaming: true },
      defaultInputModes: ['text/plain'],
      defaultOutputModes: ['application/octet-stream'],
      skills: [{ id: 'pieces', name: 'Pieces', description: 'A file in two pieces.', tags: ['file'] }],
    },
    agent: async (_message, context) => {
      await context.artifact(piece('before, '), { lastChunk: false })
      await context.status('TASK_STATE_WORKING', 'Half of it.')
      await restarted.promise
      await context.artifact(piece('after'), { append: true, lastChunk: true })
      await context.complete()
    },
  })
  stops.push(() => server.close())
  const agent = await server.listen({ port: 0 })

  const first = await startProxy(agent, folder)
  for await (const { event } of (await connect(first)).streamMessage(message('go')))
    if ('statusUpdate' in event && event.statusUpdate.status.message !== undefined) break
  await first.stop('SIGKILL')

  const after = await connect(await startProxy(agent, folder))
  const [task] = (await after.listTasks({})).tasks
  const events = after.subscribeTask({ id: task?.id ?? '' })
  await events.next()
  restarted.resolve()
  let url = ''
  for await (const { event } of events)
    if ('artifactUpdate' in event)
      for (const part of event.artifactUpdate.artifact.parts) if ('url' in part) url = part.url
  const { version, ...key } = parseArtifactUri(url)
  const files = await openFileArtifactStore({ directory: join(folder, 'files') })
  stops.push(() => files.close())
  expect(Buffer.from((await files.load(key, version))?.bytes ?? []).toString()).toBe('before, after')
})
