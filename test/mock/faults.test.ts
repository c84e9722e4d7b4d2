// Every fault of the catalogue against two clients, ours and the official JavaScript SDK's, streaming and not. What
// each client did is kept in fault-reactions.txt: a change there is a change in behaviour.

import { randomUUID } from 'node:crypto'
import { Role } from '@a2a-js/sdk'
import { ClientFactory } from '@a2a-js/sdk/client'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { A2AClient, A2AError, ParleyError } from '../../src/client/index.ts'
import { FAULT_NAMES, type FaultName } from '../../src/mock/faults/catalogue.ts'
import { createMockAgent, type FaultInput, type MockAgent } from '../../src/mock/index.ts'

const SCRIPT = `
rules:
  - id: work
    turns:
      - - { status: working, text: "Grüße 🎉" }
        - { artifact: { name: a.bin, base64: "AAECAw==" } }
        - { status: working, text: "almost" }
        - { complete: "Done." }
`

let mock: MockAgent
beforeAll(async () => {
  mock = await createMockAgent({ scriptText: SCRIPT }).start()
})
afterAll(() => mock.stop())
beforeEach(() => mock.reset())

const WITH: { readonly [name in FaultName]?: FaultInput['with'] } = {
  'http-status': { status: 503, body: 'busy', retryAfter: 1 },
  'slow-drip': { bytes: 400, interval: '1ms' },
}

/** Long enough for an answer from this machine, short enough to call silence silence. */
const SILENCE_MS = 400

const message = () => ({ messageId: randomUUID(), role: 'ROLE_USER' as const, parts: [{ text: 'go' }] })

async function ourUnary(): Promise<string> {
  using client = await A2AClient.connect(mock.url, { transports: ['jsonrpc'], fallback: false })
  const result = await client.sendMessage({ message: message() })
  return 'task' in result ? `task ${short(result.task.status.state)}` : 'message'
}

async function ourStream(): Promise<string> {
  using client = await A2AClient.connect(mock.url, { transports: ['jsonrpc'], fallback: false })
  const seen: string[] = []
  return await told(seen, async () => {
    for await (const { event } of client.streamMessage({ message: message() }))
      if ('task' in event) seen.push(short(event.task.status.state))
      else if ('statusUpdate' in event) seen.push(short(event.statusUpdate.status.state))
      else seen.push('artifactUpdate' in event ? 'artifact' : 'message')
  })
}

const sdkRequest = () => ({
  tenant: '',
  message: {
    messageId: randomUUID(),
    contextId: '',
    taskId: '',
    role: Role.ROLE_USER,
    parts: [{ content: { $case: 'text' as const, value: 'go' }, metadata: undefined, filename: '', mediaType: '' }],
    metadata: undefined,
    extensions: [],
    referenceTaskIds: [],
  },
  configuration: undefined,
  metadata: undefined,
})

const STATES = [
  'unspecified',
  'submitted',
  'working',
  'completed',
  'failed',
  'canceled',
  'input-required',
  'rejected',
  'auth-required',
]

function sdkState(state: number | undefined): string {
  return STATES[state ?? 0] ?? `state ${state}`
}

async function sdkUnary(): Promise<string> {
  const client = await new ClientFactory().createFromUrl(mock.url)
  const result = await client.sendMessage(sdkRequest())
  return 'status' in result ? `task ${sdkState(result.status?.state)}` : 'message'
}

async function sdkStream(): Promise<string> {
  const client = await new ClientFactory().createFromUrl(mock.url)
  const seen: string[] = []
  return told(seen, async () => {
    for await (const { payload } of client.sendMessageStream(sdkRequest())) {
      if (payload?.$case === 'task' || payload?.$case === 'statusUpdate')
        seen.push(sdkState(payload.value.status?.state))
      else seen.push(payload?.$case === 'artifactUpdate' ? 'artifact' : (payload?.$case ?? 'nothing'))
    }
  })
}

/** What was seen, and how it ended. */
async function told(seen: string[], run: () => Promise<void>): Promise<string> {
  let silence: NodeJS.Timeout | undefined
  const silent = new Promise<string>((resolve) => {
    silence = setTimeout(() => resolve('waits'), SILENCE_MS)
  })
  const end = await Promise.race([run().then(() => 'end', nameOf), silent])
  clearTimeout(silence)
  return [...seen, end].join(', ')
}

function nameOf(error: unknown): string {
  if (error instanceof A2AError) return `error ${error.kind}`
  if (error instanceof ParleyError) return `error ${error.code}`
  return error instanceof Error ? `error ${error.constructor.name}` : 'error'
}

function short(state: string): string {
  return state.replace('TASK_STATE_', '').toLowerCase().replaceAll('_', '-')
}

async function answered(run: () => Promise<string>): Promise<string> {
  let answer = ''
  const end = await told([], async () => {
    answer = await run()
  })
  return end === 'end' ? answer : end
}

const rows: string[] = []

describe('each fault', () => {
  test.each(FAULT_NAMES)('%s acts, and both clients react', async (name) => {
    const probes = [
      ['ours, one answer', () => answered(ourUnary)],
      ['ours, stream', ourStream],
      ['SDK, one answer', () => answered(sdkUnary)],
      ['SDK, stream', sdkStream],
    ] as const
    for (const [who, probe] of probes) {
      mock.reset()
      mock.inject({ do: name, ...(WITH[name] === undefined ? {} : { with: WITH[name] }) })
      const reaction = await probe().catch(nameOf)
      rows.push(`${name.padEnd(26)}${who.padEnd(18)}${reaction}`)
      const struck = mock.requests().filter(({ fault }) => fault === name)
      expect(struck.length, `${name} struck a request of ${who}`).toBeGreaterThan(0)
    }
  })

  test('the reactions are the known ones', async () => {
    const table = `Each fault of the mock against our client and the official JavaScript SDK 1.3.\n\n${rows.join('\n')}\n`
    await expect(table).toMatchFileSnapshot('fault-reactions.txt')
  })
})

describe('what SSE allows is no fault to a reader', () => {
  const whole = 'submitted, working, artifact, working, completed, end'
  test.each<FaultName>(['sse-crlf', 'sse-comments', 'sse-multiline-data', 'sse-split-utf8', 'slow-drip'])(
    '%s',
    async (name) => {
      mock.inject({ do: name, ...(WITH[name] === undefined ? {} : { with: WITH[name] }) })
      expect(await ourStream()).toBe(whole)
    },
  )
})

test('a fault strikes only where and as often as it is told to', async () => {
  mock.inject({ do: 'reset', at: { rule: 'work', turn: 0, afterEvent: 2 }, count: 1 })
  mock.inject({ do: 'http-status', with: { status: 500 }, at: { operation: 'getTask' }, after: 1 })
  expect(await ourStream()).toMatch(/^submitted, working, error/)
  expect(await ourStream()).toMatch(/completed, end$/)
  using client = await A2AClient.connect(mock.url, { transports: ['rest'] })
  const { tasks } = await client.listTasks({})
  const id = tasks[0]?.id ?? ''
  await expect(client.getTask({ id })).resolves.toMatchObject({ id })
  await expect(client.getTask({ id })).rejects.toThrow()
})
