// `parley fleet` as a process: a run that is killed in the middle goes on, and bad input is one sentence and exit code 2.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { EXIT } from '../../src/model/errors.ts'
import { runParley } from '../support/parley-process.ts'
import { fleetProcess } from './fleet-processes.ts'
import { MockHosts } from './mock-hosts.ts'

const folder = mkdtempSync(join(tmpdir(), 'parley-fleet-cli-'))
const store = join(folder, 'fleet.db')
let hosts: MockHosts
beforeAll(async () => {
  hosts = await MockHosts.start(['live', 'dead'], (host) => (host === 0 ? 3 : 1))
})
afterAll(async () => {
  await hosts.close()
  rmSync(folder, { recursive: true, force: true })
})

test('a run that is killed in the middle goes on, and its results can be had in every way', {
  timeout: 60_000,
}, async () => {
  const list = join(folder, 'agents.yaml')
  writeFileSync(list, `agents:\n${hosts.agents.map((agent) => `  - ${agent}\n`).join('')}  - [1]\n`)
  const first = fleetProcess(['run', list, '--store', store])
  const isAsked = setInterval(() => hosts.log.length > 0 && first.child.kill('SIGKILL'), 5)
  await first.ended
  clearInterval(isAsked)
  const { code, stdout, stderr } = await runParley(['fleet', 'run', list, '--store', store])
  expect(stderr).toContain('Continuing the run of ')
  expect(stderr).toContain('Line 6 is left out: it is neither an address nor an object with the key agent.')
  expect(stdout).toContain(': 4 done, 0 waiting')
  expect(stdout).toMatch(/at least minimal +3 /)
  expect(code).toBe(EXIT.inconclusive)
  const csv = await runParley(['fleet', 'export', '--as', 'csv', '--store', store, '--level', 'at least minimal'])
  expect(csv.stdout.trim().split('\n')).toHaveLength(4)
  const run = await runParley(['fleet', 'results', hosts.agents[0] ?? '', '--store', store, '--format', 'run'])
  expect(JSON.parse(run.stdout.split('\n')[0] ?? '')).toMatchObject({ type: 'header', kind: 'checks' })
  const whole = await runParley(['fleet', 'results', '--store', store, '--format', 'run'])
  expect(JSON.parse(whole.stdout.split('\n')[0] ?? '')).toMatchObject({ type: 'header', kind: 'fleet' })
})

test.each([
  [['run'], /Name the list of agents/],
  [['run', 'nowhere.yaml'], /The list of agents nowhere\.yaml cannot be read: there is no such file\./],
  [['status', '--store', 'nowhere.db'], /There is no fleet store nowhere\.db; parley fleet run creates one\./],
  [['run', 'a.yaml', '--store', 'redis://h'], /cannot be read|A fleet cannot be stored in "redis"/],
  [['results', '--day', 'today', '--store', 'x'], /--day takes a date such as 2026-01-31, not "today"\./],
  [['status', 'agents.yaml'], /parley fleet status takes no list/],
])('parley fleet %j is refused in one sentence', async (args, message) => {
  const { code, stderr } = await runParley(['fleet', ...args], { cwd: folder })
  expect(stderr).toMatch(message)
  expect(code).toBe(EXIT.usage)
})

test.each([
  ['nowhere/fleet.db', /^parley: The directory \S+nowhere of the fleet store does not exist; create it\.\n$/],
  ['.', /^parley: \. is a directory; name a file in it for the fleet store\.\n$/],
  ['agents.txt', /^parley: agents\.txt is not a SQLite database; name another file\.\n$/],
  ['tasks.db', /^parley: tasks\.db is a database of another program; give the fleet store its own file\.\n$/],
])('the store %s is refused in one sentence, and left as it is', async (file, message) => {
  writeFileSync(join(folder, 'agents.txt'), 'http://127.0.0.1:9\n'.repeat(100))
  const tasks = new DatabaseSync(join(folder, 'tasks.db'))
  tasks.exec('CREATE TABLE IF NOT EXISTS parley_schema (version INTEGER)')
  tasks.close()
  const before = readFileSync(join(folder, 'tasks.db'))
  const { code, stderr } = await runParley(['fleet', 'run', 'agents.txt', '--store', file], { cwd: folder })
  expect(stderr).toMatch(message)
  expect(code).toBe(EXIT.failed)
  expect(readFileSync(join(folder, 'tasks.db'))).toEqual(before)
})
