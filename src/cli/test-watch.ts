// `parley test --watch`: again whenever the agent comes back or a file of the run changes, and what is different since.

import { connect } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { originsOf } from '../client/agent-reach.ts'
import { type ConformanceReport, resultsOf } from '../judge/runner/result.ts'
import { EXIT } from '../model/errors.ts'
import type { CliIo } from './cli-io.ts'
import { counted } from './flag-values.ts'
import { FileWatch } from './watch-files.ts'

export interface WatchOptions {
  agent: string
  /** Files of the run: prompts, baseline, a card. */
  files: readonly string[]
  run(): Promise<ConformanceReport>
  io: CliIo
  /** Ends the watch; Ctrl-C between two runs unless given. */
  signal?: AbortSignal
}

const ASK_EVERY_MS = 250

export async function watchTest({ agent, files, run, io, signal = interrupted() }: WatchOptions): Promise<void> {
  let before: ConformanceReport | undefined
  while (!signal.aborted) {
    const report = await run()
    if (before !== undefined) io.out(difference(before, report))
    before = report
    if (signal.aborted) return
    io.err('Waiting until the agent comes back or a file changes; Ctrl-C ends.\n')
    const isUp = report.exitCode !== EXIT.unreachable
    const why = await nextReason(agent, files, { isUp, signal })
    if (why !== undefined) io.err(`\n${why}\n`)
  }
}

/** What changed from one run to the next, result by result. */
export function difference(before: ConformanceReport, after: ConformanceReport): string {
  const earlier = new Map(resultsOf(before).map(({ key, verdict }) => [key, verdict]))
  const changed = resultsOf(after).filter(({ key, verdict }) => (earlier.get(key) ?? verdict) !== verdict)
  if (changed.length === 0) return 'Nothing changed since the run before.\n'
  const lines = changed.map(({ key, verdict }) => `  ${key}: ${earlier.get(key) ?? ''} → ${verdict}\n`)
  return `${counted(changed.length, 'result')} changed since the run before:\n${lines.join('')}`
}

interface Now {
  isUp: boolean
  signal: AbortSignal
}

async function nextReason(agent: string, files: readonly string[], { isUp, signal }: Now): Promise<string | undefined> {
  const changed = Promise.withResolvers<string>()
  const watch = new FileWatch(files, () => changed.resolve('A file changed.'))
  const over = new AbortController()
  const stop = AbortSignal.any([signal, over.signal])
  const ended = new Promise<undefined>((resolve) => signal.addEventListener('abort', () => resolve(undefined)))
  try {
    return await Promise.race([changed.promise, comesBack(agent, { isUp, signal: stop }), ended])
  } finally {
    over.abort()
    watch.close()
  }
}

/** Down, then up again. */
async function comesBack(agent: string, { isUp, signal }: Now): Promise<string | undefined> {
  const [origin] = originsOf(agent)
  // A card file has no place to watch but itself.
  if (origin === undefined) return new Promise(() => {})
  let wasUp = isUp
  while (!signal.aborted) {
    const isUpNow = await listens(new URL(origin))
    if (isUpNow && !wasUp) return 'The agent is back.'
    wasUp = isUpNow
    await pause(ASK_EVERY_MS, undefined, { signal }).catch(() => {})
  }
  return undefined
}

function listens({ hostname, port, protocol }: URL): Promise<boolean> {
  return new Promise((resolve) => {
    const host = hostname.replace(/^\[|\]$/g, '')
    const socket = connect({ host, port: port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port) })
    const end = (isUp: boolean) => {
      socket.destroy()
      resolve(isUp)
    }
    socket.once('connect', () => end(true)).once('error', () => end(false))
    socket.setTimeout(2_000, () => end(false))
  })
}

function interrupted(): AbortSignal {
  const stop = new AbortController()
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, () => stop.abort())
  return stop.signal
}
