// A fleet as an operator runs it: hosts, workers and the command line as processes of their own.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { PARLEY_ENTRY } from '../support/parley-command.ts'

export interface HostsLog {
  readonly requests: number
  readonly overlaps: number
  readonly busiestSecond: number
}

export class HostsProcess {
  readonly list: string
  readonly agents: readonly string[]
  readonly #folder: string
  readonly #child: ChildProcess
  readonly #lines: AsyncIterator<string>

  private constructor(child: ChildProcess, lines: AsyncIterator<string>, agents: readonly string[]) {
    this.#child = child
    this.#lines = lines
    this.agents = agents
    this.#folder = mkdtempSync(join(tmpdir(), 'parley-fleet-list-'))
    this.list = join(this.#folder, 'agents.jsonl')
    writeFileSync(this.list, agents.map((agent) => `${JSON.stringify({ agent })}\n`).join(''))
  }

  /** The agents are spread evenly over the hosts, or the first host has as many as asked for. */
  static async start(hosts: number, agents: number, ofFirst?: number): Promise<HostsProcess> {
    const file = join(import.meta.dirname, 'hosts-process.ts')
    const args = [hosts, agents, ...(ofFirst === undefined ? [] : [ofFirst])].map(String)
    const child = spawn(process.execPath, [file, ...args], { stdio: ['pipe', 'pipe', 'inherit'] })
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
    const first = JSON.parse((await lines.next()).value as string) as { agents: string[] }
    return new HostsProcess(child, lines, first.agents)
  }

  /** What the agents' own log says; they are gone then. */
  async end(): Promise<HostsLog> {
    this.#child.stdin?.end()
    const { value } = await this.#lines.next()
    rmSync(this.#folder, { recursive: true, force: true })
    return JSON.parse(value as string) as HostsLog
  }
}

export interface FleetProcess {
  readonly child: ChildProcess
  readonly ended: Promise<{ code: number | null; stderr: string; stdout: string; peakKb: number; cpuMs: number }>
}

/** `parley fleet …`; its peak memory and CPU time are read from the system while it runs. */
export function fleetProcess(args: readonly string[]): FleetProcess {
  const child = spawn(process.execPath, [PARLEY_ENTRY, 'fleet', ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
  let [stderr, stdout, peakKb, cpuMs] = ['', '', 0, 0]
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString()
  })
  child.stdout.on('data', (chunk: Buffer) => {
    stdout += chunk.toString()
  })
  const timer = setInterval(() => {
    const seen = usageOf(child.pid ?? 0)
    if (seen !== undefined) [peakKb, cpuMs] = [Math.max(peakKb, seen.peakKb), seen.cpuMs]
  }, 200)
  const ended = once(child, 'close').then(([code]) => {
    clearInterval(timer)
    return { code: code as number | null, stderr, stdout, peakKb, cpuMs }
  })
  return { child, ended }
}

function usageOf(pid: number): { peakKb: number; cpuMs: number } | undefined {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8')
    const peakKb = Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0)
    // After the name in brackets: fields 14 and 15 are user and system time in hundredths of a second.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /, '')
      .split(' ')
    return { peakKb, cpuMs: (Number(fields[11]) + Number(fields[12])) * 10 }
  } catch {
    return undefined
  }
}
