import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runCommand } from '../../test/peers/recorded-io.ts'
import { answering, Webhook } from '../../test/support/webhook.ts'
import { PUSH_CARD } from '../agents/cards.ts'
import { specAgent } from '../agents/spec.ts'
import { A2AClient } from '../client/a2a-client.ts'
import { type A2AServer, createServer } from '../server/server.ts'
import { pushCommand } from './push.ts'

const push = (...args: string[]) => runCommand(pushCommand, args)

describe('parley push beside a running server', () => {
  let directory: string
  let store: string
  let server: A2AServer
  let url: string
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'parley-push-'))
    store = `sqlite:${join(directory, 'tasks.db')}`
    const agents = [{ card: PUSH_CARD, agent: specAgent }]
    // The lease is also how soon a server looks for what others changed in the store.
    server = createServer({ agents, store, allowPrivateNetworks: true, push: { leaseMs: 500 } })
    url = (await server.listen()).url
  })
  afterAll(async () => {
    await server.close({ graceMs: 0 })
    await rm(directory, { recursive: true })
  })

  test('says so when there is nothing', async () => {
    expect((await push('dead-letters', '--store', store)).out).toBe('There are no dead letters.\n')
  })

  test('lists what was given up, and the server delivers it after a replay', async () => {
    await using webhook = await Webhook.open(answering(410))
    const client = await A2AClient.connect(url, { versions: ['1.0'] })
    const sent = await client.sendMessage({
      message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'task-lifecycle' }] },
      configuration: { taskPushNotificationConfig: { id: 'c', url: `${webhook.url}/secret` } },
    })
    client.close()
    const taskId = 'task' in sent ? sent.task.id : ''
    await expect.poll(async () => (await server.push?.deadLetters())?.length).toBe(1)

    const listed = await push('dead-letters', '--store', store, '-o', 'json')
    expect(JSON.parse(listed.out)).toMatchObject([{ taskId, id: 'c', attempts: 1, error: 'answered 410' }])
    expect(listed.out).not.toContain('secret')

    expect(await push('replay', 'unknown', '--store', store)).toMatchObject({
      out: 'There is no such dead letter.\n',
      exitCode: 1,
    })
    const replayed = await push('replay', taskId, '--store', store)
    expect(replayed.out).toMatch(/^1 to be tried again/)
    const all = await webhook.until((received) => received.some(({ text }) => text.includes('COMPLETED')))
    const [first, second] = all.map(({ headers }) => headers['x-parley-delivery-id'])
    expect(second).toBe(first)

    const metrics = await (await fetch(`${url}/metrics`)).text()
    expect(metrics).toContain('parley_push_deliveries_total{outcome="given_up"} 1\n')
    expect(metrics).toMatch(/parley_push_deliveries_total\{outcome="delivered"\} [1-9]/)
    expect(metrics).toContain('parley_push_pending 0\n')
  })

  test.each([
    [['dead-letters'], 'Name the store'],
    [['dead-letters', '--store', 'memory'], 'not a store that another process can open'],
    [['dead-letters', '--store', 'sqlite:none.db'], 'There is no file none.db'],
    [['replay', '--store', 'sqlite:none.db'], 'Name the task to replay'],
    [['replay', 't', '--all', '--store', 'sqlite:none.db'], 'Name the task to replay'],
  ])('refuses %j', async (args, sentence) => {
    await expect(push(...args)).rejects.toThrow(sentence)
  })
})
