// A shell in a real terminal (tmux), typed into as a person would: what is on the screen after a line, and its exit code.

import { execFile, execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'

const run = promisify(execFile)

export interface Screen {
  text: string
  code: number
}

/** A line that runs. */
export interface Begun {
  end(): Promise<Screen>
  shows(text: string): Promise<void>
  /** What is on the screen now. */
  screen(): Promise<string>
}

export function hasTmux(): boolean {
  try {
    execFileSync('tmux', ['-V'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

export class Terminal {
  readonly #socket = `parley-${randomUUID()}`
  #count = 0

  static async open(options: { cwd: string; path: string; columns?: number; rows?: number }): Promise<Terminal> {
    const terminal = new Terminal()
    const { cwd, path, columns = 100, rows = 50 } = options
    const size = ['-x', String(columns), '-y', String(rows)]
    const env = ['-e', `PATH=${path}`, '-e', 'PS1=', '-e', 'NO_COLOR=1', '-e', 'HISTFILE=']
    await terminal.#tmux('-f', '/dev/null', 'new-session', '-d', ...size, '-c', cwd, ...env, 'bash --noprofile --norc')
    await terminal.#tmux('set-option', '-g', 'history-limit', '5000')
    await terminal.type(`stty -echo; PS1=; export PATH='${path}'`)
    return terminal
  }

  /** Types the line and waits until it has ended. */
  async type(line: string): Promise<Screen> {
    const mark = `END-${++this.#count}`
    await this.#tmux('send-keys', '-t', '0', '-l', `clear; tmux -L ${this.#socket} clear-history; ${line}`)
    await this.#tmux('send-keys', '-t', '0', '-l', `; echo "${mark}:$?"`)
    await this.#tmux('send-keys', '-t', '0', 'Enter')
    return this.#until(mark)
  }

  /** Types keys into a program that is running: 'hello', 'Enter', 'C-c'. */
  async press(...keys: string[]): Promise<void> {
    await this.#tmux('send-keys', '-t', '0', ...keys)
  }

  /** Begins a line without waiting; `end` waits for it. */
  async begin(line: string): Promise<Begun> {
    const mark = `END-${++this.#count}`
    await this.#tmux('send-keys', '-t', '0', '-l', `clear; ${line}; echo "${mark}:$?"`)
    await this.#tmux('send-keys', '-t', '0', 'Enter')
    return { end: () => this.#until(mark), shows: (text) => this.#shows(text), screen: () => this.#screen() }
  }

  async close(): Promise<void> {
    await this.#tmux('kill-server')
  }

  async #shows(text: string): Promise<void> {
    for (;;) {
      if ((await this.#screen()).includes(text)) return
      await pause(50)
    }
  }

  async #until(mark: string): Promise<Screen> {
    const ended = new RegExp(`^(.*?)${mark}:(\\d+)\\s*$`, 's')
    for (;;) {
      const [, text, code] = ended.exec(await this.#screen()) ?? []
      if (text !== undefined) return { text, code: Number(code) }
      await pause(50)
    }
  }

  async #screen(): Promise<string> {
    // -J joins what the terminal wrapped.
    return (await this.#tmux('capture-pane', '-p', '-J', '-S', '-', '-t', '0')).replaceAll(/[ \t]+$/gm, '')
  }

  async #tmux(...args: string[]): Promise<string> {
    return (await run('tmux', ['-L', this.#socket, ...args])).stdout
  }
}
