// The ITK peer as the kit exercises it: instructions that travel through two servers over every binding and in every
// manner, tasks that are held, and calls that go no further than the operator allows.

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { referenceAgents } from '../../src/agents/reference.ts'
import { itkCallWith } from '../../src/cli/itk-call.ts'
import { A2AClient } from '../../src/client/a2a-client.ts'
import { type Task, textOf } from '../../src/model/task.ts'
import { type A2AServer, createServer } from '../../src/server/index.ts'
import { callAgent, instructionPart, respond, steps } from '../peers/itk-wire.ts'
import { Webhook } from '../support/webhook.ts'

const forward = () => Promise.reject(new Error('nothing is relayed here'))
const relay = { target: undefined, allowsChosenTargets: false, forward }

function serverWith(options: { allowsCalls: boolean; allowsPrivate: boolean }): A2AServer {
  const itk = { allowsCalls: options.allowsCalls, call: itkCallWith({ allowsPrivate: options.allowsPrivate }) }
  return createServer({ agents: referenceAgents({ relay, itk, root: 'itk' }), allowPrivateWebhooks: true })
}

let servers: A2AServer[]
let first: string
let second: string

beforeAll(async () => {
  servers = [0, 1].map(() => serverWith({ allowsCalls: true, allowsPrivate: true }))
  const [one, two] = await Promise.all(servers.map((server) => server.listen()))
  first = one?.url ?? ''
  second = two?.url ?? ''
})

afterAll(() => Promise.all(servers.map((server) => server.close({ graceMs: 0 }))))

async function instruct(url: string, instruction: Uint8Array): Promise<Task> {
  using client = await A2AClient.connect(url)
  const answer = await client.sendMessage({
    message: { messageId: 'm', role: 'ROLE_USER', parts: [instructionPart(instruction)] },
  })
  if ('message' in answer) throw new Error('expected a task')
  return answer.task
}

const wordsOf = ({ status }: Task) => textOf(status.message)

describe.each(['jsonrpc', 'http_json'])('over %s', (transport) => {
  test.each([
    ['a message', {}],
    ['a stream', { isStreaming: true }],
  ])('an instruction goes there and back as %s', async (_, manner) => {
    const back = callAgent({ transport, cardUri: first, instruction: respond('arrived'), ...manner })
    const there = callAgent({ transport, cardUri: second, instruction: steps(respond('second'), back), ...manner })
    const task = await instruct(first, steps(respond('first'), there))
    expect(task.status.state).toBe('TASK_STATE_COMPLETED')
    expect(wordsOf(task)).toBe('first\nsecond\narrived')
  })

  test('a held task is left, found again and ended', async () => {
    const held = respond('held words', true)
    const call = { transport, cardUri: second, instruction: held, isStreaming: true, resubscribes: true }
    expect(wordsOf(await instruct(first, callAgent(call)))).toContain('held words')
    using client = await A2AClient.connect(`${second}/itk`)
    const { tasks } = await client.listTasks({ status: 'TASK_STATE_WORKING' })
    expect(tasks).toEqual([])
  })

  test('the called agent tells the webhook it was given', async () => {
    const webhook = await Webhook.open()
    const { origin } = new URL(webhook.url)
    const call = { transport, cardUri: second, instruction: respond('told'), webhook: origin }
    expect(wordsOf(await instruct(first, callAgent(call)))).toBe('told')
    const received = await webhook.until((all) => all.some(({ text }) => text.includes('told')))
    expect(received[0]).toMatchObject({ path: '/notifications', headers: { 'x-a2a-notification-token': 'itk-token' } })
    await webhook.close()
  })
})

test('JSON-RPC is also where the kit looks for it', async () => {
  const message = { messageId: 'm', role: 'ROLE_USER', parts: [instructionPart(respond('here'))] }
  const response = await fetch(`${first}/jsonrpc/`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'A2A-Version': '1.0' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'SendMessage', params: { message } }),
  })
  expect(await response.json()).toMatchObject({ result: { task: { status: { state: 'TASK_STATE_COMPLETED' } } } })
})

describe('what is not done', () => {
  const call = (transport: string, cardUri: string) => callAgent({ transport, cardUri, instruction: respond('x') })

  test('without an instruction the task fails', async () => {
    const task = await instruct(first, new Uint8Array())
    expect(task.status.state).toBe('TASK_STATE_FAILED')
    expect(wordsOf(task)).toBe('There is no valid instruction in the message.')
  })

  test('a binding we do not have fails the task', async () => {
    const task = await instruct(first, call('pigeon', second))
    expect(task.status.state).toBe('TASK_STATE_FAILED')
    expect(wordsOf(task)).toBe('Agents cannot be called over pigeon from here.')
  })

  test('a file is not read', async () => {
    expect(wordsOf(await instruct(first, call('jsonrpc', 'card.json')))).toBe(
      'The address of a card must be an http URL.',
    )
  })

  test.each([
    ['calls are not allowed', { allowsCalls: false, allowsPrivate: false }, 'Messages must not choose agents'],
    ['private networks are not allowed', { allowsCalls: true, allowsPrivate: false }, 'must not be called from here'],
  ])('no call where %s', async (_, options, words) => {
    const guarded = serverWith(options)
    const { url } = await guarded.listen()
    const task = await instruct(url, call('jsonrpc', second))
    expect(task.status.state).toBe('TASK_STATE_FAILED')
    expect(wordsOf(task)).toContain(words)
    await guarded.close({ graceMs: 0 })
  })
})
