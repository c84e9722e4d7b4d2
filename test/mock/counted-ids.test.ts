// `ids: counted`: a test can write down the ids it will see, in every run and in every session.

import { expect, test } from 'vitest'
import { A2AClient, type Task } from '../../src/client/index.ts'
import { createMockAgent } from '../../src/mock/index.ts'

const SCRIPT = `
agent: { ids: counted }
rules:
  - id: report
    match: { text: report }
    turns:
      - - { status: working, text: "Working." }
        - { artifact: { name: report.txt, text: "a" } }
        - { input-required: "Totals?" }
      - - { complete: "Done." }
`

async function send(url: string, text: string, taskId?: string): Promise<Task> {
  using client = await A2AClient.connect(url)
  const result = await client.sendMessage({
    message: { messageId: 'mine', role: 'ROLE_USER', parts: [{ text }], ...(taskId === undefined ? {} : { taskId }) },
  })
  if (!('task' in result)) throw new Error('expected a task')
  return result.task
}

test('tasks, contexts, messages and artifacts are named by counting', async () => {
  await using mock = await createMockAgent({ scriptText: SCRIPT }).start()
  const first = await send(mock.url, 'report')
  expect(first).toMatchObject({
    id: 'task-1',
    contextId: 'context-1',
    status: { message: { messageId: 'task-1-0-2' } },
    artifacts: [{ artifactId: 'artifact-0-1' }],
  })
  expect(await send(mock.url, 'report')).toMatchObject({ id: 'task-2', contextId: 'context-2' })
  expect(await send(mock.url, 'yes', 'task-1')).toMatchObject({
    id: 'task-1',
    status: { message: { messageId: 'task-1-1-0' } },
  })
})

test('generations share the count, because they share the tasks', async () => {
  await using mock = await createMockAgent({ scriptText: SCRIPT }).start()
  expect(await send(`${mock.url}/v1.0`, 'report')).toMatchObject({ id: 'task-1' })
  expect(await send(`${mock.url}/v0.3`, 'report')).toMatchObject({ id: 'task-2' })
})

test('a session counts for itself, and a reset begins again and forgets the tasks', async () => {
  await using mock = await createMockAgent({ scriptText: SCRIPT }).start()
  const session = await mock.session('mine')
  expect(await send(session.url, 'report')).toMatchObject({ id: 'mine-task-1' })
  expect(await send(mock.url, 'report')).toMatchObject({ id: 'task-1' })
  mock.reset()
  using client = await A2AClient.connect(mock.url)
  await expect(client.getTask({ id: 'task-1' })).rejects.toMatchObject({ kind: 'TaskNotFound' })
  expect(await send(mock.url, 'report')).toMatchObject({ id: 'task-1' })
})

test('without it, ids are random', async () => {
  await using mock = await createMockAgent({ scriptText: SCRIPT.replace('agent: { ids: counted }', '') }).start()
  expect((await send(mock.url, 'report')).id).toMatch(/^[0-9a-f-]{36}$/)
})
