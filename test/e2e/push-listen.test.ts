// `parley listen` with a real server pushing to it, and with notifications that are wrong.

import { describe, expect, test } from 'vitest'
import { referenceAgents } from '../../src/agents/reference.ts'
import { listenCommand } from '../../src/cli/listen.ts'
import { A2AClient } from '../../src/client/a2a-client.ts'
import { createServer } from '../../src/server/server.ts'

type Line = Record<string, unknown>

/** Runs the command until it has received `count`, and calls `work` with its address. */
async function listening(args: readonly string[], count: number, work: (url: string) => Promise<void>) {
  const ready = Promise.withResolvers<string>()
  let out = ''
  let exitCode = 0
  const command = listenCommand({
    out(text) {
      out += text
      const url = /http:\/\/127\.0\.0\.1:\d+/.exec(text)?.[0]
      if (url !== undefined) ready.resolve(url)
    },
    err() {},
    stdin: async () => '',
    exit(code) {
      exitCode = code
    },
  })
  const run = command.exitOverride().parseAsync([...args, '--count', String(count)], { from: 'user' })
  await work(await Promise.race([ready.promise, run.then(() => '')]))
  await run
  return {
    out,
    exitCode,
    lines: () =>
      out
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as Line),
  }
}

async function post(url: string, body: string, headers: Record<string, string> = {}): Promise<number> {
  const answer = await fetch(url, { method: 'POST', body, headers: { 'Content-Type': 'application/json', ...headers } })
  return answer.status
}

const relay = { target: undefined, allowsChosenTargets: false, forward: () => Promise.reject(new Error('unused')) }

describe('parley listen', () => {
  test('shows what an agent pushes in each generation, and finds nothing wrong', async () => {
    const server = createServer({ agents: referenceAgents({ relay }), allowPrivateNetworks: true })
    const { url: base } = await server.listen()
    const result = await listening(['-o', 'json', '--token', 'tok'], 10, async (url) => {
      for (const [path, version] of [
        ['/push', '1.0'],
        ['/push', '0.3'],
        ['/legacy', '0.1'],
      ] as const) {
        using client = await A2AClient.connect(base + path, { versions: [version] })
        await client.sendMessage({
          message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'task-lifecycle go' }] },
          configuration: { taskPushNotificationConfig: { url, token: 'tok' } },
        })
      }
    })
    await server.close()
    expect(result.exitCode).toBe(0)
    const deliveries = result.lines().filter(({ event }) => event === 'delivery')
    expect(deliveries).toHaveLength(10)
    for (const each of deliveries) expect(each).toMatchObject({ issues: [], token: 'right', answered: 200 })
    expect(new Set(deliveries.map(({ generation }) => generation))).toEqual(new Set(['1.0', '0.3', '0.1']))
  })

  test('says what is wrong, on one line each, and ends with 1', async () => {
    const result = await listening([], 4, async (url) => {
      expect(await post(url, '{"statusUpdate":{"taskId":"t"}}')).toBe(200)
      expect(await post(url, '{"hello":"\\u001b[31m"}')).toBe(200)
      expect(await post(url, 'no json')).toBe(200)
      expect(await post(url, '{"kind":"task","id":"t"}', { 'Content-Type': 'text/plain' })).toBe(200)
    })
    expect(result.exitCode).toBe(1)
    expect(result.out).toContain('A2A 1.0 · status · task t')
    expect(result.out).toContain('wrong: /statusUpdate/status is required')
    expect(result.out).toContain('wrong: the body does not match any protocol version of A2A')
    expect(result.out).toContain('wrong: the body is not JSON')
    expect(result.out).toContain('wrong: Content-Type is text/plain')
    expect(result.out).not.toContain('\u001b')
  })

  test('a wrong or missing token is answered 401 and never shown', async () => {
    const event = '{"taskId":"t","eventType":"status","status":{"state":"working"}}'
    const result = await listening(['--token', 'tok', '-o', 'json'], 3, async (url) => {
      expect(await post(url, event, { 'X-A2A-Notification-Token': 'other-secret' })).toBe(401)
      expect(await post(url, event)).toBe(401)
      expect(await post(url, event, { Authorization: 'Bearer tok' })).toBe(200)
    })
    expect(result.exitCode).toBe(1)
    expect(result.out).not.toContain('other-secret')
    expect(
      result
        .lines()
        .slice(1)
        .map(({ token }) => token),
    ).toEqual(['wrong', 'absent', 'right'])
  })

  test('a repeated delivery is marked, and the answer can be chosen', async () => {
    const result = await listening(['--answer', '503'], 2, async (url) => {
      for (const attempt of ['1', '2']) {
        const headers = { 'X-Parley-Delivery-Id': 'd1', 'X-Parley-Attempt': attempt }
        expect(await post(url, '{"kind":"message"}', headers)).toBe(503)
      }
    })
    expect(result.out).toMatch(/attempt 2 · again · answered 503/)
  })

  test('an impossible flag is named', async () => {
    await expect(listening(['--answer', '99'], 1, async () => {})).rejects.toThrow(
      '--answer takes a whole number from 200 to 599, not "99".',
    )
  })
})
