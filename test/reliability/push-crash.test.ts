// CRASH-5: the server is killed with SIGKILL during deliveries, before the webhook has answered and right after it.
// Every event reaches the webhook at least once, in order, and a repetition has the id and the bytes of the first.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { A2AClient } from '../../src/client/a2a-client.ts'
import type { JsonObject } from '../../src/model/json.ts'
import { describeWithServer } from '../servers/describe-with-server.ts'
import { ownPostgres, ownRedis } from '../servers/own-database.ts'
import { type Received, Webhook } from '../support/webhook.ts'

const SERVER = fileURLToPath(new URL('./push-crash-server.ts', import.meta.url))
const LEASE_MS = 300
const CHUNKS = 10
/** WORKING, the chunks, COMPLETED. */
const EVENTS = CHUNKS + 2

interface Running {
  url: string
  child: ChildProcess
  kill(): Promise<void>
}

async function start(store: string): Promise<Running> {
  const child = spawn(process.execPath, [SERVER, store, String(LEASE_MS)], { stdio: ['ignore', 'pipe', 'inherit'] })
  const exited = once(child, 'exit')
  const [url] = (await once(createInterface({ input: child.stdout }), 'line')) as [string]
  return {
    url,
    child,
    async kill() {
      child.kill('SIGKILL')
      await exited
    },
  }
}

function isLast({ body }: Received): boolean {
  const update = body.statusUpdate as JsonObject | undefined
  return (update?.status as JsonObject | undefined)?.state === 'TASK_STATE_COMPLETED'
}

type Moment = 'before the answer' | 'after the answer'

/** Kills at the delivery of this number, starts again, and gives what the webhook received. */
async function killAt(store: string, delivery: number, moment: Moment): Promise<readonly Received[]> {
  await using webhook = await Webhook.open()
  let server = await start(store)
  const finished = Promise.withResolvers<void>()
  const killed = Promise.withResolvers<void>()
  const kill = () => void server.kill().then(killed.resolve, killed.reject)
  webhook.react = async (_, res) => {
    const isTheOne = webhook.received.length === delivery
    // A crash rightly fails a task that still runs; here the deliveries are what is interrupted.
    await finished.promise
    if (isTheOne && moment === 'before the answer') return kill()
    res.writeHead(200).end(() => isTheOne && kill())
  }
  using client = await A2AClient.connect(server.url, { versions: ['1.0'] })
  await client.sendMessage({
    message: { messageId: crypto.randomUUID(), role: 'ROLE_USER', parts: [{ text: `chunks ${CHUNKS}` }] },
    configuration: { taskPushNotificationConfig: { url: webhook.url } },
  })
  finished.resolve()
  await killed.promise
  server = await start(store)
  const received = await webhook.until((all) => all.some(isLast))
  await server.kill()
  return received
}

function expectAtLeastOnce(received: readonly Received[]): void {
  const idOf = ({ headers }: Received) => headers['x-parley-delivery-id']
  const first = new Map<unknown, Received>()
  for (const each of received) {
    const known = first.get(idOf(each))
    if (known === undefined) first.set(idOf(each), each)
    else expect(each.text).toBe(known.text)
  }
  expect(first.size).toBe(EVENTS)
  const chunks = [...first.values()].flatMap(({ text }) => /chunk (\d+) of/.exec(text)?.[1] ?? [])
  expect(chunks.map(Number)).toEqual(Array.from({ length: CHUNKS }, (_, n) => n + 1))
  expect([...first.values()].findIndex(isLast)).toBe(EVENTS - 1)
}

type Case = readonly [number, Moment]
const HALF_WAY: Case = [5, 'before the answer']
const CASES: readonly Case[] = [[1, 'before the answer'], HALF_WAY, [EVENTS - 1, 'after the answer']]

function describeCrash(name: string, store: () => string, cases: readonly Case[]): void {
  describe(`CRASH-5 on ${name}`, () => {
    test.each(cases)('killed at delivery %i %s', async (delivery, moment) => {
      const received = await killAt(store(), delivery, moment)
      expectAtLeastOnce(received)
      if (moment === 'before the answer') {
        const [killed, again] = received.slice(delivery - 1)
        expect(again?.headers['x-parley-delivery-id']).toBe(killed?.headers['x-parley-delivery-id'])
      }
    })
  })
}

const directory = mkdtempSync(join(tmpdir(), 'parley-push-crash-'))
afterAll(() => rmSync(directory, { recursive: true }))
let files = 0
describeCrash('sqlite', () => `sqlite:${join(directory, `${files++}.db`)}`, CASES)

describeWithServer('PostgreSQL', 'push crashes on PostgreSQL', () => {
  let url: string
  beforeAll(async () => {
    url = await ownPostgres()
  })
  describeCrash('postgres', () => url, [HALF_WAY])
})

describeWithServer('Redis', 'push crashes on Redis', () => {
  let url: string
  beforeAll(async () => {
    url = await ownRedis()
  })
  describeCrash('redis', () => url, [HALF_WAY])
})
