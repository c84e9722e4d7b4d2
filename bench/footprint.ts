// What tasks and subscribers cost in memory, whether the cost of a list page grows with what is stored, and how fast one
// task reaches a thousand subscribers.

import { BenchServer, cannedAnswer, type Load, type ServerName, taskIdIn } from './bench-servers.ts'
import { middle } from './middle.ts'
import type { Memory } from './servers/bench-server.ts'
import { heldTask, listTasks, sendMessage, sendTask, streamChunks, subscribe } from './work.ts'

const WARM_REQUESTS = 10_000
const PAGES = 2_000
const PAGE_ROUNDS = 5
const IDLE = 2_000
const FAN_OUT = 1_000
const FAN_OUT_CHUNKS: Readonly<Record<ServerName, number>> = { parley: 200, ceiling: 200, sdk: 20 }

/** Resident bytes of each of many things. */
export interface Resident {
  bytes: number
  /** Without what the collector keeps in reserve. */
  leanBytes: number
}

function perThing(before: Memory, after: Memory, count: number): Resident {
  return { bytes: (after.rss - before.rss) / count, leanBytes: (after.lean - before.lean) / count }
}

export interface TaskFootprint {
  /** Of the first so many: meanwhile the collector takes the room it needs to keep things at all, once. */
  first: Resident
  /** Of as many again. */
  next: Resident
}

/** What a finished task takes. */
export async function measureTasks(load: Load, name: ServerName, count: number): Promise<TaskFootprint> {
  const server = await BenchServer.start(name)
  try {
    await load.run(server, sendMessage(), { requests: WARM_REQUESTS })
    const before = await server.memory()
    await load.run(server, sendTask(), { requests: count })
    const between = await server.memory()
    await load.run(server, sendTask(), { requests: count })
    const after = await server.memory()
    return { first: perThing(before, between, count), next: perThing(between, after, count) }
  } finally {
    await server.stop()
  }
}

/** Milliseconds of CPU per page of 50, with few and with many tasks stored, in turns. */
export async function measurePages(load: Load, stored: { few: number; many: number }) {
  const few = await BenchServer.start('parley')
  const many = await BenchServer.start('parley')
  try {
    await load.run(few, sendTask(), { requests: stored.few })
    await load.run(many, sendTask(), { requests: stored.many })
    for (const server of [few, many]) await load.run(server, listTasks(), { requests: PAGES })
    const rounds: { few: number; many: number }[] = []
    for (let round = 0; round < PAGE_ROUNDS; round++) {
      rounds.push({
        few: 1000 / (await load.ratePerCpu(few, listTasks(), PAGES)),
        many: 1000 / (await load.ratePerCpu(many, listTasks(), PAGES)),
      })
    }
    return {
      few: middle(rounds.map((round) => round.few)),
      many: middle(rounds.map((round) => round.many)),
      growth: middle(rounds.map((round) => round.many / round.few)),
    }
  } finally {
    await Promise.all([few.stop(), many.stop()])
  }
}

export interface SubscriberFootprint {
  idle: Resident
  /** Bytes of heap per subscriber that stay when all have gone. */
  heapLeft: number
}

export async function measureSubscribers(load: Load, name: ServerName): Promise<SubscriberFootprint> {
  const { server, id } = await startHeld(load, name, 'burst')
  try {
    const work = subscribe(id)
    const before = await server.memory()
    await load.hold(server, work, IDLE)
    const during = await server.memory()
    await load.drop()
    // The second time tells what stays behind: the first one also pays for what the process needs only once.
    const afterFirst = await server.memory()
    await load.hold(server, work, IDLE)
    await load.drop()
    const afterSecond = await server.memory()
    return {
      idle: perThing(before, during, IDLE),
      heapLeft: (afterSecond.heap - afterFirst.heap) / IDLE,
    }
  } finally {
    await server.stop()
  }
}

/** Frames per second to all subscribers of one task together. */
export async function measureFanOut(load: Load, name: ServerName, pace: 'burst' | 'turns'): Promise<number> {
  const { server, id } = await startHeld(load, name, pace)
  try {
    const work = subscribe(id)
    await load.hold(server, work, FAN_OUT)
    const arriving = load.awaitFrames(work.marker)
    await server.release()
    const { frames, perSecond } = await arriving
    const expected = FAN_OUT * FAN_OUT_CHUNKS[name]
    if (frames < expected) throw new Error(`${name} delivered ${frames} of ${expected} frames`)
    await load.drop()
    return perSecond
  } finally {
    await server.stop()
  }
}

/** A warm server with a task that waits to be released; the bare one repeats ours. */
async function startHeld(load: Load, name: ServerName, pace: 'burst' | 'turns') {
  const chunks = FAN_OUT_CHUNKS[name]
  const server = await BenchServer.start(name)
  if (name === 'ceiling') {
    const model = await BenchServer.start('parley')
    const answer = await cannedAnswer(load, model, streamChunks(chunks))
    await model.stop()
    await server.repeat({ ...answer, isTurnwise: pace === 'turns' })
    await load.run(server, streamChunks(chunks), { requests: WARM_REQUESTS / 10 })
    return { server, id: '' }
  }
  await load.run(server, sendMessage(), { requests: WARM_REQUESTS })
  return { server, id: taskIdIn((await load.ask(server, heldTask(chunks, pace))).body) }
}
