// From starting the process to the first card in hand, as a user meets it: `parley serve` with all its agents, and
// the SDK's server with one.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { BenchServer } from './bench-servers.ts'

const RUNS = 5
const BIN = fileURLToPath(new URL('../bin/parley.js', import.meta.url))
const DIST = new URL('../dist/cli/main.js', import.meta.url)

/** Milliseconds, the best of a few runs. */
export async function measureStartUp(): Promise<{ parley: number | undefined; sdk: number }> {
  const isBuilt = existsSync(DIST)
  let parley = Number.POSITIVE_INFINITY
  let sdk = Number.POSITIVE_INFINITY
  for (let run = 0; run < RUNS; run++) {
    if (isBuilt) parley = Math.min(parley, await parleyStart())
    sdk = Math.min(sdk, await sdkStart())
  }
  return { parley: isBuilt ? parley : undefined, sdk }
}

async function parleyStart(): Promise<number> {
  const started = performance.now()
  const child = spawn(process.execPath, [BIN, 'serve', '--port', '0', '-o', 'json'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [line] = (await once(child.stdout, 'data')) as [Buffer]
  const { url } = JSON.parse(line.toString()) as { url: string }
  await fetchCard(`${url}/spec`)
  const elapsedMs = performance.now() - started
  child.kill()
  await once(child, 'exit')
  return elapsedMs
}

async function sdkStart(): Promise<number> {
  const started = performance.now()
  const server = await BenchServer.start('sdk')
  await fetchCard(`http://127.0.0.1:${server.port}`)
  const elapsedMs = performance.now() - started
  await server.stop()
  return elapsedMs
}

async function fetchCard(base: string): Promise<void> {
  const response = await fetch(`${base}/.well-known/agent-card.json`)
  if (!response.ok) throw new Error(`${base} answered ${response.status} instead of its card`)
  await response.json()
}
