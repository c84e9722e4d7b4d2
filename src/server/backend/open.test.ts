import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ParleyError } from '../../model/errors.ts'
import { openStore } from './open.ts'

async function refusal(spec: string): Promise<ParleyError> {
  const error: unknown = await openStore(spec).then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (error instanceof ParleyError) return error
  throw new Error(`expected a refusal of ${spec}`, { cause: error })
}

test('opens memory and a SQLite file', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'parley-open-'))
  for (const spec of ['memory', `sqlite:${join(directory, 'tasks.db')}`]) {
    const store = await openStore(spec)
    expect(await store.unfinished(1)).toEqual([])
    await store.close()
  }
  rmSync(directory, { recursive: true })
})

test.each([
  ['memroy', 'memory'],
  ['mem', 'memory'],
  ['MEMORY', 'memory'],
  ['sqlite', 'sqlite:<file>'],
  ['sqlite:', 'sqlite:<file>'],
  ['sqlite3:x.db', 'sqlite:<file>'],
  ['postgres', 'postgres://user:password@host:port/database'],
  ['postgre://host/db', 'postgres://user:password@host:port/database'],
  ['redis:6379', 'redis://host:port/0'],
])('%s is answered with a suggestion', async (spec, meant) => {
  const error = await refusal(spec)
  expect(error.message).toContain(`Did you mean ${meant}?`)
  expect(error.exitCode).toBe(2)
})

test('an unknown scheme is answered with the list, and without what may be a password', async () => {
  const error = await refusal('mongodb://user:secret@host/db')
  expect(error.message).toBe('There is no store "mongodb".')
  expect(error.hint).toContain('memory, sqlite:<file>')
  expect(`${error.message}${error.hint}`).not.toContain('secret')
})

test.each(['postgres://', 'postgres://host', 'postgresql://host/', 'redis://', 'redis://host/tasks'])(
  '%s is refused before anything is dialled',
  async (spec) => {
    expect(await refusal(spec)).toMatchObject({ code: 'bad-store-url', exitCode: 2 })
  },
)
