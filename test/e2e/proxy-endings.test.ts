// Every way an agent can end a turn, seen through the proxy: streaming and not, exactly one outcome, the right one.

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterEach, describe, expect, test } from 'vitest'
import { createMemoryArtifactStore } from '../../src/artifacts/memory-store.ts'
import { A2AClient } from '../../src/client/a2a-client.ts'
import { createMockAgent, type FaultInput } from '../../src/mock/index.ts'
import { A2AError } from '../../src/model/errors.ts'
import type { StreamEvent } from '../../src/model/event.ts'
import type { JsonObject, JsonValue } from '../../src/model/json.ts'
import { isTerminal } from '../../src/model/state-machine.ts'
import { type TaskState, textOf } from '../../src/model/task.ts'
import type { AgentOptions } from '../../src/proxy/proxied-agent.ts'
import { createProxy } from '../../src/proxy/proxy.ts'
import { Webhook } from '../support/webhook.ts'

const stops: (() => Promise<void> | void)[] = []
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop()
})

const GENERATIONS = ['1.0', '0.3'] as const
const WORKING = { kind: 'status-update', status: { state: 'working', message: say('Working.') } }

function say(text: string): JsonValue {
  return { role: 'agent', parts: [{ kind: 'text', text }] }
}

function ending(state: string): JsonValue {
  return [[WORKING, { kind: 'status-update', status: { state, message: say(`This is ${state}.`) } }]]
}

interface Setup {
  responses: JsonValue
  generation?: (typeof GENERATIONS)[number]
  faults?: readonly FaultInput[]
  agent?: Partial<AgentOptions>
  script?: string
}

async function start({ responses, generation = '1.0', faults = [], agent = {}, script }: Setup) {
  const options = script === undefined ? {} : { scriptText: script }
  const mock = await createMockAgent(options).start()
  stops.push(() => mock.stop())
  if (script === undefined) mock.prime(responses)
  const proxy = createProxy({
    agents: [{ name: 'agent', url: `${mock.url}/v${generation}`, idleTimeoutMs: 150, totalTimeoutMs: 2_000, ...agent }],
    artifacts: createMemoryArtifactStore(),
  })
  const { url } = await proxy.listen()
  stops.push(() => proxy.close({ graceMs: 0 }))
  const client = await A2AClient.connect(url)
  stops.push(() => client.close())
  for (const fault of faults) mock.inject(fault)
  return { mock, client, url }
}

function message(text = 'go', ids: { taskId?: string } = {}) {
  return { message: { messageId: crypto.randomUUID(), role: 'ROLE_USER' as const, parts: [{ text }], ...ids } }
}

interface Outcome {
  states: TaskState[]
  text: string
  error?: A2AError
  metadata?: JsonObject
}

/** What a caller learns: the states in order, the last words, or the error. */
async function outcomeOf(client: A2AClient, mode: 'stream' | 'send'): Promise<Outcome> {
  const seen: Outcome = { states: [], text: '' }
  const note = (event: StreamEvent) => {
    if ('message' in event) seen.text = textOf(event.message)
    const status = 'task' in event ? event.task.status : 'statusUpdate' in event ? event.statusUpdate.status : undefined
    if ('statusUpdate' in event && event.statusUpdate.metadata) seen.metadata = event.statusUpdate.metadata
    if (status === undefined) return
    seen.states.push(status.state)
    seen.text = textOf(status.message)
  }
  try {
    if (mode === 'send') note(await client.sendMessage(message()))
    else for await (const { event } of client.streamMessage(message())) note(event)
  } catch (error) {
    if (!(error instanceof A2AError)) throw error
    seen.error = error
  }
  return seen
}

function terminalCount({ states }: Outcome): number {
  return states.filter(isTerminal).length
}

describe.each(['stream', 'send'] as const)('%s', (mode) => {
  describe.each(GENERATIONS)('%s', (generation) => {
    test.each([
      ['completed', 'TASK_STATE_COMPLETED', 1],
      ['failed', 'TASK_STATE_FAILED', 1],
      ['canceled', 'TASK_STATE_CANCELED', 1],
      ['rejected', 'TASK_STATE_REJECTED', 1],
      ['input-required', 'TASK_STATE_INPUT_REQUIRED', 0],
      ['auth-required', 'TASK_STATE_AUTH_REQUIRED', 0],
    ] as const)('%s stays %s', async (state, expected, terminal) => {
      const { client } = await start({ responses: ending(state), generation })
      const outcome = await outcomeOf(client, mode)
      expect(outcome.states.at(-1)).toBe(expected)
      expect(outcome.text).toBe(`This is ${state}.`)
      expect(terminalCount(outcome)).toBe(terminal)
    })

    test('a message stays a message', async () => {
      const { client } = await start({ responses: [[{ kind: 'message', ...(say('Hello.') as object) }]], generation })
      expect(await outcomeOf(client, mode)).toEqual({ states: [], text: 'Hello.' })
    })

    test('an error before the stream keeps its kind and words', async () => {
      const script =
        'rules: [{ id: no, match: {}, turns: [[{ error: { kind: ContentTypeNotSupported, message: No tea. } }]] }]'
      const { client } = await start({ responses: [], generation, script })
      const { error, states } = await outcomeOf(client, mode)
      expect(error?.kind).toBe('ContentTypeNotSupported')
      expect(error?.message).toContain('No tea.')
      expect(states).toEqual([])
    })

    test.each([
      [401, 'Unauthenticated'],
      [503, 'Unavailable'],
    ] as const)('HTTP %i is %s', async (status, kind) => {
      const faults = [{ do: 'http-status', with: { status }, at: { operation: sent(mode) } }] as const
      const { client } = await start({ responses: ending('completed'), generation, faults })
      const outcome = await outcomeOf(client, mode)
      expect(outcome.error?.kind).toBe(kind)
      expect(outcome.states).toEqual([])
    })

    test('a connection cut before the headers is an error, once', async () => {
      const faults = [{ do: 'reset-before-headers', at: { operation: sent(mode) } }] as const
      const { client } = await start({ responses: ending('completed'), generation, faults })
      const outcome = await outcomeOf(client, mode)
      expect(outcome.error?.kind).toBe('Unavailable')
      expect(outcome.states).toEqual([])
    })

    test('silence ends with a timeout', async () => {
      const faults = [{ do: 'hang', at: { operation: sent(mode) } }] as const
      const agent = { totalTimeoutMs: 150 }
      const { client } = await start({ responses: ending('completed'), generation, faults, agent })
      const outcome = await outcomeOf(client, mode)
      if (outcome.error === undefined) expect(outcome.states.at(-1)).toBe('TASK_STATE_FAILED')
      else expect(outcome.error.kind).toBe('Unavailable')
      expect(terminalCount(outcome)).toBe(outcome.error === undefined ? 1 : 0)
    })
  })
})

function sent(mode: 'stream' | 'send'): 'streamMessage' | 'sendMessage' {
  return mode === 'stream' ? 'streamMessage' : 'sendMessage'
}

describe('a broken stream', () => {
  const CUT: readonly FaultInput[] = [{ do: 'reset-after-event', at: { operation: 'streamMessage', afterEvent: 2 } }]

  test.each<[string, FaultInput]>([
    ['cut after an event', { do: 'reset-after-event', at: { operation: 'streamMessage', afterEvent: 2 } }],
    ['cut in the middle of a frame', { do: 'reset-mid-frame', at: { operation: 'streamMessage', afterEvent: 2 } }],
    ['ended without a terminal event', { do: 'no-terminal-event', at: { operation: 'streamMessage' } }],
    ['silent for too long', { do: 'hang', at: { operation: 'streamMessage', afterEvent: 2 } }],
    ['naming another task', { do: 'wrong-task-id', at: { operation: 'streamMessage', afterEvent: 2 } }],
  ])('%s: failed once, with a reason', async (_, fault) => {
    const { client } = await start({ responses: ending('completed'), faults: [fault] })
    const outcome = await outcomeOf(client, 'stream')
    expect(outcome.states.at(-1)).toBe('TASK_STATE_FAILED')
    expect(terminalCount(outcome)).toBe(1)
    expect(outcome.text).toMatch(/stream|another task/)
    const { tasks } = await client.listTasks({})
    expect(tasks.map(({ status }) => status.state)).toEqual(['TASK_STATE_FAILED'])
  })

  test('asked about afterwards, when so configured, the agent has the last word', async () => {
    const { client } = await start({ responses: ending('completed'), faults: CUT, agent: { askAfterCut: true } })
    const outcome = await outcomeOf(client, 'stream')
    expect(outcome.states.at(-1)).toBe('TASK_STATE_COMPLETED')
    expect(terminalCount(outcome)).toBe(1)
  })

  test('what comes after the terminal event changes nothing', async () => {
    const faults: FaultInput[] = [{ do: 'event-after-terminal', at: { operation: 'streamMessage' } }]
    const { client } = await start({ responses: ending('completed'), faults })
    const outcome = await outcomeOf(client, 'stream')
    expect(outcome.states.at(-1)).toBe('TASK_STATE_COMPLETED')
    expect(terminalCount(outcome)).toBe(1)
  })

  test('an error in the stream fails the task and keeps kind, words and data', async () => {
    const frames = [
      { result: { statusUpdate: { taskId: 't-1', contextId: 'c-1', status: { state: 'TASK_STATE_WORKING' } } } },
      { error: { code: -32005, message: 'Out of tea.', data: [{ '@type': 'x', shelf: 'empty' }] } },
    ]
    const { client } = await startRaw(frames)
    const outcome = await outcomeOf(client, 'stream')
    expect(outcome.states).toEqual(['TASK_STATE_WORKING', 'TASK_STATE_FAILED'])
    expect(outcome.text).toContain('Out of tea.')
    expect(outcome.metadata).toMatchObject({
      downstreamError: { kind: 'ContentTypeNotSupported', details: [{ shelf: 'empty' }] },
    })
  })

  test('an error as the first frame is an error, not a task', async () => {
    const { client } = await startRaw([{ error: { code: -32005, message: 'Out of tea.' } }])
    const outcome = await outcomeOf(client, 'stream')
    expect(outcome.error?.kind).toBe('ContentTypeNotSupported')
    expect(outcome.states).toEqual([])
  })

  test('cut after the terminal event is no failure', async () => {
    const status = { state: 'TASK_STATE_COMPLETED' }
    const { client } = await startRaw([{ result: { statusUpdate: { taskId: 't-1', contextId: 'c-1', status } } }])
    const outcome = await outcomeOf(client, 'stream')
    expect(outcome.states).toEqual(['TASK_STATE_COMPLETED'])
  })
})

/** An agent that sends exactly these frames to whoever streams, and then loses the connection. */
async function startRaw(frames: readonly JsonValue[]) {
  const server = createServer((req, res) => {
    if (req.method === 'GET') {
      const { port } = server.address() as AddressInfo
      const supportedInterfaces = [
        { url: `http://127.0.0.1:${port}/rpc`, protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
      ]
      const modes = { defaultInputModes: ['text/plain'], defaultOutputModes: ['text/plain'] }
      const skills = [{ id: 's', name: 's', description: 's', tags: ['s'] }]
      const card = {
        name: 'raw',
        description: 'raw',
        version: '1',
        capabilities: { streaming: true },
        ...modes,
        skills,
      }
      res.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify({ ...card, supportedInterfaces }))
      return
    }
    void text(req).then((body) => {
      const { id } = JSON.parse(body) as { id: number }
      res.writeHead(200, { 'Content-Type': 'text/event-stream' })
      for (const frame of frames) res.write(`data: ${JSON.stringify({ jsonrpc: '2.0', id, ...(frame as object) })}\n\n`)
      res.socket?.destroySoon()
    })
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  stops.push(() => void server.close())
  const { port } = server.address() as AddressInfo
  const proxy = createProxy({ agents: [{ name: 'raw', url: `http://127.0.0.1:${port}`, idleTimeoutMs: 500 }] })
  const { url } = await proxy.listen()
  stops.push(() => proxy.close({ graceMs: 0 }))
  const client = await A2AClient.connect(url)
  stops.push(() => client.close())
  return { client }
}

test('a follow-up reaches the task that asked for it', async () => {
  const responses = [
    ...(ending('auth-required') as JsonValue[]),
    [{ kind: 'status-update', status: { state: 'completed', message: say('Thanks.') } }],
  ]
  const { client } = await start({ responses })
  const asked = await client.sendMessage(message())
  const taskId = 'task' in asked ? asked.task.id : ''
  const answered = await client.sendMessage(message('here', { taskId }))
  expect(answered).toMatchObject({ task: { id: taskId, status: { state: 'TASK_STATE_COMPLETED' } } })
})

test('an agent that went away is an error that says so', async () => {
  const { mock, client } = await start({ responses: ending('completed') })
  await mock.stop()
  const outcome = await outcomeOf(client, 'send')
  expect(outcome.error?.kind).toBe('Unavailable')
  expect(outcome.error?.message).toContain('did not answer')
})

test.each(['memory', 'sqlite::memory:'])(
  'the webhook of a message whose answer is a complete task is told of the end: %s',
  async (store) => {
    const mock = await createMockAgent({ scriptText: 'rules: [{ id: one, turns: [[{ complete: Done. }]] }]' }).start()
    stops.push(() => mock.stop())
    const agents = [{ name: 'agent', url: mock.url }]
    const proxy = createProxy({ agents, store, allowPrivateWebhooks: true })
    stops.push(() => proxy.close({ graceMs: 0 }))
    const client = await A2AClient.connect((await proxy.listen()).url)
    stops.push(() => client.close())
    await using hook = await Webhook.open()
    const configuration = { taskPushNotificationConfig: { url: hook.url } }
    const result = await client.sendMessage({ ...message(), configuration })
    await hook.until((all) => all.length > 0)
    const status = 'task' in result ? result.task.status : undefined
    expect(status?.state).toBe('TASK_STATE_COMPLETED')
    expect(hook.received.map(({ body }) => body.statusUpdate)).toMatchObject([{ status }])

    await using late = await Webhook.open()
    const taskId = 'task' in result ? result.task.id : ''
    await client.createPushConfig({ taskId, url: late.url })
    await late.until((all) => all.length > 0)
    expect(late.received.map(({ body }) => body.statusUpdate)).toMatchObject([{ status }])
  },
)
