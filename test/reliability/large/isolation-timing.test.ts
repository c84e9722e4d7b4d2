// ISO-MATRIX, the clock: asking for somebody else's task takes as long as asking for one that never was.

import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { dialectById } from '../../../src/dialects/index.ts'
import { createServer } from '../../../src/server/server.ts'
import { openCallers } from '../../security/isolation-callers.ts'
import { callRaw, type WireCall, wireCalls } from '../../security/wire-calls.ts'

const PAIRS = 500

test.each(['memory', 'sqlite'])('medians over 500 pairs differ by at most 1 ms on %s', async (kind) => {
  const folder = mkdtempSync(join(tmpdir(), 'parley-timing-'))
  const callers = await openCallers()
  const server = createServer({
    agents: callers.mounts(),
    store: kind === 'sqlite' ? `sqlite:${join(folder, 'tasks.db')}` : kind,
  })
  const base = `${(await server.listen()).url}/iso`
  const bearer = async (who: string) => ({ Authorization: `Bearer ${await callers.token(who, 'acme')}` })
  const message = { messageId: 'm', role: 'ROLE_USER' as const, parts: [{ text: 'end' }] }
  const [send] = wireCalls(dialectById('1.0'), 'jsonrpc', 'sendMessage', { message })
  const { body } = await callRaw(base, send as WireCall, { headers: await bearer('alice') })
  const { id } = (JSON.parse(body) as { result: { task: { id: string } } }).result.task
  const bob = await bearer('bob')
  const get = async (taskId: string) => {
    const [call] = wireCalls(dialectById('1.0'), 'jsonrpc', 'getTask', { id: taskId })
    const begun = performance.now()
    await callRaw(base, call as WireCall, { headers: bob })
    return performance.now() - begun
  }
  const known: number[] = []
  const never: number[] = []
  for (let n = 0; n < PAIRS; n++) {
    // In turns, so that whatever else the machine does meets both alike.
    known.push(await get(id))
    never.push(await get(randomUUID()))
  }
  const difference = Math.abs(median(known) - median(never))
  console.log(`ISO timing on ${kind}: medians ${median(known).toFixed(3)} and ${median(never).toFixed(3)} ms`)
  expect(difference).toBeLessThan(1)
  await server.close({ graceMs: 0 })
  callers.close()
  rmSync(folder, { recursive: true, force: true })
})

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
}
