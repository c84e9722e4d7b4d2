// The process that is killed: writes tasks into a SQLite store and prints a line only after the write resolved.
// Arguments: file, NORMAL or FULL, a prefix for its task ids.

import { writeSync } from 'node:fs'
import type { TaskEvent } from '../../src/model/event.ts'
import type { Task } from '../../src/model/task.ts'
import { openSqliteStore } from '../../src/server/backend/sqlite/backend.ts'
import { ALICE, chunkEvent, sampleTask, statusEvent } from '../../src/testing/samples.ts'

const [path = '', synchronous, prefix] = process.argv.slice(2)

function acknowledge(taskId: string, seq: number, what: Task | TaskEvent): void {
  writeSync(1, `${JSON.stringify({ taskId, seq, text: JSON.stringify(what) })}\n`)
}

writeSync(1, 'opening\n')
const store = await openSqliteStore(path, { synchronous: synchronous === 'FULL' ? 'FULL' : 'NORMAL' })
for (let n = 0; ; n++) {
  const id = `${prefix}-${n}`
  const task = sampleTask(id, { ms: n, contextId: `context ${n % 3}` })
  await store.create(ALICE, task)
  acknowledge(id, 0, task)
  let seq = 0
  const append = async (...events: TaskEvent[]) => {
    const appended = await store.append(ALICE, id, seq, events)
    if (!appended.ok) throw new Error(`append refused: ${appended.reason}`)
    for (const event of events) acknowledge(id, ++seq, event)
  }
  await append(statusEvent(id, 'TASK_STATE_WORKING', n, 'thinking'))
  // Enough for snapshots in the middle and for checkpoints of the log.
  for (let chunk = 0; chunk < 12; chunk++) await append(chunkEvent(id, 'x'.repeat(600), chunk > 0))
  await append(chunkEvent(id, 'end'), statusEvent(id, n % 4 === 0 ? 'TASK_STATE_FAILED' : 'TASK_STATE_COMPLETED', n))
}
