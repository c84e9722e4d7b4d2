// CRASH-7: a server is killed with SIGKILL at seeded moments while streams, whole answers and reads of running tasks are
// under way. Whatever any of them was shown is in the store afterwards, on every store: nobody sees what is not committed.

import { setTimeout as pause } from 'node:timers/promises'
import { expect } from 'vitest'
import type { TaskEvent } from '../../src/model/event.ts'
import type { Scope } from '../../src/model/scope.ts'
import { isTerminal } from '../../src/model/state-machine.ts'
import type { Task } from '../../src/model/task.ts'
import { openStore } from '../../src/server/backend/open.ts'
import type { TaskStore } from '../../src/server/store/task-store.ts'
import { type ObservedTask, type Sighting, type View, violations } from './checker.ts'
import { EmitterProcess } from './emitter-process.ts'
import { SseView } from './sse-view.ts'

const SCOPE: Scope = { agent: '/', tenant: '', subject: 'anonymous' }
const STREAMS = 6
/** Each kill comes after so many events were seen, at most. */
const MOST_SEEN = 900
const MOST_REFUSALS = 300
const RETRY_MS = 200

interface Seen {
  readonly initial: Map<string, Task>
  readonly sightings: Sighting[]
  readonly views: View[]
}

/** One life of a server, ended after `count` events were seen by all its streams together. */
async function watchUntil(store: string, count: number, signal: 'SIGKILL' | 'SIGTERM'): Promise<Seen> {
  await using server = await EmitterProcess.start({}, store)
  const seen: Seen = { initial: new Map(), sightings: [], views: [] }
  const enough = Promise.withResolvers<void>()
  let isOver = false
  let events = 0
  const stream = (): SseView => {
    let taskId = ''
    const seqs: number[] = []
    const onFrame = (frame: string) => {
      const data = JSON.parse(/^data: (.*)$/m.exec(frame)?.[1] ?? '{}') as { task?: Task } & TaskEvent
      if (data.task !== undefined) {
        taskId = data.task.id
        seen.initial.set(taskId, data.task)
        seen.views.push({ taskId, seqs })
        void poll(server.url, taskId)
        return
      }
      const seq = Number(/^id: (\d+)$/m.exec(frame)?.[1])
      seqs.push(seq)
      seen.sightings.push({ taskId, by: 'a stream', seq, event: data })
      if (++events >= count) enough.resolve()
    }
    const body = JSON.stringify({ message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'events 200 40' }] } })
    return new SseView(`${server.url}/message:stream`, '', { body, onFrame, isLean: true })
  }
  // A machine that does much else makes the server say that it is overloaded; whoever comes back at once makes it worse.
  let refusals = 0
  const refused = async (by: EmitterProcess) => {
    if (++refusals > MOST_REFUSALS) enough.reject(new Error(`Streams are refused: ${await refusalOf(by)}`))
    else await pause(RETRY_MS)
  }
  const keepStreaming = async () => {
    while (!isOver) {
      const view = stream()
      const status = await view.opened
      if (status !== 200 && !isOver) await refused(server)
      await view.ended
    }
  }
  const poll = async (url: string, taskId: string) => {
    while (!isOver) {
      const task = await taskAt(`${url}/tasks/${taskId}`)
      if (task === undefined) return
      seen.sightings.push({ taskId, by: 'GetTask', task })
      if (isTerminal(task.status.state)) return
    }
  }
  const streams = Array.from({ length: STREAMS }, keepStreaming)
  try {
    await enough.promise
  } finally {
    isOver = true
  }
  await server.stop(signal)
  await Promise.all(streams)
  return seen
}

/** What a server says that answers a message with something else than a stream. */
async function refusalOf(server: EmitterProcess): Promise<string> {
  const answer = await server.send('events 1 1')
  return `${answer.status} ${await answer.text()}`
}

async function taskAt(url: string): Promise<Task | undefined> {
  try {
    const answer = await fetch(url, { headers: { 'A2A-Version': '1.0' } })
    return answer.ok ? ((await answer.json()) as Task) : undefined
  } catch {
    return undefined
  }
}

async function storedTasks(store: TaskStore, initial: ReadonlyMap<string, Task>): Promise<ObservedTask[]> {
  const observed: ObservedTask[] = []
  for (const [id, begun] of initial) {
    const record = await store.get(SCOPE, id)
    if (record === undefined) continue
    const events = (await store.readEvents(SCOPE, id, 0, 1_000)) ?? []
    observed.push({ initial: begun, snapshot: record.task, seq: record.seq, events })
  }
  return observed
}

export async function crashWhileWatched(spec: string, rounds: number, random: () => number): Promise<number> {
  let judged = 0
  for (let round = 0; round < rounds; round++) {
    const { initial, sightings, views } = await watchUntil(spec, 1 + Math.floor(random() * MOST_SEEN), 'SIGKILL')
    const store = await openStore(spec)
    const observed = await storedTasks(store, initial)
    await store.close()
    expect(violations({ acknowledged: [], observed, sightings, views }), `round ${round}`).toEqual([])
    expect(observed).toHaveLength(initial.size)
    judged += sightings.length
  }
  return judged
}

/** An orderly end: whatever the agents have said is stored, and then why they were stopped. */
export async function stopWhileWatched(spec: string): Promise<void> {
  const { initial, sightings, views } = await watchUntil(spec, MOST_SEEN, 'SIGTERM')
  const store = await openStore(spec)
  const observed = await storedTasks(store, initial)
  await store.close()
  expect(violations({ acknowledged: [], observed, sightings, views })).toEqual([])
  expect(observed.filter(({ snapshot }) => !isTerminal(snapshot.status.state))).toEqual([])
}
