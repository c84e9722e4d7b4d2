import { expect, test } from 'vitest'
import type { StreamItem } from '../bindings/endpoint-client.ts'
import type { StreamEvent } from '../model/event.ts'
import type { Scope } from '../model/scope.ts'
import type { TaskState } from '../model/task.ts'
import { openMemoryStore } from '../server/backend/memory/tasks.ts'
import { openMemoryBus } from '../server/bus/local-bus.ts'
import { ArtifactExtractor } from './artifact-extractor.ts'
import { MirrorWriter } from './mirror-writer.ts'
import { TaskIdLinks } from './task-id-links.ts'

const scope: Scope = { agent: 'a', tenant: '', subject: 'alice' }
const turn = { scope, contextId: undefined }

const status = (state: TaskState, taskId = 'theirs'): StreamItem => ({
  event: { statusUpdate: { taskId, contextId: 'c', status: { state } } },
})
const chunk = (text: string): StreamItem => ({
  event: { artifactUpdate: { taskId: 'theirs', contextId: 'c', artifact: { artifactId: 'a', parts: [{ text }] } } },
})

/** A mirror with one task of the agent, and how many events each of its writes had. */
async function mirrorOf(limits = { taskEvents: 1_000, taskBytes: 1_000_000 }) {
  const memory = openMemoryStore()
  const writes: number[] = []
  const store: typeof memory = Object.assign(Object.create(memory) as typeof memory, {
    create: memory.create.bind(memory),
    get: memory.get.bind(memory),
    append: (...args: Parameters<typeof memory.append>) => {
      writes.push(args[3].length)
      return memory.append(...args)
    },
  })
  const outletFor = () => new ArtifactExtractor(undefined, { app: 'a', user: 'alice', session: 's' })
  const links = new TaskIdLinks({ kept: undefined, outletFor })
  const mirror = new MirrorWriter({ store, bus: openMemoryBus(), links, limits, outletFor })
  const first: StreamEvent = { task: { id: 'theirs', contextId: 'c', status: { state: 'TASK_STATE_SUBMITTED' } } }
  const { link } = await mirror.event(turn, first)
  const task = async () => (await memory.get(scope, link.taskId))?.task
  return { mirror, link, writes, task }
}

test('what comes together is one write', async () => {
  const { mirror, link, writes, task } = await mirrorOf()
  const items = [status('TASK_STATE_WORKING'), chunk('one'), chunk('two'), status('TASK_STATE_COMPLETED')]
  await mirror.events(turn, items, link)
  expect(writes).toEqual([4])
  expect((await task())?.status.state).toBe('TASK_STATE_COMPLETED')
})

test('what came before an event that is not of this task has been told', async () => {
  const { mirror, link, task } = await mirrorOf()
  const items = [chunk('one'), status('TASK_STATE_WORKING', 'another'), chunk('two')]
  await expect(mirror.events(turn, items, link)).rejects.toThrow('another task')
  expect((await task())?.artifacts?.[0]?.parts).toEqual([{ text: 'one' }])
})

test('nothing follows the end, whatever the agent says in the same breath', async () => {
  const { mirror, link, writes } = await mirrorOf()
  await mirror.events(turn, [status('TASK_STATE_FAILED'), chunk('late')], link)
  expect(writes).toEqual([1])
})

test('of more than a task may hold, as much is told as there is room for', async () => {
  const { mirror, link, task } = await mirrorOf({ taskEvents: 2, taskBytes: 1_000_000 })
  await expect(mirror.events(turn, [chunk('1'), chunk('2'), chunk('3')], link)).rejects.toThrow('2 events')
  expect((await task())?.artifacts?.[0]?.parts).toEqual([{ text: '2' }])
})
