// One agent as a process of its own on a free loopback port, ready when its card is answered, gone with all its
// children afterwards.

import { type ChildProcess, spawn } from 'node:child_process'
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

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise<void>((resolve) => server.close(() => resolve()))
  if (address === null || typeof address === 'string') throw new Error('no port')
  return address.port
}
