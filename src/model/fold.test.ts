import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { TaskEvent } from './event.ts'
import { applyEvent, applyEvents } from './fold.ts'
import type { Task } from './task.ts'

const TASK: Task = { id: 't', contextId: 'c', status: { state: 'TASK_STATE_SUBMITTED' } }
const IDS = { taskId: 't', contextId: 'c' }

const artifact = fc.record(
  { artifactId: fc.constantFrom('a', 'b'), name: fc.string(), parts: fc.array(fc.record({ text: fc.string() })) },
  { requiredKeys: ['artifactId', 'parts'] },
)
const chunk = fc.record({ artifact, append: fc.boolean() })
const event: fc.Arbitrary<TaskEvent> = fc.oneof(
  { weight: 4, arbitrary: chunk.map((update) => ({ artifactUpdate: { ...IDS, ...update } })) },
  fc.constant<TaskEvent>({ statusUpdate: { ...IDS, status: { state: 'TASK_STATE_WORKING' } } }),
)

test('many events at once give what they give one by one, and change none of them', () => {
  fc.assert(
    fc.property(fc.array(event), (events) => {
      const before = structuredClone(events)
      expect(JSON.stringify(applyEvents(TASK, events))).toBe(JSON.stringify(events.reduce(applyEvent, TASK)))
      expect(events).toEqual(before)
    }),
  )
})
