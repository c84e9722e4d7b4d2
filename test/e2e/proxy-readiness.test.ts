// READY: a proxy whose store takes no writes is not ready, however well its agents are.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { createMockAgent } from '../../src/mock/index.ts'
import { createProxy } from '../../src/proxy/proxy.ts'

test('a store that takes no writes', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'parley-proxy-ready-'))
  const file = join(directory, 'tasks.db')
  const mock = await createMockAgent({ scriptText: 'rules: []' }).start()
  const proxy = createProxy({ agents: [{ name: 'app', url: mock.url }], store: `sqlite:${file}` })
  const { url } = await proxy.listen()
  expect((await fetch(`${url}/readyz`)).status).toBe(200)
  const blocker = new DatabaseSync(file)
  blocker.exec('BEGIN IMMEDIATE')
  await expect
    .poll(async () => (await fetch(`${url}/readyz`)).text(), { timeout: 15_000, interval: 100 })
    .toContain('the task store takes no writes')
  blocker.exec('ROLLBACK')
  blocker.close()
  await proxy.close({ graceMs: 0 })
  await mock.stop()
  rmSync(directory, { recursive: true })
})
