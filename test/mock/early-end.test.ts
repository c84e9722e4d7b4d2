// Streams that end, but not with the task, and streams that tell of somebody else's task: our client and the command say
// so instead of ending in silence.

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { A2AClient, type BindingId, InvalidPeerResponse } from '../../src/client/index.ts'
import { createMockAgent, type FaultInput, type MockAgent } from '../../src/mock/index.ts'
import { runParley } from '../support/parley-process.ts'

let mock: MockAgent
beforeAll(async () => {
  mock = await createMockAgent({
    scriptText: 'rules: [{ turns: [[{ status: working }, { artifact: { text: x } }, { complete: Done. }]] }]',
  }).start()
})
afterAll(() => mock.stop())
beforeEach(() => mock.reset())

async function read(binding: BindingId): Promise<number> {
  using client = await A2AClient.connect(mock.url, { transports: [binding] })
  let count = 0
  const message = { messageId: 'm', role: 'ROLE_USER' as const, parts: [{ text: 'go' }] }
  for await (const _ of client.streamMessage({ message })) count++
  return count
}

describe.each<BindingId>(['jsonrpc', 'rest'])('over %s', (binding) => {
  test.each<[string, FaultInput]>([
    ['a stream without its last event', { do: 'no-terminal-event' }],
    ['a stream that ends within an event', { do: 'truncated-body' }],
    ['a stream whose events never end', { do: 'sse-no-blank-line' }],
  ])('%s is an error', async (_, fault) => {
    mock.inject(fault)
    await expect(read(binding)).rejects.toMatchObject({
      code: 'stream-ended-early',
      message: expect.stringContaining('The stream ended before the task did'),
    })
  })

  test('an event of another task is an invalid answer', async () => {
    mock.inject({ do: 'wrong-task-id', at: { operation: 'streamMessage', afterEvent: 2 } })
    await expect(read(binding)).rejects.toThrow(InvalidPeerResponse)
    await expect(read(binding)).rejects.toThrow(/^A stream of task \S+ sent an event of task another-task\.$/)
  })

  test('a whole stream is none', async () => {
    expect(await read(binding)).toBe(4)
  })
})

test('parley send --stream prints what came, says what is missing, and ends with 1', async () => {
  mock.inject({ do: 'no-terminal-event' })
  const run = await runParley(['send', mock.url, '--stream', 'go'])
  expect(run.stdout).toContain('working')
  expect(run.stderr).toContain('The stream ended before the task did: its last state is working.')
  expect(run.code).toBe(1)
})
