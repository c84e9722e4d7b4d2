import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { TaskEvent } from './event.ts'
import { applyEvent, applyEvents } from './fold.ts'
import type { Message, Task } from './task.ts'

const TASK: Task = { id: 't', contextId: 'c', status: { state: 'TASK_STATE_SUBMITTED' } }
const IDS = { taskId: 't', contextId: 'c' }

/** More artifacts than are looked through one by one. */
const artifactId = fc.integer({ min: 0, max: 24 }).map((n) => `artifact ${n}`)
const artifact = fc.record(
  { artifactId, name: fc.string(), parts: fc.array(fc.record({ text: fc.string() })) },
  { requiredKeys: ['artifactId', 'parts'] },
)
const chunk = fc.record({ artifact, append: fc.boolean() })
const message: fc.Arbitrary<Message> = fc.record({
  messageId: fc.integer({ min: 0, max: 5 }).map(String),
  role: fc.constant('ROLE_AGENT' as const),
  parts: fc.constant([]),
})
const status = fc.record({ state: fc.constant('TASK_STATE_WORKING' as const), message }, { requiredKeys: ['state'] })
const metadata = fc.dictionary(fc.constantFrom('a', 'b', '__proto__'), fc.integer())
const event: fc.Arbitrary<TaskEvent> = fc.oneof(
  { weight: 4, arbitrary: chunk.map((update) => ({ artifactUpdate: { ...IDS, ...update } })) },
  status.map((to) => ({ statusUpdate: { ...IDS, status: to } })),
  message.map((said) => ({ historyMessage: said })),
  metadata.map((members) => ({ taskMetadata: members })),
)

test('many events at once give what they give one by one, and change none of them', () => {
  fc.assert(
    fc.property(fc.array(event, { maxLength: 60 }), (events) => {
      const before = structuredClone(events)
      expect(JSON.stringify(applyEvents(TASK, events))).toBe(JSON.stringify(events.reduce(applyEvent, TASK)))
      expect(events).toEqual(before)
    }),
  )
})

test('a snapshot handed out does not change with what follows', () => {
  fc.assert(
    fc.property(fc.array(event), fc.array(event), (first, second) => {
      const snapshot = applyEvents(TASK, first)
      const before = structuredClone(snapshot)
      applyEvents(snapshot, second)
      expect(snapshot).toEqual(before)
    }),
  )
})

/** How often lists are copied shows in how many elements were read from them. */
function countingReads<T>(items: T[]): { items: T[]; reads: () => number } {
  let reads = 0
  const proxy = new Proxy(items, {
    get(target, name, receiver) {
      if (typeof name === 'string' && /^\d+$/.test(name)) reads++
      return Reflect.get(target, name, receiver) as unknown
    },
  })
  return { items: proxy, reads: () => reads }
}

test.each<[string, (n: number) => TaskEvent]>([
  ['chunks of two artifacts in turns', (n) => chunkOf(`kept ${n % 2}`)],
  ['new artifacts', (n) => chunkOf(`new ${n}`)],
])('%s are folded without copying the list for each', (_, eventOf) => {
  const { items, reads } = countingReads(
    Array.from({ length: 100 }, (__, n) => ({ artifactId: `kept ${n}`, parts: [] })),
  )
  applyEvents(
    { ...TASK, artifacts: items },
    Array.from({ length: 1_000 }, (__, n) => eventOf(n)),
  )
  expect(reads()).toBeLessThanOrEqual(300)
})

test('messages are folded without copying the history for each', () => {
  const { items, reads } = countingReads(
    Array.from({ length: 100 }, (_, n): Message => ({ messageId: `old ${n}`, role: 'ROLE_USER', parts: [] })),
  )
  const events = Array.from({ length: 1_000 }, (_, n): TaskEvent => {
    const said: Message = { messageId: `new ${n}`, role: 'ROLE_AGENT', parts: [] }
    return { statusUpdate: { ...IDS, status: { state: 'TASK_STATE_WORKING', message: said } } }
  })
  expect(applyEvents({ ...TASK, history: items }, events).history).toHaveLength(1_099)
  expect(reads()).toBeLessThanOrEqual(300)
})

test('an artifact of more parts than a call may have arguments is folded', () => {
  const parts = Array.from({ length: 200_000 }, () => ({ text: '' }))
  const update = { artifactUpdate: { ...IDS, artifact: { artifactId: 'a', parts }, append: true } }
  expect(applyEvents(TASK, [update, update, update]).artifacts?.[0]?.parts).toHaveLength(600_000)
})

function chunkOf(artifactId: string): TaskEvent {
  return { artifactUpdate: { ...IDS, artifact: { artifactId, parts: [{ text: 'x' }] }, append: true } }
}
