import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'
import { openSqliteBackend } from '../../src/server/backend/sqlite/backend.ts'
import { describeBackend } from '../../src/testing/index.ts'

const directory = mkdtempSync(join(tmpdir(), 'parley-contract-'))
afterAll(() => rmSync(directory, { recursive: true }))

let files = 0
describeBackend('sqlite', (options) => openSqliteBackend(join(directory, `${files++}.db`), options))
