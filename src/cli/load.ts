// `parley load`: a closed loop of messages, each sender waiting for its answer before the next. Bounded unless told otherwise,
// and only on a machine of one's own without asking: load on the agent of another party is an attack.

import { randomUUID } from 'node:crypto'
import { createInterface } from 'node:readline/promises'
import { Command, Option } from 'commander'
import type { A2AClient } from '../client/a2a-client.ts'
import { originsOf } from '../client/agent-reach.ts'
import { A2AError, EXIT, ParleyError } from '../model/errors.ts'
import { jsonText } from '../trace/json-text.ts'
import { type CliIo, processIo } from './cli-io.ts'
import { counted, duration, usage, wholeNumber } from './flag-values.ts'
import { addLoginOptions, connectAgent, type LoginFlags } from './login.ts'
import { addTargetOptions, clientOptions, type TargetFlags } from './target-options.ts'
import { terminalLine } from './terminal-text.ts'

interface LoadFlags extends TargetFlags, LoginFlags {
  concurrency: number
  requests: number
  duration: number
  yes?: boolean
  output: 'text' | 'json'
  quiet?: boolean
}

const EXAMPLES = `Examples:
  parley load localhost:9999/echo
  parley load localhost:3000 "hello" --concurrency 32 --duration 30s --requests 100000
`

export function loadCommand(io: CliIo = processIo): Command {
  const command = new Command('load')
    .description(
      'Send messages in a closed loop and print latencies; at most 1000 messages in 10 s unless told otherwise.',
    )
    .argument('<agent>', 'host, URL, card URL or card file')
    .argument('[text]', 'the message', 'hello')
    .option('--concurrency <n>', 'senders at a time', wholeNumber('--concurrency', 1, 1_000), 8)
    .option('--requests <n>', 'stop after so many messages', wholeNumber('--requests', 1), 1_000)
    .option('--duration <duration>', 'stop after this time', duration('--duration'), 10_000)
    .option('--yes', 'do not ask before loading a host that is not this machine')
    .addOption(new Option('-o, --output <format>', 'output format').choices(['text', 'json']).default('text'))
    .option('-q, --quiet', 'no progress on stderr')
    .addHelpText('before', EXAMPLES)
    .action((agent: string, text: string) => load(agent, text, command.opts<LoadFlags>(), io))
  return addLoginOptions(addTargetOptions(command))
}

async function load(agent: string, text: string, flags: LoadFlags, io: CliIo): Promise<void> {
  await consent(agent, flags, io)
  const tell = (line: string) => io.err(`${line}\n`)
  using client = await connectAgent(agent, clientOptions(flags, tell), flags, tell)
  const result = await closedLoop(client, text, flags)
  io.out(flags.output === 'json' ? `${jsonText(result)}\n` : rendered(result))
  if (result.answered === 0) io.exit(EXIT.failed)
}

async function consent(agent: string, { yes }: LoadFlags, io: CliIo): Promise<void> {
  const foreign = originsOf(agent).filter((origin) => !isOwnMachine(new URL(origin).hostname))
  if (yes === true || foreign.length === 0) return
  const question = `This puts load on ${foreign.join(', ')}, which is not this machine. Is it yours to load?`
  if (process.stdin.isTTY !== true || process.stderr.isTTY !== true) throw usage(question, 'If it is, add --yes.')
  const reader = createInterface({ input: process.stdin, output: process.stderr })
  const answer = await reader.question(`${question} [y/N] `)
  reader.close()
  if (!/^y(es)?$/i.test(answer.trim()))
    throw new ParleyError('not-allowed', 'Nothing was sent.', { exitCode: EXIT.usage })
  io.err('\n')
}

function isOwnMachine(host: string): boolean {
  return host === 'localhost' || host.endsWith('.localhost') || host === '[::1]' || /^127\./.test(host)
}

export interface LoadResult {
  sent: number
  answered: number
  failed: number
  /** How often each kind of failure came. */
  failures: { [kind: string]: number }
  seconds: number
  perSecond: number
  latencyMs: { p50: number; p90: number; p99: number; max: number }
  endpoint: { url: string; binding: string; dialect: string }
}

async function closedLoop(client: A2AClient, text: string, limits: LoadFlags): Promise<LoadResult> {
  const latencies: number[] = []
  const failures: { [kind: string]: number } = {}
  let sent = 0
  const startedAt = performance.now()
  const isOver = () => sent >= limits.requests || performance.now() - startedAt >= limits.duration
  const sender = async () => {
    while (!isOver()) {
      sent++
      const before = performance.now()
      try {
        await client.sendMessage({ message: { messageId: randomUUID(), role: 'ROLE_USER', parts: [{ text }] } })
        latencies.push(performance.now() - before)
      } catch (error) {
        const kind = error instanceof A2AError ? error.kind : error instanceof ParleyError ? error.code : undefined
        if (kind === undefined) throw error
        failures[kind] = (failures[kind] ?? 0) + 1
      }
    }
  }
  await Promise.all(Array.from({ length: limits.concurrency }, sender))
  const seconds = (performance.now() - startedAt) / 1_000
  latencies.sort((a, b) => a - b)
  const at = (share: number) => round(latencies[Math.ceil(latencies.length * share) - 1] ?? 0)
  const answered = latencies.length
  return {
    ...{ sent, answered, failed: sent - answered, failures, seconds: round(seconds) },
    perSecond: round(answered / seconds),
    latencyMs: { p50: at(0.5), p90: at(0.9), p99: at(0.99), max: round(latencies.at(-1) ?? 0) },
    endpoint: client.endpoint,
  }
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}

function rendered({ answered, failures, failed, seconds, perSecond, latencyMs, endpoint }: LoadResult): string {
  const kinds = Object.entries(failures).map(([kind, count]) => `${count} × ${terminalLine(kind)}`)
  return [
    `${counted(answered, 'answer')} in ${seconds} s: ${perSecond} per second`,
    ...(failed === 0 ? [] : [`${failed} failed: ${kinds.join(', ')}`]),
    ...(answered === 0
      ? []
      : [
          `latency  p50 ${latencyMs.p50} ms   p90 ${latencyMs.p90} ms   p99 ${latencyMs.p99} ms   max ${latencyMs.max} ms`,
        ]),
    `A2A ${endpoint.dialect} over ${endpoint.binding} at ${endpoint.url}`,
    '',
  ].join('\n')
}
