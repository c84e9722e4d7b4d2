import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { TaskEvent } from '../../../model/event.ts'
import type { JsonObject } from '../../../model/json.ts'
import { TASK_STATES, type Task } from '../../../model/task.ts'
import { TaskLog } from './task-log.ts'

const text = fc.oneof(fc.string(), fc.string({ unit: 'binary' }))
const metadata = fc.dictionary(text, fc.jsonValue()).map((value) => JSON.parse(JSON.stringify(value)) as JsonObject)
/** Mostly of the task itself, but nothing forbids an event that says otherwise. */
const named = fc.record({ taskId: fc.constantFrom('t', 't', 'u'), contextId: fc.constantFrom('c', 'c', 'd', '') })
const parts = fc.array(fc.record({ text }))
const status = fc.record(
  { state: fc.constantFrom(...TASK_STATES), timestamp: text, message: fc.record({ messageId: text, parts }) },
  { requiredKeys: ['state'] },
)
const message = fc.record({ messageId: text, role: fc.constant('ROLE_USER' as const), parts })
const statusUpdate = fc
  .tuple(named, fc.record({ status, metadata }, { requiredKeys: ['status'] }))
  .map(([own, update]) => ({ statusUpdate: { ...own, ...update } }) as TaskEvent)
const artifactUpdate = fc
  .tuple(
    named,
    fc.record(
      { artifact: fc.record({ artifactId: text, parts }), append: fc.boolean(), lastChunk: fc.boolean(), metadata },
      { requiredKeys: ['artifact'] },
    ),
  )
  .map(([own, update]) => ({ artifactUpdate: { ...own, ...update } }) as TaskEvent)
const event: fc.Arbitrary<TaskEvent> = fc.oneof(
  statusUpdate,
  artifactUpdate,
  message.map((historyMessage) => ({ historyMessage })),
  metadata.map((taskMetadata) => ({ taskMetadata })),
)
const created = fc.record(
  { id: fc.constant('t'), contextId: fc.constant('c'), status, history: fc.array(message), metadata },
  { requiredKeys: ['id', 'status'] },
) as fc.Arbitrary<Task>

test('a log read from its text is the same log, whoever has read how much of it before', () => {
  fc.assert(
    fc.property(created, fc.array(event), fc.nat(10), (task, events, readBefore) => {
      const log = new TaskLog(task)
      const ids = { id: task.id, contextId: task.contextId }
      log.append(events)
      for (const stored of log.read(0, readBefore)) void stored.text
      const again = TaskLog.fromText(log.toText(ids), ids)
      expect(again.record.seq).toBe(events.length)
      expect(again.record.task).toEqual(log.record.task)
      expect(again.read(0, 1000)).toEqual(log.read(0, 1000))
      expect(again.read(0, 1000).map((stored) => stored.event)).toEqual(events)
    }),
  )
})

test('the ids of the task are not kept again', () => {
  const ids = { id: 'the-task', contextId: 'the-context' }
  const log = new TaskLog({ ...ids, status: { state: 'TASK_STATE_SUBMITTED' } })
  log.append([
    { statusUpdate: { taskId: ids.id, contextId: ids.contextId, status: { state: 'TASK_STATE_COMPLETED' } } },
  ])
  expect(log.toText(ids)).not.toMatch(/the-task|the-context/)
})
