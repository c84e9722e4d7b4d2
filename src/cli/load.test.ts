import { afterAll, beforeAll, expect, test } from 'vitest'
import { runCommand } from '../../test/peers/recorded-io.ts'
import { parseScript } from '../mock/script/load-script.ts'
import { MockServer } from '../mock/server.ts'
import { type LoadResult, loadCommand } from './load.ts'

const server = new MockServer({
  script: parseScript('rules: [{ match: { text: hello }, turns: [[{ message: hi }]] }]'),
})
beforeAll(() => server.start())
afterAll(() => server.stop())

test('sends as many as asked, and counts answers and failures', async () => {
  const good = await runCommand(loadCommand, [server.url, '--requests', '20', '--concurrency', '4', '-o', 'json'])
  const { sent, answered, latencyMs } = JSON.parse(good.out) as LoadResult
  expect([sent, answered, good.exitCode]).toEqual([20, 20, 0])
  expect(latencyMs.p50).toBeLessThanOrEqual(latencyMs.max)
  const bad = await runCommand(loadCommand, [server.url, 'unknown', '--requests', '3', '--concurrency', '1'])
  expect(bad.out).toMatch(/^0 answers in .*\n3 failed: 3 × \w+\n/)
  expect(bad.exitCode).toBe(1)
})

test('a host that is not this machine is not loaded without a yes', async () => {
  await expect(runCommand(loadCommand, ['https://agent.example.com'])).rejects.toMatchObject({
    exitCode: 2,
    message: expect.stringContaining('puts load on https://agent.example.com'),
    hint: 'If it is, add --yes.',
  })
})
