import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'
import { openSqliteStore } from '../../src/server/store/sqlite/store.ts'
import { describeTaskStore } from './task-store.ts'

const directory = mkdtempSync(join(tmpdir(), 'parley-contract-'))
afterAll(() => rmSync(directory, { recursive: true }))

let files = 0
describeTaskStore('sqlite', () => openSqliteStore(join(directory, `${files++}.db`)))
