// What the processes of the three servers share: they say where they listen, and are asked for their memory and to let
// held tasks go on.

import { answerParent } from '../child.ts'

export interface Memory {
  rss: number
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
    if (question.do === 'cpu') return process.threadCpuUsage()
    if (question.do === 'memory') return measureMemory()
    if (question.do === 'release') gate.resolve()
    others(question)
    return {}
  })
}

async function measureMemory(): Promise<Memory> {
  // As an idle process would after a while: everything unneeded is given back. Twice, because finalizers need a turn.
  for (let round = 0; round < 2; round++) {
    globalThis.gc?.({ type: 'major', execution: 'sync', flavor: 'last-resort' })
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  const { rss, heapUsed } = process.memoryUsage()
  return { rss, heap: heapUsed }
}
