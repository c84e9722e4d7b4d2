// `parley fleet`: certifies many agents, again and again. One command with an action, so that flags mean the same in all.

import { Argument, Command, Option } from 'commander'
import { everyOf } from '../fleet/agent-entry.ts'
import { type CliIo, processIo } from './cli-io.ts'
import { collect, duration, usage, wholeNumber } from './flag-values.ts'
import type { FleetFlags } from './fleet-flags.ts'
import { addFormatOption } from './report-options.ts'

const ACTIONS = ['run', 'work', 'status', 'results', 'export', 'watch'] as const
type Action = (typeof ACTIONS)[number]

const DEFAULT_STORE = 'parley-fleet.db'

const EXAMPLES = `Examples:
  parley fleet run agents.yaml                            every agent of the list, on this machine; again: goes on, or anew
  parley fleet run agents.jsonl --store postgres://…      the same, shared by any number of workers
  parley fleet work --store postgres://…                  one more worker, and what schedules ask for
  parley fleet status                                     funnel, levels, dead agents, slow hosts
  parley fleet results --since 1d                         what changed since yesterday
  parley fleet results https://a.example --format html:a.html
  parley fleet results --format html:fleet.html           the fleet as one page
  parley fleet export --as csv > fleet.csv
`

export function fleetCommand(io: CliIo = processIo): Command {
  const command = new Command('fleet')
    .summary('certify many agents repeatedly')
    .description(
      'Certifies the agents of a list: resumable, polite to their hosts, shared by as many workers as you start.',
    )
    .addArgument(new Argument('<action>', 'what to do').choices([...ACTIONS]))
    .argument('[list]', 'run: file, URL or - for standard input; results: one agent')
    .option('--store <store>', 'SQLite file or postgres://user:password@host:port/database', DEFAULT_STORE)
    .option('--name <name>', 'the name of the fleet; that of its list unless given')
    .option('--concurrency <n>', 'agents at a time in this process', wholeNumber('--concurrency', 1, 1_000), 16)
    .option('--full', 'run: test fully the agents that do not set a profile')
    .option('--every <duration>', 'run: how often to test agents that do not set it', every)
    .option('--host-concurrency <n>', 'run: agents of one host at a time; 1', wholeNumber('--host-concurrency', 1, 64))
    .option('--host-rate <n>', 'run: requests to one host in a second; 20', wholeNumber('--host-rate', 1, 10_000))
    .option('--turns-per-day <n>', 'run: messages to one agent that make it work; 300', wholeNumber('--turns-per-day'))
    .option('--deadline <duration>', 'run: for one agent; 3m', duration('--deadline'))
    .option('--timeout <duration>', 'run: for one answer; 20s', duration('--timeout'))
    .option('--patience <duration>', 'run: how long to wait for a host that asks for it; 10m', duration('--patience'))
    .option('--allow-private-networks', 'run: call loopback and private addresses of a list that came from outside')
    .option('--opt-out <file>', 'run: hosts that are never called, one to a line')
    .option('--contact <url>', 'run: contact for operators of the agents, sent in the User-Agent')
    .option('--all', 'run: also test agents that did not answer lately')
    .option('--replace-list', 'run: replace the list of the fleet of this name')
    .option('--once', 'work: end when nothing is due')
    .option('--label <name=value>', 'results, export: only agents with it; repeatable', collect(String))
    .option('--level <level>', 'results, export: only agents of this level or outcome')
    .option('--host <host>', 'results, export: only agents of this host')
    .option('--day <date>', 'status, results, export: as of the end of this day, such as 2026-01-31', endOfDay)
    .option('--since <duration>', 'results: what changed since', duration('--since', 1, 3_650))
    .addOption(
      new Option('--as <what>', 'export: as what').choices(['jsonl', 'csv', 'records', 'badges']).default('jsonl'),
    )
    .option('--to <folder>', 'export: where records and badges are written')
    .addOption(new Option('-o, --output <format>', 'output format').choices(['text', 'json']).default('text'))
    .option('-q, --quiet', 'no progress on stderr')
    .option('--no-color', 'no colors')
    .addHelpText('before', EXAMPLES)
    .action((action: Action, list: string | undefined) => fleet(action, list, command.opts<FleetFlags>(), io))
  return addFormatOption(command)
}

async function fleet(action: Action, list: string | undefined, flags: FleetFlags, io: CliIo): Promise<void> {
  if (list !== undefined && action !== 'run' && action !== 'results')
    throw usage(`parley fleet ${action} takes no list; it works on what is in --store.`)
  if (action === 'run') return (await import('./fleet-run.ts')).runFleet(list, flags, io)
  if (action === 'work') return (await import('./fleet-run.ts')).workFleet(flags, io)
  if (action === 'export') return (await import('./fleet-export.ts')).exportFleet(flags, io)
  const show = await import('./fleet-show.ts')
  if (action === 'status') return show.showStatus(flags, io)
  if (action === 'watch') return show.watchFleet(flags, io)
  return list === undefined ? show.showResults(flags, io) : show.showAgent(list, flags, io)
}

function every(text: string): number {
  const ms = everyOf(text)
  if (typeof ms === 'string') throw usage(ms.replace("'every'", '--every').concat('.'))
  return ms
}

/** Its last millisecond, UTC. */
function endOfDay(text: string): number {
  const at = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(`${text}T23:59:59.999Z`) : Number.NaN
  if (Number.isNaN(at)) throw usage(`--day takes a date such as 2026-01-31, not ${JSON.stringify(text)}.`)
  return at
}
