// What the agent promises: `npm test`

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { A2AClient } from 'a2a-parley/client'
import { createServer } from 'a2a-parley/server'
import options from './agent.ts'

await test('greets whoever writes', async () => {
  const server = createServer(options)
  const { url } = await server.listen()
  try {
    using client = await A2AClient.connect(url)
    const message = { messageId: crypto.randomUUID(), role: 'ROLE_USER' as const, parts: [{ text: 'Ada' }] }
    const result = await client.sendMessage({ message })
    assert('task' in result)
    assert.equal(result.task.status.state, 'TASK_STATE_COMPLETED')
    const [greeting] = result.task.artifacts ?? []
    assert.equal(greeting?.parts.map((part) => ('text' in part ? part.text : '')).join(''), 'Hello, Ada!')
  } finally {
    await server.close()
  }
})
