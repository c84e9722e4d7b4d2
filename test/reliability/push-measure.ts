// Measures push delivery on each store: node test/reliability/push-measure.ts
// Deliveries a second with many tasks at once and one webhook, and how long after the start of a new process the
// first interrupted delivery is repeated.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PUSH_CARD } from '../../src/agents/cards.ts'
import { specAgent } from '../../src/agents/spec.ts'
import { A2AClient } from '../../src/client/a2a-client.ts'
import { createServer } from '../../src/server/server.ts'
import { startPostgres } from '../servers/start-postgres.ts'
import { startRedis } from '../servers/start-redis.ts'
import { Webhook } from '../support/webhook.ts'

const TASKS = 100
const CHUNKS = 18
const card = { ...PUSH_CARD, capabilities: { streaming: true, pushNotifications: true } }

async function measure(name: string, store: string): Promise<void> {
  const options = { agents: [{ card, agent: specAgent }], store, allowPrivateNetworks: true, push: { leaseMs: 1_000 } }
  const server = createServer(options)
  const { url } = await server.listen()
  const client = await A2AClient.connect(url, { versions: ['1.0'] })
  const send = (hook: string, text: string) =>
    client.sendMessage({
      message: { messageId: crypto.randomUUID(), role: 'ROLE_USER', parts: [{ text }] },
      configuration: { taskPushNotificationConfig: { url: hook } },
    })
  const webhook = await Webhook.open()
  const expected = TASKS * (CHUNKS + 2)
  const startedAt = performance.now()
  const cpuBefore = process.cpuUsage()
  await Promise.all(Array.from({ length: TASKS }, () => send(webhook.url, `chunks ${CHUNKS}`)))
  const producedAt = performance.now()
  await webhook.until((all) => all.length >= expected)
  const seconds = (performance.now() - startedAt) / 1000
  const { user, system } = process.cpuUsage(cpuBefore)
  const cpuMs = ((user + system) / 1000 / expected).toFixed(2)
  await webhook.close()

  // The webhook never answers: the process ends with the delivery under way, as if killed.
  const silent = await Webhook.open(() => {})
  await send(silent.url, 'task-lifecycle now')
  await silent.until((all) => all.length === 1)
  let again = Promise.resolve(Number.NaN)
  if (name !== 'memory') {
    const next = createServer(options)
    const restartedAt = performance.now()
    await next.listen()
    again = silent.until((all) => all.length === 2).then(() => performance.now() - restartedAt)
    await again
    await next.close({ graceMs: 0 })
  }
  client.close()
  await server.close({ graceMs: 0 })
  await silent.close()
  const rate = Math.round(expected / seconds)
  const produced = Math.round(producedAt - startedAt)
  console.log(
    `${name}: ${rate} deliveries/s (${expected} in ${seconds.toFixed(2)} s, tasks done after ${produced} ms, ${cpuMs} ms of CPU each), repeated after ${Math.round(await again)} ms (lease 1000 ms)`,
  )
}

const directory = mkdtempSync(join(tmpdir(), 'parley-push-measure-'))
await measure('memory', 'memory')
await measure('sqlite', `sqlite:${join(directory, 'tasks.db')}`)
rmSync(directory, { recursive: true })
for (const [name, start] of [
  ['postgres', startPostgres],
  ['redis', startRedis],
] as const) {
  const database = await start()
  await measure(name, database.url)
  await database.stop()
}
