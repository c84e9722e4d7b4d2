// BUSY: a file that somebody else holds is waited for once, not by every write in turn.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { Patience } from './patience.ts'

let directory: string
let file: string
const open: DatabaseSync[] = []
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'parley-patience-'))
  file = join(directory, 'a.db')
})
afterEach(() => {
  for (const db of open.splice(0)) db.close()
  rmSync(directory, { recursive: true })
})

function connect(): DatabaseSync {
  const db = new DatabaseSync(file)
  open.push(db)
  db.exec('PRAGMA journal_mode = WAL; CREATE TABLE IF NOT EXISTS t (n INTEGER)')
  return db
}

function timeoutOf(db: DatabaseSync): number {
  return Number(db.prepare('PRAGMA busy_timeout').get()?.timeout)
}

test('the first write waits, the others do not, also those of other connections; then all is as before', () => {
  const [holder, one, other] = [connect(), connect(), connect()]
  const [first, second] = [new Patience(one, file, 20), new Patience(other, file, 20)]
  const insert = (db: DatabaseSync) => () => db.exec('INSERT INTO t VALUES (1)')
  holder.exec('BEGIN IMMEDIATE')
  expect(() => first.run(insert(one))).toThrow('locked')
  expect(timeoutOf(one)).toBe(20)
  for (let n = 0; n < 1_000; n++) {
    expect(() => first.run(insert(one))).toThrow('locked')
    expect(() => second.run(insert(other))).toThrow('locked')
  }
  expect([timeoutOf(one), timeoutOf(other)]).toEqual([0, 0])
  holder.exec('ROLLBACK')
  first.run(insert(one))
  second.run(insert(other))
  expect([timeoutOf(other), other.prepare('SELECT count(*) AS n FROM t').get()?.n]).toEqual([20, 2])
})

test('what is done at once never waits', () => {
  const [holder, db] = [connect(), connect()]
  const patience = new Patience(db, file, 60_000)
  holder.exec('BEGIN IMMEDIATE')
  expect(() => patience.atOnce(() => db.exec('INSERT INTO t VALUES (1)'))).toThrow('locked')
})
