// `parley inspect`: an agent's card in readable form, and what is wrong with it. Nothing it asks has side effects.

import { Command, Option } from 'commander'
import { httpClientOf } from '../client/a2a-client.ts'
import { reachForTarget } from '../client/agent-reach.ts'
import { inspectAgent } from '../client/inspect-agent.ts'
import { discover } from '../discovery/discover.ts'
import { EXIT } from '../model/errors.ts'
import { jsonText } from '../trace/json-text.ts'
import { type CliIo, processIo } from './cli-io.ts'
import { watchers } from './exchange-log.ts'
import { renderInspection } from './render-card.ts'
import { addTargetOptions, clientOptions, type TargetFlags } from './target-options.ts'

interface InspectFlags extends TargetFlags {
  output: 'text' | 'json'
  quiet?: boolean
  verbose?: boolean
}

const EXAMPLES = `Examples:
  parley inspect localhost:9999
  parley inspect https://agent.example.com/.well-known/agent-card.json
  parley inspect card.json -o json
`

export function inspectCommand(io: CliIo = processIo): Command {
  const command = new Command('inspect')
    .summary('show an agent card and what is wrong with it')
    .description(
      'Shows the card of an agent, asks each interface what it really speaks, and lists findings; errors among them make the exit code 1.',
    )
    .argument('<agent>', 'host, URL, card URL or card file')
    .addOption(new Option('-o, --output <format>', 'output format').choices(['text', 'json']).default('text'))
    .option('-q, --quiet', 'no progress on stderr')
    .option('-v, --verbose', 'show the exchange with the agent as it happens, without secrets')
    .addHelpText('before', EXAMPLES)
    .action((agent: string) => inspect(agent, command.opts<InspectFlags>(), io))
  return addTargetOptions(command)
}

async function inspect(agent: string, flags: InspectFlags, io: CliIo): Promise<void> {
  const options = clientOptions(flags, (line) => io.err(`${line}\n`))
  const watching = watchers(flags, io)
  const http = httpClientOf({ ...(options.tls && { tls: options.tls }), ...watching }, reachForTarget(agent, options))
  try {
    const discovery = await discover(agent, { ...options, ...watching, http })
    const inspection = await inspectAgent(discovery, options)
    if (inspection.findings.some(({ severity }) => severity === 'error')) io.exit(EXIT.failed)
    if (flags.output === 'text') {
      io.out(renderInspection(inspection))
      return
    }
    const { source, attempts, readings, raw } = discovery
    const { interfaces, findings } = inspection
    io.out(`${jsonText({ source, attempts, readings, interfaces, findings, card: raw })}\n`)
  } finally {
    http.close()
  }
}
