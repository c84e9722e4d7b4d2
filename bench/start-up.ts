// From starting the process to what its user waits for: the first card of `parley serve` with all its agents, the version
// and the overview of commands; beside them the SDK's server with one agent. BENCH_BEFORE names the bin/parley.js of another
// checkout, built, to be measured in turns with this one.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { BenchServer } from './bench-servers.ts'
import { middle } from './middle.ts'
import { against, type Goal, printTable, rounded } from './report.ts'

const RUNS = 15
const BIN = fileURLToPath(new URL('../bin/parley.js', import.meta.url))
const DIST = new URL('../dist/cli/main.js', import.meta.url)
const FIRST_CARD_MS = 150

/** Prints milliseconds, medians. */
export async function printStartUp(): Promise<void> {
  if (!existsSync(DIST)) return console.log('\nStart-up is measured on the build: npm run build.')
  const before = process.env.BENCH_BEFORE
  const bins = before === undefined ? [BIN] : [BIN, before]
  printTable(
    `Milliseconds from starting the process (by the clock; medians of ${RUNS} in turns)`,
    ['ours', ...(before === undefined ? [] : ['before']), 'SDK'],
    [
      await row('first card', bins, (bin) => firstCard(bin), { atMost: FIRST_CARD_MS }, sdkStart),
      await row('  with nothing compiled before', bins, (bin) => firstCard(bin, { NODE_DISABLE_COMPILE_CACHE: '1' })),
      await row('parley --version', bins, (bin) => toItsEnd(bin, '--version')),
      await row('parley --help', bins, (bin) => toItsEnd(bin, '--help')),
    ],
  )
}

async function row(
  what: string,
  bins: readonly string[],
  measure: (bin: string) => Promise<number>,
  goal: Omit<Goal, 'value'> = {},
  measureSdk?: () => Promise<number>,
) {
  const ways = [...bins.map((bin) => () => measure(bin)), ...(measureSdk === undefined ? [] : [measureSdk])]
  const times: number[][] = ways.map(() => [])
  for (let run = 0; run < RUNS; run++) for (const [at, way] of ways.entries()) times[at]?.push(await way())
  const [ours = 0, ...others] = times.map(middle)
  return { what, cells: [against({ value: ours, ...goal }, 0), ...others.map(rounded)] }
}

async function firstCard(bin: string, env: NodeJS.ProcessEnv = {}): Promise<number> {
  const started = performance.now()
  const child = spawn(process.execPath, [bin, 'serve', '--port', '0', '-o', 'json'], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...env },
  })
  const [line] = (await once(child.stdout, 'data')) as [Buffer]
  const { url } = JSON.parse(line.toString()) as { url: string }
  await fetchCard(`${url}/spec`)
  const elapsedMs = performance.now() - started
  child.kill()
  await once(child, 'exit')
  return elapsedMs
}

async function toItsEnd(bin: string, flag: string): Promise<number> {
  const started = performance.now()
  await once(spawn(process.execPath, [bin, flag], { stdio: 'ignore' }), 'exit')
  return performance.now() - started
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
