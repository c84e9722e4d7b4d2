// What is seen while a run goes on: one live line in a terminal, plain lines elsewhere. Progress goes to stderr.

import type { ConformanceResult, RunListener } from '../judge/runner/result.ts'
import { safeLine } from './safe-text.ts'
import type { Style } from './style.ts'

export interface ProgressOptions {
  write(text: string): void
  isLive: boolean
  columns: number
  style: Style
}

const ERASE_LINE = '\r\u001b[2K'
/** Without a terminal: a line now and then, and one for every failure. */
const PLAIN_EVERY = 50

export class Progress implements RunListener {
  readonly #options: ProgressOptions
  #total = 0
  #done = 0
  #failed = 0

  constructor(options: ProgressOptions) {
    this.#options = options
  }

  onTriage: NonNullable<RunListener['onTriage']> = ({ attempts, interfaces, notes }) => {
    for (const { url, outcome } of attempts) this.#line(`card      ${safeLine(url)}  ${safeLine(outcome)}`)
    for (const { version, binding, url } of interfaces)
      this.#line(`judging   A2A ${version} over ${binding} at ${safeLine(url)}`)
    for (const note of notes) this.#line(`note      ${safeLine(note)}`)
  }

  onPlan: NonNullable<RunListener['onPlan']> = ({ total, writes }) => {
    this.#total = total
    if (writes) this.#line('This run creates tasks on the agent; --side-effects none prevents that.')
  }

  onResult: NonNullable<RunListener['onResult']> = (result) => {
    this.#done++
    if (result.status === 'fail') {
      this.#failed++
      this.#line(`${this.#options.style.red('✗')} ${result.key}  ${safeLine(result.message ?? '').slice(0, 140)}`)
    }
    if (this.#options.isLive) this.#live(result)
    else if (this.#done % PLAIN_EVERY === 0) this.#options.write(`${this.#counts()}\n`)
  }

  end(): void {
    if (this.#options.isLive) this.#options.write(ERASE_LINE)
  }

  #live(result: ConformanceResult): void {
    const text = `${this.#counts()}  ${result.key}`
    this.#options.write(`${ERASE_LINE}${text.slice(0, Math.max(20, this.#options.columns - 1))}`)
  }

  #counts(): string {
    return `${this.#done}/${this.#total} checks, ${this.#failed} failed`
  }

  #line(text: string): void {
    this.#options.write(`${this.#options.isLive ? ERASE_LINE : ''}${text}\n`)
  }
}
