// CRASH-8: a SQLite file in a bad place or a bad state stops the start with one clear sentence, and is left as it was.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, test } from 'vitest'
import { openSqliteStore } from '../../src/server/backend/sqlite/backend.ts'
import { ALICE, chunkEvent, sampleTask } from '../../src/testing/samples.ts'
import { runParley } from '../support/parley-process.ts'

const OPEN_STORE = fileURLToPath(new URL('./open-store.ts', import.meta.url))
const NOBODY = 65_534
const folder = mkdtempSync(join(tmpdir(), 'parley-places-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

async function written(name: string): Promise<string> {
  const path = join(folder, name)
  const store = await openSqliteStore(path)
  for (let n = 0; n < 50; n++) {
    await store.create(ALICE, sampleTask(`t${n}`))
    await store.append(ALICE, `t${n}`, 0, [chunkEvent(`t${n}`, 'x'.repeat(2_000), false)])
  }
  await store.close()
  return path
}

test('a file of a newer Parley is refused by name, and not a byte of it changes', async () => {
  const path = await written('newer.db')
  const db = new DatabaseSync(path)
  db.exec('UPDATE parley_schema SET version = 99')
  db.close()
  const before = readFileSync(path)
  const { code, stderr } = await runParley(['serve', '--port', '0', '--store', `sqlite:${path}`])
  expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringMatching(/^parley: .*newer Parley.*\n$/) })
  expect(readFileSync(path).equals(before)).toBe(true)
})

test('a file with damaged pages says so and is not overwritten', async () => {
  const path = await written('damaged.db')
  const bytes = readFileSync(path)
  bytes.fill(0xa5, 4_096, bytes.length - 4_096)
  writeFileSync(path, bytes)
  const { code, stderr } = await runParley(['serve', '--port', '0', '--store', `sqlite:${path}`])
  expect(code).toBe(1)
  expect(stderr).toMatch(/^parley: [^\n]*damaged\.db[^\n]*\n$/)
  expect(readFileSync(path).equals(bytes)).toBe(true)
})

test('a directory that may not be written to is named', async () => {
  const place = join(folder, 'read-only')
  mkdirSync(place)
  chmodSync(place, 0o555)
  chmodSync(folder, 0o755)
  // Permissions do not bind the superuser, so there it is somebody else who tries.
  const isRoot = process.getuid?.() === 0
  if (isRoot) chownSync(place, NOBODY, NOBODY)
  const child = spawn(process.execPath, [OPEN_STORE, `sqlite:${join(place, 'tasks.db')}`], {
    ...(isRoot ? { uid: NOBODY, gid: NOBODY } : {}),
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString()
  })
  await once(child, 'close')
  expect(output).toMatch(/^ParleyError: [^\n]*read-only[^\n]*\n$/)
})
