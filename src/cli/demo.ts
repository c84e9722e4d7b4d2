// `parley demo`: starts the reference agents on a free port, talks to each in every protocol version and binding it has, and
// prints what happened. The first thing a newcomer runs, so every cell is a real conversation over a real socket.

import { Command, Option } from 'commander'
import { referenceAgents } from '../agents/reference.ts'
import { defined } from '../base/defined.ts'
import { A2AClient } from '../client/a2a-client.ts'
import type { BindingId, DialectId } from '../dialects/dialect.ts'
import { EXIT } from '../model/errors.ts'
import { createServer } from '../server/server.ts'
import { jsonText } from '../trace/json-text.ts'
import { type CliIo, processIo } from './cli-io.ts'
import { certifyAgents, type DemoVerdict } from './demo-certify.ts'
import { CONVERSATIONS, type ConversationName } from './demo-conversations.ts'
import { forwardMessage } from './forward.ts'
import { ownCommand } from './invocation.ts'

interface DemoRow {
  agent: string
  generation: DialectId
  binding: BindingId
  conversations: readonly ConversationName[]
}

interface DemoCell {
  conversation: ConversationName
  ok: boolean
  ms: number
  detail?: string
}

interface DemoResult {
  row: DemoRow
  cells: DemoCell[]
}

const TASKS: readonly ConversationName[] = ['reply', 'task', 'stream', 'turns', 'cancel', 'no-such-task']

const ROWS: readonly DemoRow[] = [
  { agent: '/echo', generation: '1.0', binding: 'jsonrpc', conversations: ['reply'] },
  { agent: '/echo', generation: '1.0', binding: 'rest', conversations: ['reply'] },
  { agent: '/spec', generation: '1.0', binding: 'jsonrpc', conversations: [...TASKS, 'list', 'subscribe'] },
  { agent: '/spec', generation: '1.0', binding: 'rest', conversations: [...TASKS, 'list', 'subscribe'] },
  { agent: '/spec', generation: '0.3', binding: 'jsonrpc', conversations: TASKS },
  { agent: '/spec03', generation: '0.3', binding: 'jsonrpc', conversations: [...TASKS, 'subscribe'] },
  { agent: '/spec03', generation: '0.3', binding: 'rest', conversations: [...TASKS, 'subscribe'] },
  {
    agent: '/legacy',
    generation: '0.1',
    binding: 'jsonrpc',
    conversations: ['task', 'stream', 'turns', 'cancel', 'no-such-task'],
  },
  { agent: '/tck', generation: '1.0', binding: 'jsonrpc', conversations: TASKS },
  { agent: '/tck', generation: '1.0', binding: 'rest', conversations: TASKS },
  { agent: '/relay', generation: '1.0', binding: 'jsonrpc', conversations: ['reply'] },
]

const COLUMNS: readonly ConversationName[] = [...TASKS, 'list', 'subscribe']

export function demoCommand(io: CliIo = processIo): Command {
  return new Command('demo')
    .description(
      'Start the reference agents, talk to each in every protocol version and binding, print what happened, stop.',
    )
    .addOption(new Option('-o, --output <format>', 'output format').choices(['text', 'json']).default('text'))
    .addHelpText('before', 'Example:\n  parley demo\n')
    .action((flags: { output: 'text' | 'json' }) => demo(io, flags.output))
}

async function demo(io: CliIo, output: 'text' | 'json'): Promise<void> {
  const startedAt = performance.now()
  const relay = { target: '', allowsChosenTargets: false, forward: forwardMessage }
  // The judge listens for notifications on this machine.
  const server = createServer({ agents: referenceAgents({ relay }), allowPrivateNetworks: true })
  const { url } = await server.listen()
  relay.target = `${url}/echo`
  io.err(`Started the reference agents on ${url}; talking to them.\n`)
  try {
    const results: DemoResult[] = []
    for (const row of ROWS) results.push({ row, cells: await talk(url, row) })
    io.err('Certifying each of them.\n')
    const verdicts = await certifyAgents(url)
    const isFine =
      results.every(({ cells }) => cells.every(({ ok }) => ok)) && verdicts.every(({ failed }) => failed === 0)
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
    if (output === 'json') io.out(`${jsonText({ ok: isFine, results, verdicts })}\n`)
    else io.out(`${renderTalks(results)}\n${renderVerdicts(verdicts)}\n${closing(isFine, seconds)}`)
    if (!isFine) io.exit(EXIT.failed)
  } finally {
    await server.close({ graceMs: 0 })
  }
}

async function talk(url: string, row: DemoRow): Promise<DemoCell[]> {
  using client = await A2AClient.connect(url + row.agent, {
    transports: [row.binding],
    versions: [row.generation],
    fallback: false,
  })
  const cells: DemoCell[] = []
  for (const conversation of row.conversations) {
    const startedAt = performance.now()
    const detail = await outcomeOf(() => CONVERSATIONS[conversation](client))
    const ms = Math.round(performance.now() - startedAt)
    cells.push({ conversation, ok: detail === undefined, ms, ...defined({ detail }) })
  }
  return cells
}

async function outcomeOf(conversation: () => Promise<void>): Promise<string | undefined> {
  try {
    await conversation()
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

function renderTalks(results: readonly DemoResult[]): string {
  const lines = results.map(({ row, cells }) => [
    row.agent,
    row.generation,
    row.binding,
    ...COLUMNS.map((column) => cellText(cells.find(({ conversation }) => conversation === column))),
  ])
  const complaints = results.flatMap(({ row, cells }) =>
    cells.flatMap(({ conversation, detail }) =>
      detail === undefined ? [] : [`FAILED ${row.agent} ${row.generation} ${row.binding} ${conversation}: ${detail}\n`],
    ),
  )
  return renderTable(['agent', 'version', 'binding', ...COLUMNS], lines) + complaints.join('')
}

function renderVerdicts(verdicts: readonly DemoVerdict[]): string {
  const lines = verdicts.map(({ agent, level, passed, failed }) => [agent, level, String(passed), String(failed)])
  const complaints = verdicts.flatMap(({ agent, complaints: each }) => each.map((text) => `FAILED ${agent} ${text}\n`))
  return renderTable(['agent', 'level', 'checks passed', 'failed'], lines) + complaints.join('')
}

function closing(isFine: boolean, seconds: string): string {
  if (!isFine) return `Something went wrong above; it took ${seconds} s.\n`
  const command = ownCommand()
  const next = `Next: ${command} serve, then ${command} send localhost:9999/spec "streaming please" --stream`
  const look = `Or look at them in a browser: ${command} serve, then ${command} ui localhost:9999/spec`
  return `Everything went well, in ${seconds} s.\n${next}\n${look}\n`
}

function renderTable(head: readonly string[], lines: readonly (readonly string[])[]): string {
  const widths = head.map((title, at) => Math.max(title.length, ...lines.map((line) => line[at]?.length ?? 0)))
  const render = (line: readonly string[]) =>
    line
      .map((text, at) => text.padEnd(widths[at] ?? 0))
      .join('  ')
      .trimEnd()
  return `${[head, widths.map((width) => '-'.repeat(width)), ...lines].map(render).join('\n')}\n`
}

function cellText(cell: DemoCell | undefined): string {
  if (cell === undefined) return ''
  return cell.ok ? `ok ${cell.ms} ms` : 'FAILED'
}
