import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ECHO_CARD, PUSH_CARD } from '../agents/cards.ts'
import { echoAgent } from '../agents/echo.ts'
import { openMemoryStore } from './backend/memory/tasks.ts'
import { createServer, type ServerOptions } from './server.ts'

let directory: string
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'parley-start-'))
})
afterAll(() => rmSync(directory, { recursive: true }))

const mount = { card: ECHO_CARD, agent: echoAgent, path: '/same' }
/** Each fails at another step of the start. */
const FAILING: readonly [string, Partial<ServerOptions>, string][] = [
  ['two agents on one path', { agents: [mount, mount] }, 'path-taken'],
  [
    'a card that promises what is switched off',
    { agents: [{ ...mount, card: PUSH_CARD }], push: false },
    'card-disagrees',
  ],
  ['no generation', { agents: [{ ...mount, dialects: [] }] }, 'no-dialect'],
]

test.each(FAILING)('a start that fails releases the store: %s', async (what, options, code) => {
  const file = join(directory, `${what}.db`)
  for (const start of ['listen', 'ready'] as const) {
    const server = createServer({ agents: [], store: `sqlite:${file}`, ...options })
    await expect(server[start]()).rejects.toMatchObject({ code })
    // SQLite removes its write-ahead log when the last connection is closed.
    expect([existsSync(file), existsSync(`${file}-wal`)]).toEqual([true, false])
  }
})

test('a store that was opened elsewhere stays open', async () => {
  const store = openMemoryStore()
  let isClosed = false
  store.close = async () => {
    isClosed = true
  }
  const server = createServer({ agents: [mount, mount], store })
  await expect(server.listen()).rejects.toMatchObject({ code: 'path-taken' })
  expect(isClosed).toBe(false)
})
