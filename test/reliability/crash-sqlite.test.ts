// CRASH-1: a writer is killed with SIGKILL at seeded moments; nothing it acknowledged may be lost and nothing half
// written may be seen. PARLEY_SEED repeats a run, PARLEY_ROUNDS makes it longer. The history file stays when it fails.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { TASK_STATES } from '../../src/model/task.ts'
import { openSqliteStore } from '../../src/server/backend/sqlite/backend.ts'
import type { TaskRecord, TaskStore } from '../../src/server/store/task-store.ts'
import { ALICE, sampleTask } from '../../src/testing/samples.ts'
import { type Acknowledgement, type ObservedTask, violations } from './checker.ts'
import { seed, seededRandom } from './seeded-random.ts'

const WRITER = fileURLToPath(new URL('./crash-sqlite-writer.ts', import.meta.url))

/** Lets a writer run until it printed `lines` lines, kills it, and returns what it acknowledged. */
async function runAndKill(
  path: string,
  synchronous: string,
  prefix: string,
  lines: number,
): Promise<Acknowledgement[]> {
  const writer = spawn(process.execPath, [WRITER, path, synchronous, prefix], { stdio: ['ignore', 'pipe', 'pipe'] })
  let errors = ''
  writer.stderr.on('data', (chunk) => {
    errors += chunk
  })
  const exited = once(writer, 'exit')
  const acknowledged: Acknowledgement[] = []
  let printed = 0
  for await (const line of createInterface({ input: writer.stdout })) {
    if (++printed >= lines && !writer.killed) writer.kill('SIGKILL')
    // A line cut off by the kill was not acknowledged to anybody.
    if (line.endsWith('}')) acknowledged.push(JSON.parse(line) as Acknowledgement)
  }
  const [, signal] = await exited
  if (signal !== 'SIGKILL') throw new Error(`the writer ended by itself: ${errors}`)
  return acknowledged
}

async function observe(store: TaskStore): Promise<ObservedTask[]> {
  const records: TaskRecord[] = []
  let pageToken = ''
  do {
    const page = await store.list(ALICE, { pageSize: 50, pageToken })
    records.push(...page.items)
    pageToken = page.next
  } while (pageToken !== '')
  const observed: ObservedTask[] = []
  for (const { task, seq } of records) {
    const n = Number(task.id.split('-').at(-1))
    const initial = sampleTask(task.id, { ms: n, contextId: `context ${n % 3}` })
    observed.push({ initial, snapshot: task, seq, events: (await store.readEvents(ALICE, task.id, 0, 1000)) ?? [] })
  }
  return observed
}

async function expectTotals(store: TaskStore, observed: readonly ObservedTask[]): Promise<void> {
  for (const state of TASK_STATES) {
    const { total } = await store.list(ALICE, { pageSize: 1, state })
    expect(total, state).toBe(observed.filter(({ snapshot }) => snapshot.status.state === state).length)
  }
}

function integrity(path: string): unknown {
  const db = new DatabaseSync(path)
  try {
    return db.prepare('PRAGMA integrity_check').get()?.integrity_check
  } finally {
    db.close()
  }
}

const ROUNDS = Number(process.env.PARLEY_ROUNDS ?? 10)
/** A round reads all that was written before; on a busy machine that takes seconds. */
const LIMIT_MS = ROUNDS * 6_000

test.each([
  ['NORMAL', ROUNDS],
  ['FULL', Math.ceil(ROUNDS / 3)],
])('CRASH-1: SQLite %s loses nothing acknowledged in %i kills', { timeout: LIMIT_MS }, async (synchronous, rounds) => {
  console.log(`CRASH-1 ${synchronous}: PARLEY_SEED=${seed}`)
  const random = seededRandom()
  const directory = mkdtempSync(join(tmpdir(), 'parley-crash-'))
  const path = join(directory, 'tasks.db')
  const acknowledged: Acknowledgement[] = []
  for (let round = 0; round < rounds; round++) {
    // The first kill hits the opening and its migration; the others any moment of writing.
    const lines = round === 0 ? 1 : 1 + Math.floor(random() ** 2 * 1500)
    acknowledged.push(...(await runAndKill(path, synchronous, `r${round}`, lines)))
    const store = await openSqliteStore(path)
    const history = { acknowledged, observed: await observe(store) }
    writeFileSync(join(directory, 'history.json'), JSON.stringify({ seed, round, ...history }))
    expect(violations(history), `round ${round}, history in ${directory}`).toEqual([])
    await expectTotals(store, history.observed)
    await store.close()
    expect(integrity(path)).toBe('ok')
  }
  expect(acknowledged.length).toBeGreaterThan(rounds)
  rmSync(directory, { recursive: true })
})
