// Runs Parley as its users do: as a process of its own, with real signals, exit codes and output.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { PARLEY_ENTRY } from './parley-command.ts'

export interface Finished {
  code: number | null
  stdout: string
  stderr: string
}

export interface Serving {
  url: string
  /** What it said when it was ready. */
  ready: { [member: string]: unknown }
  child: ChildProcess
  /** Sends the signal and waits for the end. */
  stop(signal?: NodeJS.Signals): Promise<Finished>
}

export interface RunOptions {
  cwd?: string
  env?: NodeJS.ProcessEnv
  stdin?: string
  /** As this user; only root may choose. */
  uid?: number
  /** Another tree's test/support/parley.ts. */
  entry?: string
}

export async function runParley(args: readonly string[], options: RunOptions = {}): Promise<Finished> {
  const { child, finished } = start(args, options)
  child.stdin?.end(options.stdin ?? '')
  return finished
}

/** Starts a command that listens and waits for its ready line. */
export async function startParley(args: readonly string[], options: RunOptions = {}): Promise<Serving> {
  const { child, finished } = start([...args, '--port', '0', '-o', 'json'], options)
  if (child.stdout === null) throw new Error('no stdout')
  const waiting = (async () => {
    for await (const line of createInterface({ input: child.stdout as NodeJS.ReadableStream })) {
      const event = JSON.parse(line) as { event?: string; url?: string; [member: string]: unknown }
      if (event.event === 'ready' && event.url !== undefined) return { ...event, url: event.url }
    }
    throw new Error(`it ended before it was ready: ${(await finished).stderr}`)
  })()
  const ready = await waiting
  return {
    url: ready.url,
    ready,
    child,
    stop(signal = 'SIGTERM') {
      child.kill(signal)
      return finished
    },
  }
}

export interface RunningParley {
  pid: number | undefined
  finished: Promise<Finished>
  kill(signal: NodeJS.Signals): void
  /** Resolves once what goes to stderr from now on fits. */
  stderrMatching(pattern: RegExp): Promise<void>
  stdoutMatching(pattern: RegExp): Promise<void>
}

/** Starts a command that ends by itself, to be watched or interrupted on the way. */
export function startParleyProcess(args: readonly string[], options: RunOptions = {}): RunningParley {
  const { child, finished } = start(args, options)
  child.stdin?.end()
  return {
    pid: child.pid,
    finished,
    kill: (signal) => child.kill(signal),
    stderrMatching: (pattern) => matching(child, 'stderr', pattern),
    stdoutMatching: (pattern) => matching(child, 'stdout', pattern),
  }
}

function matching(child: ChildProcess, where: 'stdout' | 'stderr', pattern: RegExp): Promise<void> {
  return new Promise((resolve, reject) => {
    let text = ''
    // Leaving a loop over the stream would close it, and the command could not go on writing.
    child[where]?.on('data', (chunk: Buffer) => {
      text += chunk.toString()
      if (pattern.test(text)) resolve()
    })
    child.once('close', () => reject(new Error(`it ended without ${pattern}: ${text}`)))
  })
}

function start(args: readonly string[], { cwd, env, uid, entry = PARLEY_ENTRY }: RunOptions) {
  const child = spawn(process.execPath, [entry, ...args], {
    ...(cwd === undefined ? {} : { cwd }),
    ...(uid === undefined ? {} : { uid, gid: uid }),
    env: { ...process.env, NO_COLOR: '1', ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  const output = { stdout: '', stderr: '' }
  child.stdout.on('data', (chunk: Buffer) => {
    output.stdout += chunk.toString()
  })
  child.stderr.on('data', (chunk: Buffer) => {
    output.stderr += chunk.toString()
  })
  const finished = once(child, 'close').then(([code]) => ({ code: code as number | null, ...output }))
  return { child, finished }
}
