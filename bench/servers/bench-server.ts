// What the processes of the three servers share: they say where they listen, and are asked for their memory and to let
// held tasks go on.

import { answerParent } from '../child.ts'

export interface Memory {
  /** Resident after an ordinary collection: what an operator sees. */
  rss: number
  /** Resident after the collector also gave back its reserves: what is needed. */
  lean: number
  heap: number
}

export type ServerQuestion =
  | { do: 'port' }
  | { do: 'cpu' }
  | { do: 'memory' }
  | { do: 'release' }
  | { do: 'answer'; answer: CannedAnswer }

/** What the bare server says: our own answer, byte for byte. */
export interface CannedAnswer {
  headers: string[]
  /** One element for a plain answer, one per event for a stream. */
  parts: string[]
  isStream: boolean
  /** Whether fan-out waits a turn of the event loop between events. */
  isTurnwise: boolean
}

/** CPU time of a process, or what it did in a second of it. */
export interface ByThreads {
  /** Of the thread that answers: the one that limits how much a server answers. */
  thread: number
  /** With the helpers of the collector and the compiler. */
  all: number
}

function seconds({ user, system }: NodeJS.CpuUsage): number {
  return (user + system) / 1e6
}

/** Held tasks wait here until the benchmark lets them go. */
const gate = Promise.withResolvers<void>()

export const released: Promise<void> = gate.promise

/** Lets an event out on its own turn of the event loop, as the events of most agents come. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

export function answerBenchmark(port: number, others: (question: ServerQuestion) => void = () => {}): void {
  answerParent(async (question: ServerQuestion) => {
    if (question.do === 'port') return { port }
    if (question.do === 'cpu')
      return { thread: seconds(process.threadCpuUsage()), all: seconds(process.cpuUsage()) } satisfies ByThreads
    if (question.do === 'memory') return measureMemory()
    if (question.do === 'release') gate.resolve()
    others(question)
    return {}
  })
}

async function measureMemory(): Promise<Memory> {
  const { rss } = await collect(() => globalThis.gc?.())
  const { rss: lean, heapUsed: heap } = await collect(() =>
    globalThis.gc?.({ type: 'major', execution: 'sync', flavor: 'last-resort' }),
  )
  return { rss, lean, heap }
}

/** Twice, with a pause: finalizers and freed pages need a turn of the event loop. */
async function collect(gc: () => void): Promise<NodeJS.MemoryUsage> {
  for (let round = 0; round < 2; round++) {
    gc()
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  return process.memoryUsage()
}
