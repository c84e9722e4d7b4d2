// A test with vitest against a scripted agent: `npx vitest run mock-vitest.test.ts`

import { A2AClient, textOf } from 'a2a-parley/client'
import { createMockAgent } from 'a2a-parley/mock'
import { expect, test } from 'vitest'

/** Stands for the code under test. */
async function ask(url: string, text: string): Promise<string> {
  using client = await A2AClient.connect(url)
  const message = { messageId: 'm1', role: 'ROLE_USER' as const, parts: [{ text }] }
  const result = await client.sendMessage({ message })
  return textOf('message' in result ? result.message : result.task.status.message)
}

test('says what the agent says', async () => {
  await using mock = await createMockAgent().start()
  mock.prime([[{ kind: 'status-update', status: { state: 'completed', message: { parts: [{ text: 'Sunny.' }] } } }]])

  expect(await ask(mock.url, 'How is the weather?')).toBe('Sunny.')

  const [request] = mock.requests({ operation: 'sendMessage' })
  expect(request?.requestJson).toMatchObject({ params: { message: { parts: [{ text: 'How is the weather?' }] } } })
})

test('notices a stream that breaks', async () => {
  await using mock = await createMockAgent({
    scriptText: 'rules: [{ id: slow, turns: [[{ status: working }, { complete: "Late." }]] }]',
  }).start()
  mock.inject({ do: 'reset', at: { rule: 'slow', turn: 0, afterEvent: 1 } })

  using client = await A2AClient.connect(mock.url)
  const message = { messageId: 'm1', role: 'ROLE_USER' as const, parts: [{ text: 'go' }] }
  const reading = async () => {
    for await (const _ of client.streamMessage({ message })) void _
  }
  await expect(reading()).rejects.toThrow()
})

test('tests side by side do not see each other', async () => {
  await using mock = await createMockAgent({
    scriptText: 'agent: { ids: counted }\nrules: [{ turns: [[{ complete: "Task {{task.id}}" }]] }]',
  }).start()
  const [one, two] = await Promise.all([mock.session('one'), mock.session('two')])
  expect(await ask(one.url, 'hello')).toBe('Task one-task-1')
  expect(await ask(two.url, 'hello')).toBe('Task two-task-1')
  expect(one.requests({ operation: 'sendMessage' })).toHaveLength(1)
})
