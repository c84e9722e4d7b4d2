// One agent as a process of its own on a free loopback port, ready when its card is answered, gone with all its
// children afterwards.

import { type ChildProcess, spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { filledIn } from './build.ts'
import type { AgentEntry, Folder } from './corpus.ts'

export interface RunningAgent {
  url: string
  readonly pid: number | undefined
  /** What it printed, the end of it. */
  output(): string
  hasEnded(): boolean
  stop(): Promise<void>
}

const READY_MS = 60_000
const GRACE_MS = 3_000
const OUTPUT_KEPT = 64_000
/** Somebody else may take the free port in between. */
const ATTEMPTS = 3

export async function startAgent(folder: Folder, agent: AgentEntry, env: NodeJS.ProcessEnv): Promise<RunningAgent> {
  for (let attempt = 1; ; attempt++) {
    const running = launch(folder, agent, await freePort(), env)
    const card = new URL(agent.card ?? '/.well-known/agent-card.json', running.url)
    if (await isReady(card, running)) return running
    await running.stop()
    if (attempt === ATTEMPTS)
      throw new Error(
        `${folder.name}/${agent.name} does not answer at ${card.pathname}:\n${running.output().slice(-4_000)}`,
      )
  }
}

function launch(folder: Folder, agent: AgentEntry, port: number, env: NodeJS.ProcessEnv): RunningAgent {
  const [program = '', ...args] = filledIn(agent.run, folder, { port: `${port}` })
  const child = spawn(program, args, {
    cwd: folder.path,
    env: { ...process.env, ...env, ...Object.fromEntries(agent.env ?? []), PYTHONDONTWRITEBYTECODE: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  let output = ''
  const keep = (chunk: Buffer) => {
    output = `${output}${chunk.toString()}`.slice(-OUTPUT_KEPT)
  }
  child.stdout.on('data', keep)
  child.stderr.on('data', keep)
  let didNotStart = false
  child.on('error', (error) => {
    didNotStart = true
    keep(Buffer.from(`${error.message}\n`))
  })
  const hasEnded = () => didNotStart || child.exitCode !== null || child.signalCode !== null
  return {
    url: `http://127.0.0.1:${port}${agent.path ?? ''}`,
    pid: child.pid,
    output: () => output,
    hasEnded,
    stop: () => stop(child, hasEnded),
  }
}

async function isReady(card: URL, running: RunningAgent): Promise<boolean> {
  const until = performance.now() + READY_MS
  while (performance.now() < until && !running.hasEnded()) {
    const answer = await fetch(card).catch(() => undefined)
    await answer?.body?.cancel()
    if (answer?.ok === true) return true
    await pause(100)
  }
  return false
}

async function stop(child: ChildProcess, hasEnded: () => boolean): Promise<void> {
  if (hasEnded() || child.pid === undefined) return
  const ended = once(child, 'exit')
  process.kill(-child.pid, 'SIGTERM')
  const killer = setTimeout(() => {
    if (child.pid !== undefined && !hasEnded()) process.kill(-child.pid, 'SIGKILL')
  }, GRACE_MS)
  await ended
  clearTimeout(killer)
}

/** Handed out here already; its server may not have come to listen yet. */
const handedOut = new Set<number>()
/**
 * Below the ports that systems give out by themselves: a tap that got the same one while a slow server starts would answer for
 * that server.
 */
const PORTS = { first: 20_000, count: 10_000 }

async function freePort(): Promise<number> {
  for (;;) {
    const port = PORTS.first + randomInt(PORTS.count)
    if (handedOut.has(port)) continue
    handedOut.add(port)
    if (await isFree(port)) return port
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer()
  const isListening = await new Promise<boolean>((resolve) => {
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => resolve(true))
  })
  if (isListening) await new Promise<void>((resolve) => server.close(() => resolve()))
  return isListening
}
