// FAIR: how long others wait while an agent says as much as it can, on every store, beside how long they wait otherwise.
// The figures are printed, for people; that others get their turn at all is counted in src/server/engine/fast-agent.test.ts.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { describeWithServer } from '../../servers/describe-with-server.ts'
import { startPostgres } from '../../servers/start-postgres.ts'
import { startRedis } from '../../servers/start-redis.ts'
import { EmitterProcess } from '../emitter-process.ts'

const AIM_MS = 100
const LIMITS = { taskEvents: 100_000, taskBytes: 128 * 1024 * 1024 }
/** Of this length each; and a few that are long. */
const RUSHES = [
  ['short', 20],
  ['long', 20_000],
] as const

interface Waits {
  count: number
  worst: number
}

/** Asks for a task and for the health of the process, one after the other, until told to stop. */
async function measureUntil(server: EmitterProcess, taskId: string, isOver: () => boolean): Promise<Waits> {
  const waits = { count: 0, worst: 0 }
  const headers = { 'A2A-Version': '1.0' }
  while (!isOver()) {
    for (const path of [`/tasks/${taskId}`, '/healthz']) {
      const begun = performance.now()
      const response = await fetch(server.url + path, { headers })
      await response.text()
      expect(response.status).toBe(200)
      waits.worst = Math.max(waits.worst, performance.now() - begun)
      waits.count++
    }
  }
  return waits
}

async function statesOf(server: EmitterProcess): Promise<string[]> {
  const response = await fetch(`${server.url}/tasks`, { headers: { 'A2A-Version': '1.0' } })
  const { tasks } = (await response.json()) as { tasks: { status: { state: string } }[] }
  return tasks.map(({ status }) => status.state)
}

async function measure(name: string, store: string, events: number): Promise<void> {
  await using server = await EmitterProcess.start({ limits: LIMITS }, store)
  const { id } = await server.begin('events 1 10')
  const warm = performance.now()
  await measureUntil(server, id, () => performance.now() - warm > 1_000)
  for (const [kind, bytes] of RUSHES) {
    const count = kind === 'short' ? events : Math.floor(events / 100)
    let isOver = false
    const begun = performance.now()
    // The answer itself is not read here: that would take the time of those who wait.
    const rush = server.send(`rush ${count} ${bytes}`).then(async ({ status, body }) => {
      isOver = true
      await body?.cancel()
      return status
    })
    const busy = await measureUntil(server, id, () => isOver)
    const seconds = (performance.now() - begun) / 1_000
    expect(await rush).toBe(200)
    expect(await statesOf(server)).not.toContain('TASK_STATE_FAILED')
    const quiet = performance.now()
    const idle = await measureUntil(server, id, () => performance.now() - quiet > Math.min(seconds, 5) * 1_000)
    console.log(
      `FAIR on ${name}: ${count} ${kind} events in ${seconds.toFixed(1)} s; the worst of ${busy.count} other requests waited ` +
        `${busy.worst.toFixed(0)} ms (aim ${AIM_MS}), of ${idle.count} without the agent ${idle.worst.toFixed(0)} ms`,
    )
  }
}

test('FAIR: others wait on memory and on SQLite', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'parley-fair-'))
  await measure('memory', 'memory', 90_000)
  await measure('SQLite', `sqlite:${join(folder, 'tasks.db')}`, 50_000)
  rmSync(folder, { recursive: true, force: true })
})

describeWithServer('PostgreSQL', 'FAIR: PostgreSQL', () => {
  test('others wait on PostgreSQL', async () => {
    const server = await startPostgres()
    await measure('PostgreSQL', server.url, 10_000)
    await server.stop()
  })
})

describeWithServer('Redis', 'FAIR: Redis', () => {
  test('others wait on Redis', async () => {
    const server = await startRedis()
    await measure('Redis', server.url, 10_000)
    await server.stop()
  })
})
