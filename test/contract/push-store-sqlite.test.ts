import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'
import { openSqlitePushStore } from '../../src/server/push/store/sqlite.ts'
import { openSqliteStore } from '../../src/server/store/sqlite/store.ts'
import { describePushStore } from './push-store.ts'

const directory = mkdtempSync(join(tmpdir(), 'parley-push-'))
afterAll(() => rmSync(directory, { recursive: true }))

let files = 0
describePushStore('sqlite', async () => {
  const path = join(directory, `${files++}.db`)
  return { tasks: await openSqliteStore(path), open: (now) => openSqlitePushStore(path, { now }) }
})
