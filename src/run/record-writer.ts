// Writes a run as it happens: one JSON line for each thing that became known, each in a single write, so that whatever
// ends the process the file is whole up to its last line. Nothing written is changed; what turns out differently at the
// end (a known failure, what else it blocks) is said again in a line of the same number, and the last one counts.

import { jsonText } from '../trace/json-text.ts'
import type { Run, RunAgent, RunHeader, RunResult } from './run.ts'

export class RecordWriter {
  readonly #write: (line: string) => void
  /** What was written about each result; its place is its number. */
  readonly #lines: string[] = []
  /** The numbers of a name, in the order they came: a name may turn up twice. */
  readonly #numbers = new Map<string, number[]>()

  constructor(write: (line: string) => void) {
    this.#write = write
  }

  header(header: RunHeader): void {
    this.#line('header', header)
  }

  agent(agent: RunAgent): void {
    this.#line('agent', agent)
  }

  plan(plan: { total: number }): void {
    this.#line('plan', plan)
  }

  result(result: RunResult): void {
    const n = this.#lines.length
    const name = nameOf(result)
    this.#numbers.set(name, [...(this.#numbers.get(name) ?? []), n])
    this.#lines.push(this.#line('result', { n, ...result }))
  }

  end({ results, footer }: Run): void {
    const order = results.map((result) => this.#settle(result))
    const isInOrder = order.every((n, at) => n === at)
    this.#line('footer', isInOrder ? footer : { ...footer, order })
  }

  /** The number of a result, which is written again when it is not what was written. */
  #settle(result: RunResult): number {
    const n = this.#numbers.get(nameOf(result))?.shift()
    if (n === undefined) {
      this.result(result)
      return this.#lines.length - 1
    }
    const text = lineOf('result', { n, ...result })
    if (text !== this.#lines[n]) this.#write(text)
    return n
  }

  #line(type: string, members: object): string {
    const text = lineOf(type, members)
    this.#write(text)
    return text
  }
}

function lineOf(type: string, members: object): string {
  return `${jsonText({ type, ...members })}\n`
}

function nameOf({ agent, key }: RunResult): string {
  return `${agent ?? ''} ${key}`
}
