// How far a run of a fleet is: a line that changes on a terminal, one now and then elsewhere.

import type { AgentResult, Attempt } from '../fleet/work-book.ts'
import type { CliIo } from './cli-io.ts'
import { terminalLine } from './terminal-text.ts'

const LIVE_MS = 500
const PLAIN_MS = 30_000

export class FleetProgress {
  readonly #io: CliIo
  readonly #isQuiet: boolean
  readonly #isLive = process.stderr.isTTY === true && process.env.TERM !== 'dumb'
  readonly #ask: () => Promise<{ done: number; waiting: number }>
  readonly #started = performance.now()
  #timer: NodeJS.Timeout | undefined
  #own = 0
  #last = ''

  /** `ask` counts what other workers did, too. */
  constructor(io: CliIo, isQuiet: boolean, ask: () => Promise<{ done: number; waiting: number }>) {
    this.#io = io
    this.#isQuiet = isQuiet
    this.#ask = ask
  }

  async begin(): Promise<void> {
    if (this.#isQuiet) return
    this.#timer = setInterval(() => void this.#show().catch(() => {}), this.#isLive ? LIVE_MS : PLAIN_MS).unref()
    if (this.#isLive) await this.#show()
  }

  result({ url }: Attempt, { outcome, level }: AgentResult): void {
    this.#own++
    this.#last = terminalLine(`${url} ${outcome === 'judged' ? level : outcome}`)
  }

  end(): void {
    clearInterval(this.#timer)
    if (this.#isLive && !this.#isQuiet) this.#io.err('\r\u001b[K')
  }

  async #show(): Promise<void> {
    const { done, waiting } = await this.#ask()
    const minutes = (performance.now() - this.#started) / 60_000
    const rate = this.#own === 0 ? '' : `, ${Math.round(this.#own / minutes)} a minute here`
    const line = `${done} of ${done + waiting} agents${rate}${this.#last === '' ? '' : `, ${this.#last}`}`
    const columns = process.stderr.columns > 0 ? process.stderr.columns : 80
    this.#io.err(this.#isLive ? `\r\u001b[K${line.slice(0, columns - 1)}` : `${line}\n`)
  }
}
