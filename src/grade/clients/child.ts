// A client's own process: no shell, an environment of what it needs, a group of its own that ends as a whole, and
// output that is bounded.

import { type ChildProcessByStdio, spawn } from 'node:child_process'
import type { Readable, Writable } from 'node:stream'
import { EXIT, ParleyError } from '../../model/errors.ts'

/** Of each of the two streams; a client that prints more is cut, not waited for. */
const MAX_OUTPUT_BYTES = 256 * 1024

/** Of both streams together; whoever prints more will not stop by itself. */
const MOST_PRINTED_BYTES = 64 * 1024 * 1024
export const FLOODED = `the limit of ${MOST_PRINTED_BYTES / 1024 / 1024} MB for what it prints`

/** What runtimes need to find themselves; nothing that could carry a secret. */
const PASSED_ON = [
  ...['PATH', 'HOME', 'USER', 'LANG', 'LC_ALL', 'TZ', 'TMPDIR', 'TEMP', 'TMP', 'SystemRoot', 'PATHEXT'],
  ...['VIRTUAL_ENV', 'JAVA_HOME', 'GOPATH', 'GOCACHE', 'GOROOT', 'CARGO_HOME', 'RUSTUP_HOME', 'NODE_PATH'],
]

export type Child = ChildProcessByStdio<Writable, Readable, Readable>

export interface ChildOptions {
  /** Names of further variables that are passed on. */
  readonly passed?: readonly string[]
  readonly variables?: NodeJS.ProcessEnv
  /** Where it runs; the folder we run in when absent. */
  readonly cwd?: string
}

export async function startChild(words: readonly string[], options: ChildOptions): Promise<Child> {
  const [command = '', ...args] = words
  const { passed = [], variables, cwd } = options
  const env = Object.fromEntries([...PASSED_ON, ...passed].flatMap((name) => pairOf(name)))
  const child = spawn(command, args, { detached: true, stdio: 'pipe', env: { ...env, ...variables }, cwd })
  child.stdin.on('error', () => {}) // It may have ended already; its exit says so.
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve)
    child.once('error', (cause) => reject(cannotStart(command, cause)))
  })
  return child
}

function pairOf(name: string): [string, string][] {
  const value = process.env[name]
  return value === undefined ? [] : [[name, value]]
}

function cannotStart(command: string, cause: NodeJS.ErrnoException): ParleyError {
  const why =
    cause.code === 'ENOENT' ? 'there is no such program' : cause.code === 'EACCES' ? 'it may not be run' : cause.message
  return new ParleyError('client-not-started', `'${command}' could not be started: ${why}.`, {
    exitCode: EXIT.usage,
    hint: 'The command runs without a shell: give the program and its arguments as separate words after --.',
    cause,
  })
}

/** The process and everything it started. */
export function endGroup({ pid }: Pick<Child, 'pid'>): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // It is gone already.
  }
}

/** Ends a process that prints without end, and remembers that it did. */
export class FloodGuard {
  readonly #child: Child
  #printed = 0

  constructor(child: Child) {
    this.#child = child
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (piece: string | Buffer) => this.#count(piece.length))
  }

  get isFlooded(): boolean {
    return this.#printed > MOST_PRINTED_BYTES
  }

  /** What was printed so far was an answer. */
  forget(): void {
    if (!this.isFlooded) this.#printed = 0
  }

  #count(length: number): void {
    const wasFlooded = this.isFlooded
    this.#printed += length
    if (this.isFlooded && !wasFlooded) endGroup(this.#child)
  }
}

/** Collects what a stream says, up to a bound; the last part is kept, because outcomes come last. */
export class Output {
  #text = ''
  #lost = 0

  constructor(stream: Readable) {
    stream.setEncoding('utf8')
    stream.on('data', (text: string) => {
      this.#text += text
      const over = this.#text.length - MAX_OUTPUT_BYTES
      if (over <= 0) return
      this.#text = this.#text.slice(over)
      this.#lost += over
    })
  }

  get text(): string {
    return this.#lost === 0 ? this.#text : `… ${this.#lost} characters before\n${this.#text}`
  }

  get lastLine(): string {
    return this.#text.trimEnd().split('\n').at(-1) ?? ''
  }
}
