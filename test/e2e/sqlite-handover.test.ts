// LEASE: a restart that overlaps with the server it replaces, and a start on a disk that takes no more.

import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { ECHO_CARD } from '../../src/agents/cards.ts'
import { A2AClient } from '../../src/client/a2a-client.ts'
import { textOf } from '../../src/model/task.ts'
import { openSqliteStore } from '../../src/server/backend/sqlite/backend.ts'
import type { Agent } from '../../src/server/engine/agent.ts'
import { SERVER_STOPPED } from '../../src/server/engine/task-engine.ts'
import { createServer } from '../../src/server/server.ts'
import { PARLEY_ENTRY } from '../support/parley-command.ts'

let directory: string
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'parley-handover-'))
})
afterEach(() => rmSync(directory, { recursive: true }))

/** Works until it is told to stop. */
const patient: Agent = async (_message, context) => {
  await context.status('TASK_STATE_WORKING', 'At work.')
  await new Promise((resolve) => context.signal.addEventListener('abort', resolve, { once: true }))
  return undefined
}

test('the new server waits for the old one, fails none of its tasks, and takes over when it lets go', async () => {
  const store = `sqlite:${join(directory, 'tasks.db')}`
  const old = createServer({ card: ECHO_CARD, agent: patient, store })
  const { url } = await old.listen()
  using client = await A2AClient.connect(url)
  const message = { messageId: 'm', role: 'ROLE_USER' as const, parts: [{ text: 'go' }] }
  const sent = await client.sendMessage({ message, configuration: { returnImmediately: true } })
  const id = 'task' in sent ? sent.task.id : ''

  const waiting = Promise.withResolvers<string>()
  const log = (_level: string, event: string, fields?: object) => {
    if (event === 'waiting-for-store') waiting.resolve(JSON.stringify(fields))
  }
  const next = createServer({ card: ECHO_CARD, agent: patient, store, log })
  const ready = next.listen()
  expect(await waiting.promise).toContain('is served by')
  expect((await client.getTask({ id })).status.state).toBe('TASK_STATE_WORKING')

  await old.close({ graceMs: 1_000 })
  using successor = await A2AClient.connect((await ready).url)
  const { state, message: words } = (await successor.getTask({ id })).status
  expect([state, words && textOf(words)]).toEqual(['TASK_STATE_FAILED', SERVER_STOPPED])
  await next.close({ graceMs: 0 })
})

test('on a full disk the start says so', async () => {
  const file = join(directory, 'tasks.db')
  await (await openSqliteStore(file)).close()
  // A limit on the size of files refuses writes as a full disk does.
  const command = `ulimit -f 0; exec "$0" "$@"`
  const child = spawn('bash', [
    '-c',
    command,
    process.execPath,
    PARLEY_ENTRY,
    'serve',
    '--port',
    '0',
    '--store',
    `sqlite:${file}`,
  ])
  let said = ''
  child.stderr.on('data', (chunk: Buffer) => {
    said += chunk.toString()
  })
  const code = await new Promise((resolve) => child.once('close', resolve))
  expect(code).toBe(1)
  expect(said).toContain('cannot be written: the disk is full or refuses writes')
})
