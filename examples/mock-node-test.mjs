// A test with node:test against a scripted agent: `node --test mock-node-test.mjs`

import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { A2AClient, textOf } from 'a2a-parley/client'
import { createMockAgent } from 'a2a-parley/mock'

const mock = createMockAgent({
  scriptText: `
    rules:
      - id: report
        match: { text: { regex: "report (?<name>\\\\w+)" } }
        turns:
          - - { status: working }
            - { artifact: { name: "{{captures.name}}.csv", mediaType: text/csv, text: "a,b" } }
            - { input-required: "Include totals?" }
          - - { complete: "Done." }
  `,
})

before(() => mock.start())
after(() => mock.stop())
beforeEach(() => mock.reset())

/** Stands for the code under test: asks for a report and agrees to everything. */
async function fetchReport(url, name) {
  using client = await A2AClient.connect(url)
  const say = (text, taskId) =>
    client.sendMessage({ message: { messageId: text, role: 'ROLE_USER', parts: [{ text }], taskId } })
  const { task } = await say(`report ${name}`)
  const done = await say('yes', task.id)
  return { file: task.artifacts[0].name, answer: textOf(done.task.status.message) }
}

test('asks for the report and answers the question', async () => {
  assert.deepEqual(await fetchReport(mock.url, 'sales'), { file: 'sales.csv', answer: 'Done.' })
  mock.verify('report', { times: 1 })
  mock.verify()
})

test('fails when the agent is down for a moment', async () => {
  mock.failOnce(503, { retryAfter: 1 })
  await assert.rejects(fetchReport(mock.url, 'sales'))
})
